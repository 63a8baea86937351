/* packet.c: see packet.h. [LOFAR-ASTRON-SDD-009; COBALT RSP.h, RSPTimeStamp]
 * Room: io/lofar. Knows the 16 bytes and the numbering of samples. Does not know files. */
#include "packet.h"
#include "numbers.h"

enum { SAMPLE_TICKS = 1024, UNTIMED = -1 };

void ct_packet_decode(ct_packet *out, const uint8_t bytes[CT_PACKET_HEADER])
{
    static const unsigned modes[4] = {16, 8, 4, 0};
    *out = (ct_packet){.version = bytes[0],
                       .board = bytes[1] & 31u,
                       .bits = modes[bytes[2] & 3u],
                       .error = bytes[1] >> 6 & 1,
                       .fast = bytes[1] >> 7,
                       .station = (unsigned)ct_numbers_get(bytes + 4, 2) >> 5,
                       .beamlets = bytes[6],
                       .blocks = bytes[7],
                       .timestamp = (uint32_t)ct_numbers_get(bytes + 8, 4),
                       .sequence = (uint32_t)ct_numbers_get(bytes + 12, 4)};
}

void ct_packet_encode(uint8_t bytes[CT_PACKET_HEADER], const ct_packet *packet)
{
    unsigned mode = packet->bits == 16 ? 0 : packet->bits == 8 ? 1 : 2;
    bytes[0] = (uint8_t)packet->version;
    bytes[1] =
        (uint8_t)(packet->board | (unsigned)packet->error << 6 | (unsigned)packet->fast << 7);
    bytes[2] = (uint8_t)mode;
    bytes[3] = 0;
    ct_numbers_put(bytes + 4, 2, packet->station << 5 | packet->board);
    bytes[6] = (uint8_t)packet->beamlets;
    bytes[7] = (uint8_t)packet->blocks;
    ct_numbers_put(bytes + 8, 4, packet->timestamp);
    ct_numbers_put(bytes + 12, 4, packet->sequence);
}

int64_t ct_packet_bytes(const ct_packet *packet)
{
    return CT_PACKET_HEADER + (int64_t)packet->beamlets * packet->blocks * packet->bits / 2;
}

bool ct_packet_is_sound(const ct_packet *packet)
{
    return (packet->version == 2 || packet->version == 3) && packet->bits && packet->beamlets &&
           packet->blocks;
}

bool ct_packet_is_like(const ct_packet *packet, const ct_packet *form)
{
    return packet->version == form->version && packet->bits == form->bits &&
           packet->fast == form->fast && packet->station == form->station &&
           packet->beamlets == form->beamlets && packet->blocks == form->blocks;
}

bool ct_packet_is_timed(const ct_packet *packet)
{
    return packet->timestamp != (uint32_t)UNTIMED;
}

static int64_t packet_clock(const ct_packet *packet)
{
    return packet->fast ? 200000000 : 160000000;
}

double ct_packet_clock(const ct_packet *packet)
{
    return (double)packet_clock(packet);
}

/* The number of the first sample of a second; a second is no whole number of samples. */
static int64_t packet_second(int64_t clock, int64_t second)
{
    return (second * clock + SAMPLE_TICKS / 2) / SAMPLE_TICKS;
}

int64_t ct_packet_sample(const ct_packet *packet)
{
    return packet_second(packet_clock(packet), packet->timestamp) + packet->sequence;
}

void ct_packet_set_sample(ct_packet *packet, int64_t sample)
{
    int64_t clock = packet_clock(packet), second = sample * SAMPLE_TICKS / clock;
    while (packet_second(clock, second) > sample)
        second--;
    while (packet_second(clock, second + 1) <= sample)
        second++;
    packet->timestamp = (uint32_t)second;
    packet->sequence = (uint32_t)(sample - packet_second(clock, second));
}

/* packet.h: the header of a LOFAR station packet (CEP/RSP).
 * Room: io/lofar. Knows its 16 bytes and the numbering of samples. Does not know files. */
#ifndef CT_IO_PACKET_H
#define CT_IO_PACKET_H
#include "cornerturn_stage.h"

enum { CT_PACKET_HEADER = 16, CT_PACKET_BLOCKS = 16, CT_PACKET_LONGEST = 16 + 255 * 255 * 8 };

typedef struct ct_packet {
    unsigned version, board;
    unsigned bits;    /* of a real number: 16, 8 or 4; 0: an unknown mode */
    bool error;       /* the station says that the payload is wrong */
    bool fast;        /* 200 MHz clock, else 160 MHz */
    unsigned station; /* its id */
    unsigned beamlets, blocks;
    uint32_t timestamp, sequence; /* s, and samples within it */
} ct_packet;

void ct_packet_decode(ct_packet *out, const uint8_t bytes[CT_PACKET_HEADER]);
void ct_packet_encode(uint8_t bytes[CT_PACKET_HEADER], const ct_packet *packet);
int64_t ct_packet_bytes(const ct_packet *packet); /* header included */
bool ct_packet_is_sound(const ct_packet *packet); /* of a version and a form that can be read */
/* Same kind of packet from the same station: what one lane is made of. */
bool ct_packet_is_like(const ct_packet *packet, const ct_packet *form);

bool ct_packet_is_timed(const ct_packet *packet);
double ct_packet_clock(const ct_packet *packet); /* Hz */
/* The first sample's number, counted from 1970. */
int64_t ct_packet_sample(const ct_packet *packet);
void ct_packet_set_sample(ct_packet *packet, int64_t sample);

#endif

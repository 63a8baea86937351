/* sender.c: makes up LOFAR station packets, a lane to each file, pipe, or UDP address that is
 * named, all in turn, and loses, swaps or repeats some. The same options give the same packets,
 * wherever they go.
 *
 *   test.sender [--beamlets 4] [--packets 1000] [--start SAMPLE] [--lost N] [--swapped N]
 * [--repeated N]
 *               [--before N] [--rate PACKETS/S] FILE|-|HOST:PORT...
 *
 * Of N packets one is lost, swapped with the next one, or repeated. `before`: whole packets that
 * come before SAMPLE. Room: tests. Knows io/lofar's packets. */
#include "packet.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { LANES = 16, MOST = CT_PACKET_HEADER + 255 * 16 * 4 };

typedef struct sender {
    int64_t beamlets, packets, start, lost, swapped, repeated, before, rate;
    int lanes;
    FILE *file[LANES];
    int udp[LANES];
    struct sockaddr_in to[LANES];
} sender;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static void open_lane(sender *s, const char *name)
{
    const char *colon = strrchr(name, ':');
    const int lane = s->lanes++;
    if (lane == LANES) die("more than 16 lanes");
    if (!colon) {
        s->file[lane] = strcmp(name, "-") == 0 ? stdout : fopen(name, "wb");
        if (!s->file[lane]) die(name);
        return;
    }
    char host[64];
    snprintf(host, sizeof host, "%.*s", (int)(colon - name), name);
    s->to[lane] = (struct sockaddr_in){.sin_family = AF_INET};
    s->to[lane].sin_port = htons((uint16_t)atoi(colon + 1));
    if (inet_pton(AF_INET, host, &s->to[lane].sin_addr) != 1) die(name);
    s->udp[lane] = socket(AF_INET, SOCK_DGRAM, 0);
    if (s->udp[lane] < 0) die("socket");
}

static void put(const sender *s, int64_t i)
{
    static uint8_t bytes[MOST];
    ct_packet packet = {.version = 3, .bits = 8, .fast = true, .station = 7, .blocks = 16};
    packet.beamlets = (unsigned)s->beamlets;
    const size_t size = (size_t)ct_packet_bytes(&packet);
    for (int lane = 0; lane < s->lanes; lane++) {
        uint64_t noise = (uint64_t)(i + 1000000) * 0x9e3779b97f4a7c15u + (uint64_t)lane;
        for (size_t k = CT_PACKET_HEADER; k < size; k += 8) {
            noise = noise * 6364136223846793005u + 1442695040888963407u;
            memcpy(bytes + k, &noise, 8);
        }
        packet.board = (unsigned)lane;
        ct_packet_set_sample(&packet, s->start + 16 * i);
        ct_packet_encode(bytes, &packet);
        if (s->file[lane] && fwrite(bytes, 1, size, s->file[lane]) != size) die("write");
        if (!s->file[lane])
            (void)sendto(s->udp[lane], bytes, size, 0, (const struct sockaddr *)&s->to[lane],
                         sizeof s->to[lane]);
    }
}

static bool is(int64_t i, int64_t every)
{
    return i >= 0 && every > 0 && i % every == every / 2;
}

static void wait_for(const sender *s, int64_t i, const struct timespec *begun)
{
    struct timespec until = *begun;
    if (s->rate == 0 || i % 8 != 0) return;
    const int64_t ns = until.tv_nsec + (int64_t)((double)i / (double)s->rate * 1e9);
    until.tv_sec += ns / 1000000000;
    until.tv_nsec = ns % 1000000000;
    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static void send_all(const sender *s)
{
    struct timespec begun;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    for (int64_t i = -s->before; i < s->packets; i++) {
        wait_for(s, i + s->before, &begun);
        if (is(i, s->lost)) continue;
        if (is(i, s->swapped)) put(s, i + 1);
        if (!is(i - 1, s->swapped)) put(s, i);
        if (is(i, s->repeated)) put(s, i);
    }
}

int main(int argc, char **argv)
{
    sender s = {.beamlets = 4, .packets = 1000, .start = INT64_C(323528554687500)};
    const struct {
        const char *name;
        int64_t *number;
    } options[] = {{"--beamlets", &s.beamlets}, {"--packets", &s.packets},
                   {"--start", &s.start},       {"--lost", &s.lost},
                   {"--swapped", &s.swapped},   {"--repeated", &s.repeated},
                   {"--before", &s.before},     {"--rate", &s.rate}};
    for (int i = 1; i < argc; i++) {
        bool known = false;
        for (size_t k = 0; k < sizeof options / sizeof options[0] && i + 1 < argc; k++) {
            if (strcmp(argv[i], options[k].name) != 0) continue;
            *options[k].number = atoll(argv[++i]);
            known = true;
            break;
        }
        if (!known) open_lane(&s, argv[i]);
    }
    if (s.beamlets < 1 || s.beamlets > 255 || s.lanes == 0) die("beamlets, lanes");
    send_all(&s);
    for (int lane = 0; lane < s.lanes; lane++)
        if (s.file[lane] && fclose(s.file[lane]) != 0) die("write");
    return 0;
}

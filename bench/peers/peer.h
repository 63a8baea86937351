/* peer.h: how a peer (what a user would pick instead of Cornerturn) is made ready, checked and
 * timed round by round, so that a driver can interleave it with others. Protocol: the program
 * prints one JSON line when it is ready; then, for each line "go" on its input, it does one round
 * and prints its seconds. It ends with its input. */
#ifndef PEER_H
#define PEER_H
#include <stddef.h>
#include <stdint.h>

/* The sizes of the comparison. */
enum { STATIONS = 64, POLS = 2, CHANNELS = 256, TIMES = 512, BEAMS = 100, TAPS = 8 };

typedef struct peer {
    const char *name, *what;
    const char *environment; /* "NAME=value" that must stand before the program starts; NULL none */
    double flops, bytes;     /* useful, of one round; bytes 0 and `copy`: read and written */
    size_t size;             /* default of --size; what it means is the peer's */
    void *(*prepare)(size_t size);
    void (*round)(void *state);
    double (*error)(void *state); /* after a round: against the definition, relative */
    double tolerance;
} peer;

/* Ends at the row without a name. */
int peer_main(int argc, char **argv, const peer *peers);

/* Zeroed, aligned to a huge page, touched by the threads that will use it; ends the program where
 * there is none. */
void *peer_pages(size_t bytes);
/* Repeatable numbers in -8 .. 8. */
float peer_number(uint64_t index);
double peer_seconds(void);

#endif

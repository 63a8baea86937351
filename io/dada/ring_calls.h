/* ring_calls.h: what reads and writes PSRDADA's rings in shared memory, as a table of functions: a
 * module that is loaded only where a pipeline names a ring, since it needs PSRDADA's library.
 * Room: io/dada. Knows C. Does not know the rest of Cornerturn.
 * Nothing waits: who would have to is told CT_RING_WAIT, and asks again.
 * Order: attach; peek, begin, then next again and again, or put_header, then room and end; release.
 */
#ifndef CT_IO_RING_CALLS_H
#define CT_IO_RING_CALLS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CT_RING_SYMBOL "ct_ring_calls_psrdada"

enum { CT_RING_VERSION = 1, CT_RING_WHY = 256 };

typedef enum ct_ring_answer {
    CT_RING_FAILED, /* `why` says it: "does not exist"; then only release */
    CT_RING_WAIT,   /* nothing is there yet, or no room */
    CT_RING_BUSY,   /* of attach: others have it */
    CT_RING_DONE,
    CT_RING_END, /* of next: the observation has ended */
    CT_RING_LEFT /* of next: nothing is there, and nobody writes */
} ct_ring_answer;

typedef struct ct_ring ct_ring;

typedef struct ct_ring_sizes {
    uint64_t blocks, bytes; /* of the ring; of each block */
    uint64_t full;          /* blocks that this reader has not had yet */
} ct_ring_sizes;

typedef struct ct_ring_calls {
    int version;
    /* As the only writer, or as one of the readers. A ring that somebody has left in the middle of
     * an observation is refused. */
    ct_ring_answer (*attach)(ct_ring **out, uint32_t key, bool writes, char why[CT_RING_WHY]);
    /* NULL is allowed. */
    void (*release)(ct_ring *ring);
    void (*sizes)(const ct_ring *ring, ct_ring_sizes *out);

    /* The header of the next observation, which stays there. */
    ct_ring_answer (*peek)(ct_ring *ring, const char **text, size_t *bytes);
    /* Takes it out. */
    ct_ring_answer (*begin)(ct_ring *ring, char why[CT_RING_WHY]);
    /* Gives the block before back to the writer, and has the next one, which may be empty. */
    ct_ring_answer (*next)(ct_ring *ring, const uint8_t **data, size_t *bytes,
                           char why[CT_RING_WHY]);

    ct_ring_answer (*put_header)(ct_ring *ring, const char *text, size_t bytes,
                                 char why[CT_RING_WHY]);
    /* Gives the block before, which is full, to the readers, and has the next one. */
    ct_ring_answer (*room)(ct_ring *ring, uint8_t **data, size_t *bytes, char why[CT_RING_WHY]);
    /* So many bytes of the last block count, and the observation has ended. */
    ct_ring_answer (*end)(ct_ring *ring, size_t bytes, char why[CT_RING_WHY]);
} ct_ring_calls;

#endif

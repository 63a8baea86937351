/* wire.h: what the ranks of a job need of each other: a table of functions.
 * Room: core/ranks. Knows bytes and ranks. Does not know arrays, or MPI. A module gives the table
 * and is loaded only where a process is a rank of a job; mpi/ has the one for MPI. */
#ifndef CT_CORE_WIRE_H
#define CT_CORE_WIRE_H
#include <stdbool.h>
#include <stdint.h>

#define CT_WIRE_VERSION 6
#define CT_WIRE_SYMBOL "ct_wire_table"

/* Functions give 0, or a number that text() explains in at most `size` letters. */
typedef struct ct_wire {
    int version;
    const char *name; /* "MPI" */
    /* `local`: the place of this rank among those of its machine. */
    int (*open)(int *rank, int *size, int *local);
    /* From each rank to each: bytes[r] from send + at[r] on, which all know before. */
    int (*exchange)(const void *send, const int *send_bytes, const int *send_at, void *receive,
                    const int *receive_bytes, const int *receive_at);
    /* Messages under way, each in a slot of its own below `slots`, which it leaves when it is done.
     * Between two ranks they arrive in the order in which they were sent. */
    int (*slots)(int slots); /* makes room for so many; 0: none, and all are free */
    int (*send)(int slot, const void *data, int bytes, int to);
    int (*receive)(int slot, void *data, int bytes, int from);
    /* Messages without content, in an order of their own: `back` goes from the receiver of a piece
     * to its sender. notify: done at once; expect: as receive. */
    int (*notify)(int to, bool back);
    int (*expect)(int slot, int from, bool back);
    /* A slot whose message is done, -1: none is, or none is under way. */
    int (*next)(bool wait, int *slot);
    /* Of each number the smallest that any rank has, on all. */
    int (*minimum)(int64_t *numbers, int count);
    /* Memory that all ranks of a machine share: each asks for so many bytes, all at once;
     * buffers[r]: where rank r has what it asked for, NULL of one on another machine. All are NULL
     * where it cannot be had on some rank, or is not wanted. It stays until close(). */
    int (*shared_memory)(int64_t bytes, void **buffers);
    /* Whether one thread may have messages under way (slots, send, receive, next) while another one
     * calls exchange and minimum: the same on all ranks. */
    bool (*threads)(void);
    /* Seconds so far in exchange, next and minimum, until others had come, or what they sent. */
    double (*blocked_s)(void);
    void (*text)(int code, char *out, int size);
    void (*close)(void);
    void (*abort)(int status); /* ends all ranks */
} ct_wire;

#endif

/* exchange_inner.h: what the files of an exchange use together.
 * Room: core/ranks. Order: exchange_step.c makes the step, exchange_boxes.c says who sends what to
 * whom, exchange_pieces.c divides that into messages, exchange_memory.c says which of them need not
 * be sent within a machine, exchange_transfer.c sends and receives them. */
#ifndef CT_CORE_EXCHANGE_INNER_H
#define CT_CORE_EXCHANGE_INNER_H
#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "exchange.h"

/* Who has what, as the plan knows it; lives as the plan's step. */
typedef struct ct_exchange_plan {
    const ct_ranks *ranks;
    ct_array whole;
    ct_partition from, to;
} ct_exchange_plan;

/* What one rank sends another: a box of the whole array; bytes 0: nothing. */
typedef struct ct_exchange_box {
    int64_t bytes, first[CT_DIMS], count[CT_DIMS];
    int64_t addend;
} ct_exchange_box;

/* Pieces of a message are short enough that one which has just come is still in the cache when it
 * is brought into the order that is read next, and long enough that latency is little. */
enum { CT_EXCHANGE_PIECE = 256 << 10, CT_EXCHANGE_WINDOW = 4 };

/* A box between two ranks, in pieces. */
typedef struct ct_exchange_flow {
    ct_exchange_box box;
    int other;             /* the rank to which it goes, or from which it comes */
    ct_layout order;       /* of the elements of a piece: that of the sender's memory */
    int64_t each[CT_DIMS]; /* extents of a piece; the last ones may have less */
    int64_t pieces, begun, done;
    bool busy[CT_EXCHANGE_WINDOW]; /* piece n is under way in place n % window */
    char *buffer;                  /* a piece for each place */
    bool shared; /* the buffer is the sender's, and the receiver copies pieces out of it */
} ct_exchange_flow;

/* A rank's order of memory, which all get. */
typedef struct ct_exchange_order {
    char x[CT_DIMS + 1], y[CT_DIMS + 1];
} ct_exchange_order;

typedef struct ct_exchange {
    ct_exchange_plan plan;
    ct_array x, y;              /* data: while a block is sent, NULL where it cannot be mapped */
    ct_exchange_flow *out, *in; /* what stays on the rank: among `in` only */
    int outs, ins;
    char *filler, *sum;       /* a piece each: sent where x cannot be mapped; what is added up */
    ct_exchange_order *order; /* a rank each */
    void **buffers;           /* a rank each: what those of this machine share; NULL none */
    int *numbers;             /* for ct_ranks_alltoall */
    bool sends_any;           /* any rank sends anything */
    bool agreed;              /* on the order of messages */
    bool overlapped;          /* other blocks are computed meanwhile: a thread that waits sleeps */
    long nap_ns;              /* how long it has slept last */
    void *queue, *mem[2];     /* of what is mapped */
} ct_exchange;

ct_exchange_box ct_exchange_between(const ct_exchange_plan *plan, int source, int to);
/* Whether any rank sends anything: the answer is the same on all. */
bool ct_exchange_is_needed(const ct_exchange_plan *plan);

/* How this box is divided into pieces: the same on both sides. */
void ct_exchange_divide(ct_exchange_flow *flow, const ct_array *whole, const char *sender,
                        const char *receiver);
/* Piece n: as it lies in a message at `data`, and in this rank's own array, of which it has
 * the range that `partition` says. */
ct_array ct_exchange_message(const ct_exchange *e, const ct_exchange_flow *flow, int64_t n,
                             char *data);
ct_array ct_exchange_view(const ct_exchange *e, const ct_exchange_flow *flow, int64_t n,
                          const ct_array *own, const ct_partition *partition);
/* The place of a view that is laid out as its message; NULL where it is not. */
char *ct_exchange_straight(const ct_array *view, const ct_layout *order);

/* Buffers that ranks of one machine share, once all know each other's orders; all ranks call it. */
ct_status ct_exchange_share_memory(ct_exchange *e, ct_error *err);

/* One block: all ranks call it, whatever they have in x and y. */
ct_status ct_exchange_transfer(ct_exchange *e, ct_error *err);

#endif

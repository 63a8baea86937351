/* run_memory.h: the arrays of a run in device memory, and which of them are mapped.
 * run_buffers.c (buffers), run_slots.c (arrays that have two), run_places.c (arrays that move on),
 * run_transfers.c (arrays on their way), run_history.c. Room: core/run. */
#ifndef CT_CORE_RUN_MEMORY_H
#define CT_CORE_RUN_MEMORY_H
#include "run.h"

/* An array that may be in two slots. */
typedef struct ct_run_double {
    bool on;   /* it is, in turn */
    bool next; /* at present in the other one */
} ct_run_double;

/* One that lies in its slot a block further each time. */
typedef struct ct_run_places {
    int count, now; /* 0: it has one place only */
    ct_buffer *at;  /* parts of the slot */
} ct_run_places;

struct ct_run_memory {
    ct_buffer *slots;       /* [slots] */
    ct_run_places *places;  /* [edges] */
    bool stays;             /* a rehearsal's, on a GPU: nothing is mapped, blocks are waited for */
    void **mapped;          /* [slots]: where it is mapped; or NULL */
    ct_run_double *doubled; /* [edges]; NULL: no block has begun */
    struct ct_run_copy *copies;  /* [slots]: run_transfers.h; NULL: none has one */
    struct _cl_event *last;      /* the end of the last block on the device's queue; or NULL */
    struct ct_time_mover *mover; /* of history, on a GPU; or NULL */
};

ct_status ct_run_buffers_new(ct_run *run, ct_error *err);
/* All but tables as they were at first: 0. */
ct_status ct_run_buffers_clear(ct_run *run, ct_error *err);
ct_status ct_run_buffers_wait(ct_run *run, ct_error *err); /* for the queue */
/* Likewise, if a block was given up. */
void ct_run_buffers_settle(ct_run *run);
void ct_run_buffers_free(ct_run *run);
ct_status ct_run_buffers_copy(ct_run *run, const ct_buffer *to, const ct_buffer *from, size_t bytes,
                              ct_error *err);

/* Bytes of a slot, which the plan may have wanted larger; the places that arrays have there. */
size_t ct_run_places_slot(const ct_run *run, int slot);
ct_status ct_run_places_new(ct_run *run, ct_error *err);
void ct_run_places_free(ct_run *run);

/* Before the first block, when all is known of who reads and writes. */
ct_status ct_run_slots_begin(ct_run *run, ct_error *err);
/* Where an edge's block of this number is, and which one is to be used from now on. */
int ct_run_slots_of_block(const ct_run *run, int edge, int64_t number);
void ct_run_slots_use(ct_run *run, int edge, int64_t number);
/* Where the present block is; its buffer, and that of the block before: the same one, or not. */
int ct_run_slots_now(const ct_run *run, int edge);
const ct_buffer *ct_run_slots_buffer(const ct_run *run, int edge);
const ct_buffer *ct_run_slots_before(const ct_run *run, int edge);
/* A slot as the host's memory, until it is unmapped. */
ct_status ct_run_slots_map(ct_run *run, int slot, void **data, ct_error *err);
ct_status ct_run_slots_unmap(ct_run *run, int slot, ct_error *err);
void ct_run_slots_unmap_all(ct_run *run);
/* The slot of what the step reads or writes at a port in this firing; all that it reads. */
const ct_buffer *ct_run_slots_read(const ct_run *run, int step, int port);
void ct_run_slots_take_inputs(ct_run *run, int step);

/* Moves the end of the last block to the front, before the edge is written again. */
ct_status ct_run_history_move(ct_run *run, int edge, ct_error *err);

#endif

/* run_flags.h: the flags of all arrays of a run: run_flags.c (on the host, from sources through all
 * nodes), run_masks.c (of ports that take or give flags), run_clear.c (data that are flagged).
 * Room: core/run. */
#ifndef CT_CORE_RUN_FLAGS_H
#define CT_CORE_RUN_FLAGS_H
#include "flags.h"
#include "run.h"

struct ct_run_flags {
    ct_flags *out; /* [nodes of the graph][CT_PORTS]: of outputs */
    ct_flags
        *late; /* likewise: of the block before, where steps work on that; data NULL: none do */
    ct_flags *window; /* per node: of port 0 with its overlap, and with flags that are brought */
    int *step_of;     /* [nodes]; -1: it has none */
    ct_flags *queue, *chunk; /* [steps]: of one that gathers samples: what waits, what is taken */
    int *gathered;           /* [steps]: the step that gathers its port 0; -1: none */
    uint8_t *mask;           /* room for an array of flags on its way from or to the device */
    uint8_t *row;            /* room for a row of flags */
    struct ct_flags_clearing *clearing; /* NULL: nothing had to be cleared yet */
};

ct_status ct_run_flags_new(ct_run *run, ct_error *err);
/* Those of the step's input 0, of the block that it works on. */
ct_flags *ct_run_flags_read(const ct_run *run, int step);
/* A node's outputs begin another block: the last one's flags are kept for steps that lag. */
void ct_run_flags_next(ct_run *run, int node);
/* Whether the flags of a node's outputs are needed, without those of port `except` (-1: of all). */
bool ct_run_flags_wanted(const ct_run *run, int node, int except);
/* Moves the step's window on by a block; then, once the masks that the pipeline brings are in it,
 * derives the outputs' flags. */
void ct_run_flags_advance(ct_run *run, int step);
void ct_run_flags_pass(ct_run *run, int step);
/* Before that: the last samples of its window begin the outputs that this firing goes on with. */
void ct_run_flags_rest(ct_run *run, int step, int64_t samples);

ct_status ct_run_masks_new(ct_run *run, ct_error *err);
/* Whether flags of the step's port are read back from the device. */
bool ct_run_masks_read(const ct_run *run, int step, int port);
/* What the pipeline brings to the step's flags port joins those of its input. */
ct_status ct_run_masks_brought(ct_run *run, int step, ct_error *err);
/* Once the step has run: the flags that it gives join those of its other outputs. */
bool ct_run_masks_gives(const ct_run *run, int step, int port); /* it does in this firing */
ct_status ct_run_masks_given(ct_run *run, int step, ct_error *err);
/* What the step's port reads that takes flags: the run's, and where the pipeline brings some, what
 * either of them flags. */
ct_status ct_run_masks_upload(ct_run *run, int step, ct_error *err);
/* Likewise of a sink, on the host: an array in the `data` of its step's port while it writes. */
ct_status ct_run_masks_sink(ct_run *run, int step, ct_error *err);

/* For a step that leaves out what is flagged: that is 0 in what its port 0 reads now. */
ct_status ct_run_clear(ct_run *run, int step, ct_error *err);
/* What does that is built now, where some step needs it. */
ct_status ct_run_clear_build(ct_run *run, ct_error *err);

#endif

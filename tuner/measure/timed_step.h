/* timed_step.h: a step ready to be timed: its program, tables, and buffers full of harmless
 * numbers.
 * Room: tuner/measure. Knows steps, programs and buffers. Does not know any stage or what is fast.
 * Order: ct_timed_step_new, the run of ct_timed_step_timing as often as wanted, ct_timed_step_free;
 * the pool is released after all of its steps. */
#ifndef CT_TUNER_TIMED_STEP_H
#define CT_TUNER_TIMED_STEP_H
#include "program.h"
#include "step.h"
#include "step_inputs.h"
#include "timing_rounds.h"

/* Buffers that steps of one shape share, whatever their layouts. */
typedef struct ct_buffer_pool {
    ct_buffer mem[CT_PORTS];
    ct_inputs *inputs; /* the caller's: where they come from; NULL: noise in mem[] */
} ct_buffer_pool;
void ct_timed_step_pool_free(ct_buffer_pool *pool);

typedef struct ct_timed_step {
    ct_device *device;
    ct_step *step;
    ct_program *program;
    ct_buffer_pool *pool;
    ct_buffer table[CT_PORTS];
    bool tables;                      /* are made */
    const ct_buffer *input[CT_PORTS]; /* of pool->inputs; NULL: the pool's */
    double flops, bytes; /* of each run: useful operations; inputs, outputs and tables, once each */
    bool ran;
    double first_s;  /* what its first run took beyond the device's time: drivers compile then */
    ct_value *given; /* released with the step; NULL: none */
} ct_timed_step;

/* Layouts and tunables of `step` are fixed. The pool grows as needed and must outlive the step. */
ct_status ct_timed_step_new(ct_timed_step **out, ct_device *device, const ct_step *step,
                            ct_buffer_pool *pool, ct_error *err);
/* The same in two steps: its program, then buffers and tables. */
ct_status ct_timed_step_build(ct_timed_step **out, ct_device *device, const ct_step *step,
                              ct_buffer_pool *pool, ct_error *err);
ct_status ct_timed_step_fill(ct_timed_step *timed, ct_error *err);
/* Returns inputs that come from pool->inputs: before it runs again it must be filled. */
void ct_timed_step_rest(ct_timed_step *timed);
void ct_timed_step_free(ct_timed_step *timed);
/* Bytes that a step must move at least: inputs, outputs and tables, once each. */
double ct_timed_step_bytes(const ct_step *step);
/* What the step's port uses. */
const ct_buffer *ct_timed_step_buffer(const ct_timed_step *timed, int port);
ct_timed ct_timed_step_timing(ct_timed_step *timed);

#endif

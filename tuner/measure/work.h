/* work.h: a step ready to be timed: its program, tables, and buffers full of harmless numbers.
 * Room: tuner/measure. Knows steps, programs and buffers. Does not know any stage or what is fast.
 * Order: ct_work_new, ct_work_run (through ct_work_timed) as often as wanted, ct_work_free; the
 * pool after its works. */
#ifndef CT_TUNER_WORK_H
#define CT_TUNER_WORK_H
#include "inputs.h"
#include "program.h"
#include "rounds.h"
#include "step.h"

/* Buffers that works of one shape share, whatever their layouts. */
typedef struct ct_pool {
    ct_buffer mem[CT_PORTS];
    ct_inputs *inputs; /* the caller's: where they come from; NULL: noise in mem[] */
} ct_pool;
void ct_work_pool_free(ct_pool *pool);

typedef struct ct_work {
    ct_device *device;
    ct_step *step;
    ct_program *program;
    ct_pool *pool;
    ct_buffer table[CT_PORTS];
    bool tables;                      /* are made */
    const ct_buffer *input[CT_PORTS]; /* of pool->inputs; NULL: the pool's */
    double flops, bytes; /* each time that it runs: useful ones; read and written once: inputs,
                            outputs, tables */
    ct_value *given;     /* released with the work, where its maker leaves it here; NULL none */
} ct_work;

/* Layouts and tunables of `step` are fixed. The pool grows as needed and must outlive the work. */
ct_status ct_work_new(ct_work **out, ct_device *device, const ct_step *step, ct_pool *pool,
                      ct_error *err);
/* The same in two steps: its program, then buffers and tables. */
ct_status ct_work_build(ct_work **out, ct_device *device, const ct_step *step, ct_pool *pool,
                        ct_error *err);
ct_status ct_work_fill(ct_work *work, ct_error *err);
/* Gives its inputs back, where they come from pool->inputs: before it runs again it must be filled.
 */
void ct_work_rest(ct_work *work);
void ct_work_free(ct_work *work);
/* Bytes that a step must move at least: inputs, outputs and tables, once each. */
double ct_work_bytes(const ct_step *step);
/* What the work's port uses. */
const ct_buffer *ct_work_buffer(const ct_work *work, int port);
ct_timed ct_work_timed(ct_work *work);

#endif

/* output_check.h: whether a step writes what it should: all its outputs, into memory that was
 * filled with other bytes before. They are compared on the device; only where one is not clearly
 * right, the host looks at it.
 * Room: tuner/measure. Knows steps that are ready to be timed, and how near is near enough. Does
 * not know any stage. */
#ifndef CT_TUNER_OUTPUT_CHECK_H
#define CT_TUNER_OUTPUT_CHECK_H
#include "expected_output.h"
#include "timed_step.h"

/* What a step's outputs should hold, by port; data NULL: not an output. */
typedef struct ct_check {
    ct_expected port[CT_PORTS];
    ct_buffer known[CT_PORTS]; /* the same on the device; mem NULL: there is no room */
    double rms[CT_PORTS];
} ct_check;

/* Fills outputs and scratch with other bytes, runs the step, and keeps what it writes as the truth.
 * CT_MISMATCH where that is not finite, or partly unwritten. *seconds: of this first run. */
ct_status ct_check_take(ct_check *out, ct_timed_step *timed, double *seconds, ct_error *err);
/* Fills outputs and scratch with other bytes and runs the step; CT_MISMATCH where it does not write
 * the same. Integers bit by bit where the stage says that they are exact, otherwise within one
 * unit; floats within ten times the stage's tolerance, at least 1e-4, of the rms; of a stage
 * without tolerance bit by bit. */
ct_status ct_check_run(const ct_check *check, ct_timed_step *timed, double *seconds, ct_error *err);
/* Of a step that only copies: what it reads is the truth, bit by bit. */
ct_status ct_check_run_copy(ct_timed_step *timed, double *seconds, ct_error *err);
void ct_check_free(ct_check *check);

#endif

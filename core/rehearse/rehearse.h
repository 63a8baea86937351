/* rehearse.h: one block of a plan again and again, as in a run, to see how long it takes: sources
 * and sinks are replaced, so that no file is opened, made or locked. Room: core/rehearse. Order:
 * ct_rehearse_new, ct_rehearse_block as often as wanted, ct_rehearse_free. */
#ifndef CT_CORE_REHEARSE_H
#define CT_CORE_REHEARSE_H
#include "cornerturn_stage.h"

typedef struct ct_rehearsal ct_rehearsal;

/* Builds all programs and takes all memory. Sources give harmless numbers (floats of 0.5 to 1 in
 * size, any integer) of which nothing is flagged. CT_INVALID where the plan does not fit. */
ct_status ct_rehearse_new(ct_rehearsal **out, const ct_plan *plan, ct_device *device,
                          ct_error *err);
void ct_rehearse_free(ct_rehearsal *rehearsal);

int ct_rehearse_steps(const ct_rehearsal *rehearsal);
const char *ct_rehearse_name(const ct_rehearsal *rehearsal, int step); /* "fir", "fir>CTSP" */
const ct_run *ct_rehearse_run(const ct_rehearsal *rehearsal); /* whose arrays it has; borrowed */
int64_t ct_rehearse_bytes(const ct_plan *plan);               /* that it takes on the device */
int64_t ct_rehearse_samples(const ct_plan *plan);             /* of the sources, in a block */
double ct_rehearse_signal_s(const ct_plan *plan); /* that a block lasts; 0: there is no time */

/* Seconds of one block in the middle of a stream. Steps after one that accumulates or
 * gathers do not fire in every block: two blocks are run then, one without and one with them, and
 * they count for their share. */
typedef struct ct_rehearsed {
    double wall;    /* of all, but what stands for the sources' reading */
    double history; /* on the device, of the samples that are kept for the next block */
    double
        *step; /* [ct_rehearse_steps] on the device; of a sink or source, of reaching its array */
} ct_rehearsed;
ct_status ct_rehearse_block(ct_rehearsal *rehearsal, ct_rehearsed *out, ct_error *err);

#endif

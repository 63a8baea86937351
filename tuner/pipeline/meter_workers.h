/* meter_workers.h: measurements on a device, by worker processes: some that build side by side,
 * then one that times, never both at once. Room: tuner/pipeline. Knows what workers are asked
 * (docs/worker.md). Does not know what will be asked next, nor OpenCL. */
#ifndef CT_TUNER_METER_WORKERS_H
#define CT_TUNER_METER_WORKERS_H
#include "meter.h"

typedef struct ct_meter_workers ct_meter_workers;

/* Says hello to a first worker. `hello`: its answer, with the default plan; lives as the workers.
 */
ct_status ct_meter_workers_new(ct_meter_workers **out, ct_context *context, const ct_graph *graph,
                               const char *device, const ct_tune *options, const ct_value **hello,
                               ct_error *err);
/* What they then measure; spaces of one pipeline may share them. */
ct_meter ct_meter_workers_meter(ct_meter_workers *workers, const ct_space *space);
int ct_meter_workers_count(const ct_meter_workers *workers); /* side by side */
void ct_meter_workers_free(ct_meter_workers *workers);

#endif

/* backend_workers.h: measurements on a device, by worker processes: some that build side by side,
 * then one that times, never both at the same time.
 * Room: tuner/backend. Knows what workers are asked (docs/worker.md). Does not know what will be
 * asked next, nor OpenCL. */
#ifndef CT_TUNER_BACKEND_WORKERS_H
#define CT_TUNER_BACKEND_WORKERS_H
#include "backend.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"

typedef struct ct_backend_workers ct_backend_workers;

/* Says hello to a first worker. `hello`: its answer, with the default plan; lives as long as the
 * workers. */
ct_status ct_backend_workers_new(ct_backend_workers **out, ct_context *context,
                                 const ct_graph *graph, const char *device, const ct_tune *options,
                                 const ct_value **hello, ct_error *err);
/* What they then measure; spaces of one pipeline may share them. */
ct_backend ct_backend_workers_of(ct_backend_workers *workers, const ct_space *space);
int ct_backend_workers_count(const ct_backend_workers *workers); /* side by side */
void ct_backend_workers_free(ct_backend_workers *workers);

#endif

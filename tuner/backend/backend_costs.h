/* backend_costs.h: measurements that a file of costs makes up, with noise, on a clock of its own:
 * the same search without a device, and the same every time.
 * Room: tuner/backend. Knows the form of costs (docs/tuning.md). Does not know what is asked. */
#ifndef CT_TUNER_BACKEND_COSTS_H
#define CT_TUNER_BACKEND_COSTS_H
#include "backend.h"

typedef struct ct_backend_costs ct_backend_costs;

/* {"cornerturn_costs": 1, "noise": 0.03, "seed": 1, "candidate_s": 1, "nodes": {"fft":
 * {"SPTC>CTSP": 0.0071}}, "transposes": {"fft": {"SPTC>CTSP": 0.0013}}}: what is not listed cannot
 * be built. CT_INVALID for nodes and layouts that the space does not have. `name` is what messages
 * call it. */
ct_status ct_backend_costs_new(ct_backend_costs **out, ct_backend *backend, const ct_space *space,
                               const ct_value *costs, const char *name, ct_error *err);
void ct_backend_costs_free(ct_backend_costs *costs);
/* Another stream of noise than the file's. */
void ct_backend_costs_seed(ct_backend_costs *costs, int64_t seed);
/* From now on without noise. */
void ct_backend_costs_quiet(ct_backend_costs *costs);
/* What a candidate takes without noise; infinity where a part of it cannot be built. */
double ct_backend_costs_true(const ct_backend_costs *costs, const int64_t *choices);

#endif

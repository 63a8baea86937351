/* oneshot.h: kernels that run once over host arrays in natural order: references, and those that
 * fill tables. Room: core/program. */
#ifndef CT_CORE_ONESHOT_H
#define CT_CORE_ONESHOT_H
#include "device.h"

/* Fills a table, dense and in natural order, by the stage's kernel for it, else by its table(). */
ct_status ct_oneshot_run_table(ct_array *natural, const ct_step *step, int port, ct_device *device,
                               ct_error *err);
bool ct_oneshot_has_table(const ct_step *step, int port);
/* A stage's reference, be it a function or a kernel. Arrays are dense and in natural order, outputs
 * f64 or cf64. CT_USAGE where it is a kernel and the device has no double precision. */
ct_status ct_oneshot_run_reference(const ct_step *step, ct_device *device, ct_array port[CT_PORTS],
                                   ct_error *err);
bool ct_oneshot_has_reference(const ct_stage *stage);

#endif

/* once.h: kernels that run once over host arrays in natural order: references, and those that fill
 * tables.
 * Room: core/run. */
#ifndef CT_CORE_ONCE_H
#define CT_CORE_ONCE_H
#include "device.h"

/* Fills a table, dense and in natural order, by the stage's kernel for it, else by its table(). */
ct_status ct_once_table(ct_array *natural, const ct_step *step, int port, ct_device *device,
                        ct_error *err);
bool ct_once_table_by_kernel(const ct_step *step, int port);
/* A stage's reference, be it a function or a kernel. Arrays are dense and in natural order, outputs
 * f64 or cf64. CT_USAGE where it is a kernel and the device has no double precision. */
ct_status ct_once_reference_run(const ct_step *step, ct_device *device, ct_array port[CT_PORTS],
                                ct_error *err);
bool ct_once_reference_given(const ct_stage *stage);

#endif

/* plan_key.h: what a plan was tuned for: the device with its cores, the graph (graph_key.h), and
 * the text of every kernel. Room: tuner/store. Knows devices and plans. Does not know who asks. */
#ifndef CT_TUNER_PLAN_KEY_H
#define CT_TUNER_PLAN_KEY_H
#include "device.h"
#include "plan.h"
#include "text.h"

/* Members "device", "platform", "driver", and of a processor "cpu", "vectors" and "cores" (of
 * others
 * ""), of an object that is open. */
void ct_plan_key_device(ct_text *json, const ct_device *device);
/* The same, from an answer to hello, which has them. */
void ct_plan_key_copy(ct_text *json, const ct_value *hello);
/* Adds a sentence about the first of these that a plan's key has and that is another one here. */
ct_status ct_plan_key_differs(ct_text *out, const ct_value *key, const ct_device *device,
                              ct_error *err);
/* "sources": {"fir": SHA-256 of its generated text, ..}: of every step that runs on the device,
 * once the device is known. */
ct_status ct_plan_key_sources(ct_text *json, const ct_plan *plan, const ct_device *device,
                              ct_error *err);
/* Adds a sentence about the first step whose kernel is none of those in the key, whatever it was
 * called. */
ct_status ct_plan_key_stale(ct_text *out, const ct_value *key, const ct_plan *plan,
                            const ct_device *device, ct_error *err);
/* Gives the plan its key: the device, the default plan, the graph, and the kernels that were tuned.
 */
ct_status ct_plan_key_add(ct_plan *plan, const ct_device *device, ct_error *err);

#endif

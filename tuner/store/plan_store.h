/* plan_store.h: what a tuning's journal is of, and the store into which its plan is put
 * (ct_tune_keep): the best one stays. stored_plan.c finds it again, near_plans.h lists those that
 * are like it. Room: tuner/store. Knows folders and keys. Does not know how plans are made. */
#ifndef CT_TUNER_PLAN_STORE_H
#define CT_TUNER_PLAN_STORE_H
#include "digest.h"
#include "graph.h"

/* Of the pipeline as it is after settings. */
ct_status ct_plan_store_digest(char out[CT_DIGEST_SIZE], const ct_graph *graph, ct_error *err);
/* Of the values in a JSON file, whatever its white space. */
ct_status ct_plan_store_digest_value(char out[CT_DIGEST_SIZE], const ct_value *value,
                                     ct_error *err);
/* Adds ,"stages":{"pow":{"digest":"..","files":"power.json, power.cl"}}: nodes whose stages were
 * made of files; nothing where there are none. */
void ct_plan_store_add_stages(ct_text *json, const ct_graph *graph);

#endif

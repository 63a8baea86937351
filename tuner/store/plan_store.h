/* plan_store.h: plans that were tuned on this machine, found by what they were tuned for.
 * Room: tuner/store. Knows folders and keys. Does not know how plans are made.
 * XDG_DATA_HOME/cornerturn/plans (XDG's default: ~/.local/share): a plan's file each, whose name
 * begins with the first 16 digits of the pipeline's SHA-256. Public calls are in cornerturn.h. */
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

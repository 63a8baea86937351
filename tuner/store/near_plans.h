/* near_plans.h: the stored plans of a graph of stages, whatever their sizes and devices, the
 * nearest one first: those of this device before others, then by the sizes' distance, then by how
 * good they are. For who takes a plan for a run (stored_plan.c), and for a tuning that begins with
 * what is known. Room: tuner/store. Knows the store's folder and what plans say of themselves. Does
 * not know whether a plan fits. */
#ifndef CT_TUNER_NEAR_PLANS_H
#define CT_TUNER_NEAR_PLANS_H
#include "device.h"
#include "graph_key.h"
#include "plan.h"

typedef struct ct_near_plan {
    const char *file; /* its path */
    ct_value *root;   /* what is in it; "key" and "tuned" say of what and how */
    ct_graph_key key; /* its nodes, with the names that they have in it */
    int *other;       /* [key.node]: which node of the graph it is; -1: a sink that is not there */
    ct_graph_key_match match; /* distance, same, and why not the same */
    const char *device_why;   /* a sentence about the first difference of devices; "": this one */
    bool whole;               /* of a search that came to its end, over everything */
    double ratio;             /* to the default plan's time; 1 where it does not say */
} ct_near_plan;

typedef struct ct_near_plans {
    ct_near_plan *plan;
    int count;
    ct_graph_key here;  /* of the graph that was asked for */
    const char *unread; /* a sentence about a file that could not be used; "" none */
    ct_arena *arena;
} ct_near_plans;

/* All that are stored for as many ranks as the graph has; nothing where there is no store. A file
 * that cannot be read is left out, and the first such is in `unread`. */
ct_status ct_near_plans_list(ct_near_plans *out, const ct_graph *graph, const ct_device *device,
                             ct_error *err);
/* Of one file, wherever it is: CT_INVALID where it is of another graph of stages, or does not say.
 */
ct_status ct_near_plans_read(ct_near_plans *out, const ct_graph *graph, const ct_device *device,
                             const char *file, ct_error *err);
/* The plan with the names of the graph's nodes, ready for ct_plan_parse_near. */
ct_status ct_near_plans_text(ct_text *out, const ct_near_plans *plans, const ct_near_plan *plan,
                             const ct_graph *graph, const ct_device *device, ct_error *err);
void ct_near_plans_free(ct_near_plans *plans); /* also of {0} */

/* Whether a search was cut short, or restricted (--only, --memory), as its "tuned" says. */
bool ct_near_plans_is_whole(const ct_value *root);

#endif

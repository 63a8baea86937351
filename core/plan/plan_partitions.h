/* plan_partitions.h: what is asked of a node when the ranks' work is divided.
 * Room: core/plan. Order: plan_partitions.c chooses node by node, plan_merge_partitions.c looks at
 * all of them.
 */
#ifndef CT_CORE_PLAN_SHARES_H
#define CT_CORE_PLAN_SHARES_H
#include "plan_builder.h"

/* Whether ranges of this dimension are worked on by themselves. */
bool ct_plan_partitions_free(const ct_node *node, char dim);
/* How many ranks' work gets done by so many ranks at once. */
double ct_plan_partitions_gain(const ct_node *node, char dim, int ranks);
/* Whether that is at least three quarters of what the best dimension gives. */
bool ct_plan_partitions_good(const ct_node *node, char dim, int ranks);
/* Splits node n along this dimension, over all ranks. */
void ct_plan_partitions_take(ct_plan_builder *b, int n, char dim);

/* What a split along these dimensions gives: the grid's parts where it has just these. */
void ct_plan_partitions_along(const ct_plan_builder *b, int n, const char *dims,
                              ct_partition *partition);
/* Once its share is known: what of its inputs each rank needs. */
void ct_plan_partitions_want(ct_plan_builder *b, int n);

/* plan_sinks.c: which sinks each rank writes a part of, once all other splits are chosen. */
void ct_plan_sinks(ct_plan_builder *b);
/* A sink's step as this rank has it. */
void ct_plan_sinks_cut(ct_step *step, const ct_partition *partition, int rank);

/* Changes splits that the rule has chosen, so that less has to travel. */
void ct_plan_merge_partitions(ct_plan_builder *b);

#endif

/* default_split.h: along what ranks split each node's work where nothing was measured.
 * Room: core/plan. Order: default_split.c chooses node by node, default_split_traffic.c then
 * considers all of them, default_split_sinks.c last who writes files. */
#ifndef CT_CORE_DEFAULT_SPLIT_H
#define CT_CORE_DEFAULT_SPLIT_H
#include "plan_builder.h"

/* Whether ranges of this dimension are worked on by themselves. */
bool ct_split_is_free(const ct_node *node, char dim);
/* How many ranks' work gets done by so many ranks at once. */
double ct_split_gain(const ct_node *node, char dim, int ranks);
/* Whether that is at least three quarters of what the best dimension gives. */
bool ct_split_is_good(const ct_node *node, char dim, int ranks);
/* Splits node n along this dimension, over all ranks. */
void ct_split_take(ct_plan_builder *b, int n, char dim);
/* What a split along these dimensions gives: the grid's ranges where it has just these. */
void ct_split_along(const ct_plan_builder *b, int n, const char *dims, ct_partition *partition);
/* Once its partition is known: what of its inputs each rank needs. */
void ct_split_inputs(ct_plan_builder *b, int n);

/* Changes splits that the rule has chosen, so that fewer bytes are sent. */
void ct_default_split_traffic(ct_plan_builder *b);
/* Which sinks each rank writes a range of, once all other splits are chosen. */
void ct_default_split_sinks(ct_plan_builder *b);

#endif

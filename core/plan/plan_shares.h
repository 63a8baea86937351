/* plan_shares.h: what is asked of a node when the ranks' work is divided.
 * Room: core/plan. Order: plan_shares.c chooses node by node, plan_together.c looks at all of them.
 */
#ifndef CT_CORE_PLAN_SHARES_H
#define CT_CORE_PLAN_SHARES_H
#include "plan_builder.h"

/* Whether ranges of this dimension are worked on by themselves. */
bool ct_plan_shares_free(const ct_node *node, char dim);
/* How many ranks' work gets done by so many ranks at once. */
double ct_plan_shares_gain(const ct_node *node, char dim, int ranks);
/* Whether that is at least three quarters of what the best dimension gives. */
bool ct_plan_shares_good(const ct_node *node, char dim, int ranks);
/* Splits node n along this dimension, over all ranks. */
void ct_plan_shares_take(ct_plan_builder *b, int n, char dim);

/* Changes splits that the rule has chosen, so that less has to travel. */
void ct_plan_together(ct_plan_builder *b);

#endif

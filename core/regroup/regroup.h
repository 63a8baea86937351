/* regroup.h: the step before a node that takes another number of samples along T each time than are
 * brought: it gathers what comes, keeps what is left over, and what the node needs from before.
 * Room: core/regroup. Made by core/plan; core/run says what has come and what was taken. */
#ifndef CT_CORE_REGROUP_H
#define CT_CORE_REGROUP_H
#include "cornerturn_stage.h"

/* X: what is brought each time; Y: a view of an array that has room for history before it, and
 * after it for what waits, in X's layout. */
extern const ct_stage ct_regroup_stage;
bool ct_regroup_is(const ct_step *step);

/* What the engine of a program does next. way: samples that the reader has taken since the last
 * call, which make room; rest: samples that wait then; append: X has come and joins them. */
void ct_regroup_next(void *engine, int64_t way, int64_t rest, bool append);

#endif

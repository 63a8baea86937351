/* space_problem.h: a space as a problem for the solver: a variable for each axis, a table for each
 * node, copies for each array. Room: tuner/space. Knows spaces and problems. Does not know what
 * anything costs: costs are 0 until they are set. */
#ifndef CT_TUNER_SPACE_PROBLEM_H
#define CT_TUNER_SPACE_PROBLEM_H
#include "problem.h"
#include "search_space.h"

typedef struct ct_space_problem ct_space_problem;

ct_status ct_space_problem_new(ct_space_problem **out, const ct_space *space, ct_error *err);
void ct_space_problem_free(ct_space_problem *problem); /* NULL is fine */
/* What a choice of a node costs; a transpose of an array, from one of the edge's layouts to
 * another. INFINITY: it is not possible. */
ct_status ct_space_problem_set_choice(ct_space_problem *problem, int node, int64_t choice,
                                      double cost, ct_error *err);
ct_status ct_space_problem_set_transpose(ct_space_problem *problem, int edge, int from, int to,
                                         double cost, ct_error *err);

/* The cheapest choices, [nodes], and what they cost. CT_INVALID: there are none. */
ct_status ct_space_problem_best(const ct_space_problem *problem, int64_t *choices, double *cost,
                                ct_error *err);
/* All of them in ascending order of cost, one a call; costs stay as they are until the ranking is
 * freed with ct_ranking_free. CT_EOF after the last. */
ct_status ct_space_problem_rank(ct_ranking **out, const ct_space_problem *problem, ct_error *err);
ct_status ct_space_problem_next(const ct_space_problem *problem, ct_ranking *ranking,
                                int64_t *choices, double *cost, ct_error *err);

#endif

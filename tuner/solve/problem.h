/* problem.h: the least of a sum of costs, each of which depends on a few variables: which layouts
 * and tunables a whole graph of steps takes, as numbers.
 * Room: tuner/solve. Knows variables, values and costs. Does not know layouts, steps or seconds.
 *
 * A variable has the values 0 .. n-1. Costs are real numbers, or INFINITY where values cannot go
 * together. Answers are exact: variables are eliminated one after the other (the cheapest first);
 * where a table in between would have more entries than the limit, lower bounds and branching take
 * over. A chain of k pairs of variables with n values each takes about k * n * n additions, an
 * array of r readers and n layouts about n * n * r * 2^r. Answers depend on the problem only: of
 * equally good values the lowest is taken, variable by variable in the order of elimination,
 * backwards. Costs may change between the calls, without building anew. */
#ifndef CT_TUNER_PROBLEM_H
#define CT_TUNER_PROBLEM_H
#include "cornerturn.h"

typedef struct ct_problem ct_problem;

enum { CT_PROBLEM_SCOPE = 16 }; /* most variables of one table, and readers of one array */

ct_status ct_problem_new(ct_problem **out, ct_error *err);
void ct_problem_free(ct_problem *problem);

/* The most entries of a table in between (4 million): fewer need less memory and more branching. */
void ct_problem_limit(ct_problem *problem, size_t entries);

/* A variable with the values 0 .. values-1; its number in *variable. */
ct_status ct_problem_variable(ct_problem *problem, int values, int *variable, ct_error *err);

/* What values together cost: cost[] has an entry for each combination of the `count` different
 * variables' values, the last variable fastest. It is copied. *factor (may be NULL) is its number.
 */
ct_status ct_problem_table(ct_problem *problem, const int *variables, int count, const double *cost,
                           int *factor, ct_error *err);

/* An array in memory. `writer` writes it in the layout layout_of_writer[value], reader r reads
 * layout_of_reader[r][value]; layouts are numbers below `layouts`. Every layout other than the
 * written one that some reader wants costs transpose[written * layouts + wanted] (0 or more; the
 * diagonal is ignored), once for all who want it. `readers`: variables. All is copied. */
typedef struct ct_problem_array {
    int writer;
    const int *layout_of_writer; /* [values of the writer] */
    int readers;
    const int *reader;                  /* [readers] */
    const int *const *layout_of_reader; /* [readers][values of the reader] */
    int layouts;
    const double *transpose; /* [layouts][layouts] */
} ct_problem_array;
ct_status ct_problem_copies(ct_problem *problem, const ct_problem_array *array, int *factor,
                            ct_error *err);

/* Another cost for an entry of a table's cost[], or of an array's transpose[]. */
ct_status ct_problem_set(ct_problem *problem, int factor, size_t entry, double cost, ct_error *err);

/* What one value of each variable costs, added factor by factor; INFINITY where it is not possible.
 */
double ct_problem_cost(const ct_problem *problem, const int *values);

/* values[variables], which cost the least, and that cost (may be NULL). CT_INVALID where no
 * combination is possible. */
ct_status ct_problem_best(const ct_problem *problem, int *values, double *cost, ct_error *err);

/* Every possible combination in ascending order of cost, each once, one a call; CT_EOF (without a
 * sentence) where there are no more. The problem must stay as it is until the ranking is freed.
 * Each call solves the problem about once for each variable. */
typedef struct ct_ranking ct_ranking;
ct_status ct_ranking_new(ct_ranking **out, const ct_problem *problem, ct_error *err);
ct_status ct_ranking_next(ct_ranking *ranking, int *values, double *cost, ct_error *err);
void ct_ranking_free(ct_ranking *ranking);

#endif

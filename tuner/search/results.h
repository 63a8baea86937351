/* results.h: what is known of the costs: every choice and every transpose that was measured, and
 * what is to be expected of the others.
 * Room: tuner/search. Knows numbers. Does not know how they were measured.
 *
 * Seconds of a choice: its median ratio to the node's default, times what the default takes in
 * place (`base`); once it was timed in place itself, that ratio counts. Of a transpose: its ratio
 * to a copy of as many bytes, times that copy's seconds, times `transposes_in_place`: transposes
 * cost more between other steps than by themselves. What is not measured is predicted from what is
 * (predict.h), with default tunables; its lower bound is so many deviations less, less the largest
 * part that better tunables have brought in that node. */
#ifndef CT_TUNER_RESULTS_H
#define CT_TUNER_RESULTS_H
#include "backend.h"
#include "predict.h"

/* What a transpose takes against a copy, before anything is known of it. */
#define CT_RESULTS_TRANSPOSE 1.2

/* Tunables other than the defaults that were measured. */
typedef struct ct_tried {
    const char *tunables;
    double ratio;
    struct ct_tried *next;
} ct_tried;

/* Of one choice of a node, or of one transpose. */
typedef struct ct_result {
    bool known;
    bool tuned; /* a search for better tunables was done here */
    ct_end end;
    int count;            /* pairs so far */
    double ratio;         /* with the best tunables; infinity where there is no right result */
    double plain;         /* with the default ones */
    double in_place;      /* ratio in place, between the plan's other steps; 0 not known */
    double noise;         /* deviation of the first ratio's logarithm */
    const char *tunables; /* the best; NULL: the defaults */
    ct_tried *tried;
} ct_result;

typedef struct ct_node_results {
    ct_result *choice;   /* [node->choices] */
    ct_predict *predict; /* logarithms of ratios to the default */
    double base;         /* seconds of the default in place; 0 not known yet */
    double gain;         /* largest part that tunables took away */
    double least;        /* the least that the default was seen to take by itself; 0 not known */
} ct_node_results;

typedef struct ct_results {
    const ct_space *space;
    ct_node_results *of_node; /* [nodes] */
    ct_result **transpose;    /* [edges][from * layouts + to] */
    ct_predict **predict;     /* [edges]: logarithms of ratios to a copy */
    double copy_rate;         /* bytes of an array per second by a copy; 0 not known yet */
    double transposes_in_place;
    double sure;        /* deviations by which a prediction may be too high */
    double least_ratio; /* of transposes measured: best against the copy */
    int64_t measured;   /* choices and transposes */
    int64_t disturbed;  /* measurements while other processes were busy */
    int64_t answers;
    ct_arena *arena;
} ct_results;

ct_status ct_results_new(ct_results **out, const ct_space *space, ct_error *err);
void ct_results_free(ct_results *results);
ct_result *ct_results_find(const ct_results *results, const ct_question *question);
bool ct_results_same_tunables(const char *tunables, const char *others); /* NULL: the defaults */
bool ct_results_has(const ct_results *results, const ct_question *question);
/* How many times its least a node's default took beside this one; 0: no more than usual. */
double ct_results_drift(ct_results *results, const ct_question *question, const ct_answer *answer);
void ct_results_add(ct_results *results, const ct_question *question, const ct_answer *answer);

/* Seconds that are expected, and their lower bound as far as one can tell. Measured ones are both;
 * infinity: it is not possible. */
double ct_results_choice(const ct_results *results, int node, int64_t choice, double *least);
double ct_results_transpose(const ct_results *results, int edge, int from, int to, double *least);
double ct_results_seconds(const ct_results *results, const ct_question *question);
/* What other results know of the same choice, or transpose: `result`. */
void ct_results_adopt(ct_results *results, const ct_question *question, const ct_result *result);
double ct_results_median(const double *values, int count); /* NAN of none */

#endif

/* tuner.h: one tuning of one way of fusing the pipeline: what its parts share.
 * Room: tuner/search. sweep.c measures layouts of each axis by themselves; refine.c measures what
 * the best plan would be made of until all of it is measured; tunables_search.c looks for better
 * tunables where they matter. tuner.c is how all of them measure: what is known is not asked again,
 * each answer is written down. tuner/pipeline/phases.c has their order. */
#ifndef CT_TUNER_TUNER_H
#define CT_TUNER_TUNER_H
#include "backend.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "cost_model.h"
#include "dedup.h"
#include "results.h"
#include "tuning_journal.h"

enum { CT_TUNER_BATCH = 64, CT_TUNER_PARTS = 2 * CT_TUNER_BATCH };

/* The part of all choices and transposes that is measured for doubts at first. */
#define CT_TUNER_SHARE 0.04

typedef struct ct_tuner {
    const ct_graph *graph;
    const ct_space *space;
    ct_results *results;
    ct_cost_model *model;
    ct_backend *backend;
    ct_tuning_journal *journal; /* NULL: nothing is written down */
    ct_dedup dedup;             /* what need not be measured again */
    const ct_tune *options;
    const char *label; /* what a journal calls this variant's default plan: "default" */
    const char *doing; /* what is measured, for progress */
    double until;      /* on the backend's clock; infinity: no budget */
    double due;        /* of the present phase; infinity: no end */
    double plan_s;     /* what a plan takes to be rehearsed in a process; 0 not known yet */
    double default_s;  /* what the default plan takes whole; 0 not known yet */
    double bound_s;    /* what no plan is expected to be better than */
    int64_t most_bytes, largest_bytes; /* that a plan may take, and its largest array */
    int64_t least_bytes;               /* that a plan was found to take; 0 none yet */
    int64_t left;                      /* questions that are still planned, for progress */
    struct ct_tuner *plain; /* of the pipeline as written: the default that counts is its own */
    int64_t done;           /* of the plain one: what all variants have measured */
    struct ct_tuner *next;  /* the next variant; NULL: none */
    double best;            /* its best plan, as a part of the default; infinity: none yet */
    double all;             /* choices and transposes that there are */
    int side;               /* questions that are measured side by side */
    int64_t swept;          /* choices that the sweep measures */
    double share;           /* of all choices and transposes, after the sweep: so many
                               are measured for doubts */
    bool disturbed;         /* the last measurement was, by other processes */
    bool in_place;          /* some transpose was timed in place */
    bool stopped;           /* somebody wants the end */
    ct_arena *arena;
} ct_tuner;

/* CT_EOF where the time is up (or `share` of it), CT_INTERRUPTED where somebody stops it. */
ct_status ct_tuner_check_time(ct_tuner *tuner, double share, ct_error *err);
/* Asks those of them that are not known yet; all of them where `more`. CT_EOF: there was no time
 * for all of them, as far as the last ct_tuner_check_time has set it. */
ct_status ct_tuner_ask(ct_tuner *tuner, const ct_question *questions, int count, bool more,
                       ct_error *err);
void ct_tuner_progress(ct_tuner *tuner);
double ct_tuner_all(const ct_space *space); /* choices and transposes that plans may have */
/* The default's, with room for its choices in the tuner's arena. */
ct_status ct_tuner_candidate(ct_tuner *tuner, ct_candidate *out, ct_error *err);

/* Layouts of each axis that differ in their fastest dimensions, the others as by default; of nodes
 * where that tells nothing of the rest, all of each axis. */
ct_status ct_sweep_run(ct_tuner *tuner, double share, ct_error *err);
/* All choices and transposes. */
ct_status ct_sweep_all(ct_tuner *tuner, double share, ct_error *err);
/* Measures what the best candidate, as far as one can tell, is made of, until it is all known. */
ct_status ct_refine_run(ct_tuner *tuner, double share, ct_error *err);
/* Questions about all that the candidate uses: its nodes' choices, then its transposes; at most
 * `room`. */
int ct_refine_parts(const ct_tuner *tuner, const ct_candidate *candidate, ct_question *out,
                    int room);
/* Those of them that are not known. */
int ct_refine_unknown(const ct_tuner *tuner, const ct_candidate *candidate, ct_question *out,
                      int room);
/* What the plain default takes whole, for as many samples as this one's block has. */
double ct_tuner_default_s(const ct_tuner *tuner);
/* A plan's seconds, as the sum of its parts, as a part of that: what a block takes beside the steps
 * counts, too. */
double ct_tuner_part(const ct_tuner *tuner, double seconds);
/* The other way round. */
double ct_tuner_seconds(const ct_tuner *tuner, double part);
/* How near the bound has to be; what candidates may differ by in a tie. */
double ct_tuner_within(const ct_tuner *tuner);
/* The best plan of all variants but this one (NULL: of all), as a part of the default. */
double ct_tuner_best(const ct_tuner *tuner, const ct_tuner *but);
/* What no plan is expected to be faster than, as far as is known now. */
ct_status ct_refine_bound(ct_tuner *tuner, ct_error *err);
/* Whether the bound doubts predictions as far as they ever are. */
bool ct_refine_is_doubted(const ct_tuner *tuner);
/* Whether so much was measured that predictions are believed from now on. */
bool ct_refine_is_enough(const ct_tuner *tuner);
/* All choices that differ from the best plans' in one layout, whatever is predicted of them. */
ct_status ct_vary_run(ct_tuner *tuner, double share, ct_error *err);
/* Further pairs for what the nearly best candidates are made of. */
ct_status ct_refine_again(ct_tuner *tuner, double share, ct_error *err);
/* Better tunables for the choices and transposes of the best candidate. */
ct_status ct_tunables_search_run(ct_tuner *tuner, double share, ct_error *err);

#endif

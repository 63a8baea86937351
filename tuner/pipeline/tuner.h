/* tuner.h: one tuning: what its parts share.
 * Room: tuner/pipeline. Order: tune.c opens everything; sweep.c looks along each layout by itself;
 * refine.c measures what the best plan would be made of until it is all measured; values.c looks
 * for better tunables where it matters; confirm.c times whole plans; tune.c makes the plan. tuner.c
 * is how all of them measure: what is known is not asked again, what is told is written down. */
#ifndef CT_TUNER_TUNER_H
#define CT_TUNER_TUNER_H
#include "book.h"
#include "meter.h"
#include "model.h"
#include "record.h"
#include "same.h"

enum { CT_TUNER_BATCH = 64, CT_TUNER_PICKS = 4 };

typedef struct ct_tuner {
    const ct_graph *graph;
    const ct_space *space;
    ct_book *book;
    ct_model *model;
    ct_meter *meter;
    ct_record *record; /* NULL: nothing is written down */
    ct_same same;      /* what need not be measured again */
    const ct_tune *options;
    const char *label; /* what a journal calls this variant's default plan: "default" */
    const char *doing; /* what is measured, for progress */
    double until;      /* on the meter's clock; infinity: no budget */
    double due;        /* of what is looked at now; infinity: no end */
    double plan_s;     /* what a plan takes to be rehearsed in a process; 0 not known yet */
    double usual_s;    /* what the default plan takes whole; 0 not known yet */
    double bound_s;    /* what no plan is expected to be better than */
    double best_s;     /* what the best plan so far is predicted to take */
    int64_t most_bytes, largest_bytes; /* that a plan may take, and its largest array */
    int64_t least_bytes;               /* that a plan was found to take; 0 none yet */
    int64_t left;                      /* questions that are still planned, for progress */
    double all;                        /* cells and transposes that there are */
    int side;                          /* questions that are measured side by side */
    int64_t swept;                     /* cells that were looked at first */
    bool disturbed;                    /* the last measurement was, by other processes */
    bool placed;                       /* some transpose was timed in place */
    bool stopped;                      /* somebody wants the end */
    ct_arena *arena;
} ct_tuner;

/* CT_EOF where the time is up (or `share` of it), CT_INTERRUPTED where somebody stops it. */
ct_status ct_tuner_heed(ct_tuner *tuner, double share, ct_error *err);
/* Asks those of them that are not known yet; all of them where `more`. CT_EOF: there was no time
 * for all of them, as far as the last heed said. */
ct_status ct_tuner_ask(ct_tuner *tuner, const ct_question *questions, int count, bool more,
                       ct_error *err);
void ct_tuner_say(ct_tuner *tuner);
double ct_tuner_all(const ct_space *space); /* cells and transposes that plans may have */
/* A pick with room for its cells, in the tuner's arena: the default's. */
ct_status ct_tuner_pick(const ct_tuner *tuner, ct_pick *out, ct_error *err);

/* Layouts of each axis that differ in their fastest dimensions, the others as by default; of sites
 * where that tells nothing of the rest, all of each axis. */
ct_status ct_sweep_run(ct_tuner *tuner, double share, ct_error *err);
/* All of the cells and transposes. */
ct_status ct_sweep_all(ct_tuner *tuner, double share, ct_error *err);
/* Measures what the cheapest pick as far as one can tell is made of, until it is all known. */
ct_status ct_refine_run(ct_tuner *tuner, double share, ct_error *err);
/* Questions about all that the pick uses: its sites' cells, then its transposes; at most `room`. */
int ct_refine_parts(const ct_tuner *tuner, const ct_pick *pick, ct_question *out, int room);
/* Those of them that are not known. */
int ct_refine_unknown(const ct_tuner *tuner, const ct_pick *pick, ct_question *out, int room);
/* What no plan is expected to be faster than, as far as is known now. */
ct_status ct_refine_bound(ct_tuner *tuner, ct_error *err);
/* Whether so much was measured that predictions are believed from now on. */
bool ct_refine_is_enough(const ct_tuner *tuner);
/* Further pairs for what the nearly best picks are made of. */
ct_status ct_refine_again(ct_tuner *tuner, double share, ct_error *err);
/* Better tunables for the cells and transposes of the best pick. */
ct_status ct_values_run(ct_tuner *tuner, double share, ct_error *err);

#endif

/* book.h: what is known of the costs: every cell and every transpose that was measured, and what
 * is to be expected of the others.
 * Room: tuner/pipeline. Knows numbers. Does not know how they were measured.
 *
 * Seconds of a cell: its median ratio to the site's default, times what the default takes in place
 * (base); once it was timed in place itself, that ratio counts. Of a transpose: its ratio to a copy
 * of as many bytes, times that copy's seconds, times `in_place`: transposes cost more between other
 * steps than by themselves. What is not measured is predicted from what is (predict.h), with
 * default tunables; at the least it takes so many deviations less, less the largest part that
 * better tunables have brought in that site. */
#ifndef CT_TUNER_BOOK_H
#define CT_TUNER_BOOK_H
#include "meter.h"
#include "predict.h"

/* Tunables other than the defaults that were measured. */
typedef struct ct_tried {
    const char *tunables;
    double ratio;
    struct ct_tried *next;
} ct_tried;

typedef struct ct_entry {
    bool known;
    bool tuned; /* a search for better tunables was done here */
    ct_end end;
    int count;            /* pairs so far */
    double ratio;         /* with the best tunables; infinity where there is no right result */
    double plain;         /* with the default ones */
    double placed;        /* ratio in place, between the plan's other steps; 0 not known */
    double noise;         /* deviation of the first ratio's logarithm */
    const char *tunables; /* the best; NULL: the defaults */
    ct_tried *tried;
} ct_entry;

typedef struct ct_shelf {
    ct_entry *cell;      /* [site->cells] */
    ct_predict *predict; /* logarithms of ratios to the default */
    double base;         /* seconds of the default in place; 0 not known yet */
    double gain;         /* largest part that tunables took away */
    double least;        /* the least that the default was seen to take by itself; 0 not known */
} ct_shelf;

typedef struct ct_book {
    const ct_space *space;
    ct_shelf *shelf;      /* [sites] */
    ct_entry **transpose; /* [spots][from * layouts + to] */
    ct_predict **predict; /* [spots]: logarithms of ratios to a copy */
    double copy_rate;     /* bytes of an array per second by a copy; 0 not known yet */
    double in_place;
    double sure;        /* deviations by which a prediction may be too high */
    double least_ratio; /* of transposes measured: best against the copy */
    int64_t measured;   /* cells and transposes */
    int64_t disturbed;  /* measurements beside other load */
    int64_t answers;
    ct_arena *arena;
} ct_book;

ct_status ct_book_new(ct_book **out, const ct_space *space, ct_error *err);
void ct_book_free(ct_book *book);
ct_entry *ct_book_entry(const ct_book *book, const ct_question *question);
bool ct_book_is_same(const char *tunables, const char *others); /* NULL: the defaults */
bool ct_book_has(const ct_book *book, const ct_question *question);
/* How many times longer a site's default took beside this one than it can; 0: as always. */
double ct_book_drift(ct_book *book, const ct_question *question, const ct_answer *answer);
/* Takes an answer in. */
void ct_book_enter(ct_book *book, const ct_question *question, const ct_answer *answer);

/* Seconds that are expected, and the least that are possible as far as one can tell. Measured ones
 * are both; infinity: cannot be. */
double ct_book_cell(const ct_book *book, int site, int64_t cell, double *least);
double ct_book_transpose(const ct_book *book, int spot, int from, int to, double *least);
/* What another book knows of the same cell, or transpose, `entry`. */
void ct_book_adopt(ct_book *book, const ct_question *question, const ct_entry *entry);

#endif

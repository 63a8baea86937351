/* delay.h: what the delay's files share.
 * Room: stages/delay. Knows only cornerturn_stage.h. Order: ct_delay_read in infer(), then
 * lines between knots in table() and in the reference. */
#ifndef CT_DELAY_H
#define CT_DELAY_H
#include "cornerturn_stage.h"

extern const ct_stage ct_stage_delay; /* its line is in stages/stages.c */

enum { CT_DELAY_X, CT_DELAY_D, CT_DELAY_N, CT_DELAY_G, CT_DELAY_Y }; /* places in .ports */

/* Where delays come from: a direction on the sky, or rows of a table. Lives as the step (its
 * state). Either way they are known at knots, step_s apart from the observation's start on, and
 * straight lines lie between these: what a sample gets depends on its own number only. */
typedef struct ct_delay {
    double step_s;               /* from knot to knot */
    const double (*position)[3]; /* of stations: east, north, up; NULL: there is a table */
    double radec[1][2];          /* ICRS, degrees */
    const double *row;           /* [stations][pols][rows], s */
    int64_t rows, pols;          /* 1 where all polarizations have one delay */
    ct_array gains;              /* type CT_NONE: none */
} ct_delay;

ct_status ct_delay_read(ct_step *step, ct_delay **out, ct_error *err);
ct_status ct_delay_gains(ct_step *step, ct_delay *delay, ct_error *err);
/* The table's part of ct_delay_read. */
ct_status ct_delay_table(ct_step *step, ct_delay *delay, ct_error *err);
/* Knots that a block of so many samples reaches, the last one's line included. */
int64_t ct_delay_knots(const ct_step *step, int64_t samples);

/* The number of the stream's sample with which a table's block begins. */
int64_t ct_delay_first(const ct_step *step, const ct_meta *block);
/* The knot from which the line of a sample of the stream goes out. */
int64_t ct_delay_knot_of(const ct_step *step, int64_t sample);

/* A knot with what is the same there for all stations. */
typedef struct ct_delay_end {
    int64_t number;
    double toward[1][3]; /* unit vector east, north, up; unused where there is a table */
} ct_delay_end;
ct_status ct_delay_knot(const ct_step *step, int64_t number, ct_delay_end *out, ct_error *err);

/* From the stream's sample `first` on, the delay is at_s + (sample - first) rate_s. */
typedef struct ct_delay_line {
    int64_t first;
    double at_s, rate_s;
} ct_delay_line;
/* Between two knots, of the n-th station and polarization. */
ct_delay_line ct_delay_line_of(const ct_step *step, const ct_delay_end *from,
                               const ct_delay_end *to, int64_t n);

ct_status ct_delay_reference(const ct_step *step, ct_array ports[], ct_error *err);
void ct_delay_suggest(ct_step *step);
int ct_delay_launch(const ct_step *step, ct_launch *out);

#endif

/* delay.h: what the delay's files share.
 * Room: stages/delay. Knows only cornerturn_stage.h. Order: ct_delay_read in infer(), then
 * lines between knots in table() and in the reference. */
#ifndef CT_DELAY_H
#define CT_DELAY_H
#include "cornerturn_stage.h"
#include "gains.h"

extern const ct_stage ct_stage_delay, ct_stage_shift; /* their lines are in stages/stages.c */

/* Where delays come from, of both. */
/* clang-format off */
#define CT_DELAY_PARAMS \
    {"radec", CT_PARAM_ANY, NULL, NULL, 0, 0, \
     "[right ascension, declination], ICRS, degrees; default: the observation's"}, \
    {"delays", CT_PARAM_ANY, NULL, NULL, 0, 0, \
     "arrival delays in seconds instead: a .npy of shape [stations, rows] or [stations, " \
     "polarizations, rows], or lists of these; one row holds for ever; 0: none, for gains only"}, \
    {"step_s", CT_PARAM_REAL, "1", NULL, 1e-9, 1e9, \
     "from one row of delays to the next; the first is at the observation's start"}
/* clang-format on */

enum {
    CT_DELAY_X,
    CT_DELAY_D,
    CT_DELAY_N,
    CT_DELAY_G,
    CT_DELAY_J,
    CT_DELAY_Y,
    CT_DELAY_F
}; /* places in .ports */

/* Where delays come from: a direction on the sky, or rows of a table. Lives as the step (its
 * state). Either way they are known at knots, step_s apart from the observation's start on, and
 * straight lines lie between these: what a sample gets depends on its own number only. */
typedef struct ct_delay {
    double step_s;                  /* from knot to knot */
    const double (*position)[3];    /* of stations: east, north, up; NULL: there is a table */
    double radec[1][2];             /* ICRS, degrees */
    const double *row;              /* [stations][pols][rows], s */
    int64_t rows, pols;             /* 1 where all polarizations have one delay */
    int64_t most;                   /* whole samples by which `shift` shifts, to either side */
    const struct ct_shifts *shifts; /* `delay` after `shift`: what is done already; or NULL */
    const ct_gains *gains;          /* NULL: none */
} ct_delay;

/* What `shift` tells the `delay` after it, in its output's metadata. Frequencies are those of the
 * bands whose samples were shifted, each of which has become an equal share of the channels. */
typedef struct ct_shifts {
    const ct_delay *delay;
    double sample_time_s;
    const double *frequency_hz;
    int64_t frequencies;
} ct_shifts;

ct_status ct_delay_read(ct_step *step, ct_delay **out, ct_error *err);
/* What `delay` needs beyond that: the frequency of each channel. */
ct_status ct_delay_check_channels(const ct_step *step, ct_error *err);
/* After a table's last row nothing is known: only a stream of unknown length comes there. Asked of
 * the sample with which a block begins. */
ct_status ct_delay_check_sample(const ct_step *step, int64_t sample, ct_error *err);
/* Knots that a block of so many samples reaches, the last one's line included. */
int64_t ct_delay_knots(const ct_step *step, int64_t samples);

/* The number of the stream's sample with which a table's block begins. */
int64_t ct_delay_first(const ct_step *step, const ct_meta *block);
/* The knot from which the line of a sample of the stream goes out. */
int64_t ct_delay_knot_of(const ct_step *step, int64_t sample);

/* The first sample at knot k, or after it. */
int64_t ct_delay_sample_at(const ct_step *step, int64_t k);

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

/* Whole samples of `dt` s by which a line's middle is late. */
int64_t ct_delay_whole(const ct_delay *delay, const ct_delay_end *from, const ct_delay_end *to,
                       int64_t n, double dt);
/* Cycles of channel c at a delay of at_s, of which so many whole samples are done. */
double ct_delay_cycles(const ct_step *step, int64_t c, double at_s, int64_t whole);

/* Lines of a block, where delays and gains both are straight: from `first` on, a sample of the
 * stream. */
typedef struct ct_delay_walk {
    ct_delay_end from, to; /* knots of the delay */
    int64_t gain;          /* line of the gains */
    int64_t first, begin;  /* begin: of the block */
} ct_delay_walk;
/* How many of them a block of so many samples has, at most. */
int64_t ct_delay_lines(const ct_step *step, int64_t samples);
/* The one of a sample of the stream; and the next one. */
ct_status ct_delay_walk_begin(const ct_step *step, int64_t sample, ct_delay_walk *out,
                              ct_error *err);
ct_status ct_delay_walk_next(const ct_step *step, ct_delay_walk *walk, ct_error *err);
/* Fills a table of the block that begins with its metadata's instant. */
ct_status ct_delay_table(const ct_step *step, const char *port, ct_array *fill, ct_error *err);

ct_status ct_delay_reference(const ct_step *step, ct_array ports[], ct_error *err);
void ct_delay_suggest(ct_step *step);
int ct_delay_launch(const ct_step *step, ct_launch *out);

#endif

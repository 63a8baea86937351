/* gains.h: what a calibration has found for stations, and what samples are multiplied by because of
 * it: numbers that run straight between instants which are the same in every block.
 * Room: stages/delay. Knows only cornerturn_stage.h. Order: ct_gains_read in infer(), then lines in
 * table() and in the reference. */
#ifndef CT_GAINS_H
#define CT_GAINS_H
#include <stdatomic.h>

#include "cornerturn_stage.h"

#define CT_GAINS_LARGEST 1e37 /* which a float holds */
enum {
    CT_GAINS_X = 0,
    CT_GAINS_STEPS = 8 /* lines between two solutions */,
    CT_GAINS_PARTS = 2,
    CT_GAINS_FILES = 3,
    CT_GAINS_JONES = 4 /* XX, XY, YX, YY */
};

/* Which two solutions along one axis are looked at, and how much the farther one counts. */
typedef struct ct_gain_place {
    int64_t near, far;
    double weight; /* 0 to 1/2 */
} ct_gain_place;

/* One table of solutions: amplitudes, or phases in radians. */
typedef struct ct_gain_part {
    bool phase, linear;         /* linear: in time */
    const double *value;        /* NaN: flagged */
    int64_t times, freqs, pols; /* extents */
    int64_t along_s, along_p, along_t, along_c;
    const double *time_s;         /* after the observation's start; NULL: one for ever */
    const double *hz;             /* of channels; NULL: the stream has the same */
    const int64_t *station;       /* where each station is in the table */
    int64_t pol[CT_GAINS_JONES];  /* where each polarization, or product, is */
    const ct_gain_place *channel; /* for each channel */
} ct_gain_part;

/* All of one line, which blocks after each other need again. */
typedef struct ct_gain_cache {
    atomic_flag taken;
    int64_t line; /* -1: none */
    struct ct_gain *gain;
} ct_gain_cache;

typedef struct ct_gains {
    int parts;
    ct_gain_part part[CT_GAINS_PARTS];
    bool jones; /* a matrix for each station and channel, else a factor for each polarization */
    bool invert, conjugate; /* of what the tables say */
    bool slopes;            /* lines are not level */
    bool flagged, apart;    /* something is, and not always all channels */
    int64_t elements;       /* per station and channel: polarizations, or 4 */
    int64_t stations, channels;
    int64_t knots;        /* line n + 1 begins at knot n, line 0 in the past */
    const double *knot_s; /* after the observation's start */
    const double *end_s;  /* where each line ends, but the last */
    const int64_t *first; /* the first sample at each knot, or after it; ascending */
    ct_gain_cache *cache;
    int files;
    const char *file[CT_GAINS_FILES]; /* which it was read from */
    ct_meta of;                       /* the stream that it was made for */
} ct_gains;

/* What "gains" says; NULL where it says nothing. `before`: what came of it when it was last read.
 */
ct_status ct_gains_read(ct_step *step, const ct_gains *before, const ct_gains **out, ct_error *err);
/* Amplitudes and phases from tables of a pipeline or of .npy files, and of H5parm. */
ct_status ct_gains_arrays(ct_step *step, const ct_value *given, ct_gains *gains, ct_error *err);
ct_status ct_gains_h5parm(ct_step *step, const ct_value *given, ct_gains *gains, ct_error *err);
/* The path of a file that is named in "gains". */
const char *ct_gains_file(ct_step *step, ct_gains *gains, const ct_value *name);
/* A member of "gains" has none of the values that it may have. */
ct_status ct_gains_fail(const ct_step *step, const char *key, ct_error *err, const char *format,
                        ...) CT_PRINTF(4, 5);
/* Of the stream's channels, in a table with these; NULL: there is no memory. */
const ct_gain_place *ct_gains_channels(ct_step *step, const double *hz, int64_t count, bool linear);

/* Once the parts are there: when lines begin, and what is flagged. */
ct_status ct_gains_plan(ct_step *step, ct_gains *gains, ct_error *err);
bool ct_gains_have(const ct_gains *gains, bool phase);

/* ---- lines */

/* Lines that begin within so many samples, at most. */
int64_t ct_gains_most(const ct_gains *gains, int64_t samples);
/* The line of a sample of the stream. */
int64_t ct_gains_line_at(const ct_gains *gains, int64_t sample);

/* From amplitudes and phases of a matrix to the real and imaginary parts by which samples are
 * multiplied; false where these are not known. */
bool ct_gains_matrix(const ct_gains *gains, double amplitude[], double phase[]);

/* Of one element at an instant: amplitude and phase (cycles), of a matrix real and imaginary part,
 * and by how much they change in a second. All 0 where the solution is flagged. */
typedef struct ct_gain {
    double a, b, a_rate, b_rate;
} ct_gain;
/* All elements of one line, [stations][channels][elements], as they are where the line begins; in
 * memory of the gains', which ct_gains_done gives back. NULL: another thread has it; then one by
 * one. */
const ct_gain *ct_gains_line(const ct_gains *gains, int64_t line);
void ct_gains_done(const ct_gains *gains, const ct_gain *line);
/* Of one station and channel. */
void ct_gains_make(const ct_gains *gains, int64_t line, int64_t station, int64_t channel,
                   ct_gain out[]);
/* Seconds of a line that have gone by at an instant after the observation's start. */
double ct_gains_since(const ct_gains *gains, int64_t line, double seconds);

#endif

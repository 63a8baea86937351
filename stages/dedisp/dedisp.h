/* dedisp.h: the trials of a dedispersion, shared by the files of this folder.
 * Room: stages/dedisp. Knows DM ranges and shifts. Does not know other stages or core. */
#ifndef CT_STAGES_DEDISP_H
#define CT_STAGES_DEDISP_H
#include "cornerturn_stage.h"

extern const ct_stage ct_stage_dedisp; /* its line is in stages/stages.c */

#define DEDISP_MASKED (-1) /* in place of a shift: the channel is left out */

/* Trials start, start + step, ... of one downsampling factor. */
typedef struct dedisp_range {
    double start, step;
    int64_t count, downsample;
    int64_t first;   /* index of the range's first trial among all trials */
    int64_t level;   /* where its downsampled samples start in the scratch */
    int64_t longest; /* shift, in the range's own samples */
} dedisp_range;

/* How shifts become samples: what is added before the fraction is dropped. */
#define DEDISP_ROUNDINGS(ROW) ROW(nearest, 0.5) ROW(truncate, 0.0)

/* Two-step dedispersion: channels of a subband keep the shifts between them, on the average of a
 * run of trials; made by ct_subbands_make. Runs are of one range, the same in all subbands. */
typedef struct dedisp_subbands {
    int64_t count;   /* 0: none, and nothing of what follows */
    int64_t allowed; /* smear: samples that a shift may be off */
    int64_t smear;   /* that one is */
    int64_t runs;
    int64_t *first;     /* trial of each run; after the last run, the number of trials */
    int32_t *run;       /* of each trial */
    int32_t *reference; /* of each channel: its subband's channel in the middle */
    int32_t *inside;    /* of each run and channel: shift from the reference's on */
} dedisp_subbands;

enum { DEDISP_PANEL = 64 }; /* most trials whose sums are shared */

/* What sharing sums takes, all of it linear in the samples of a tile. */
typedef struct dedisp_sums {
    int64_t words;             /* of the table SUMS; 0: too many, there is none */
    int64_t limit, panel;      /* trials of a panel: allowed, and of the largest one */
    int64_t tiles;             /* of channels */
    int64_t rows, rows_beyond; /* at most, of a tile of channels: rows, and elements beyond a tile's
                                  samples */
    double samples, beyond;    /* additions: for each sample of a tile, and besides these */
    double brute;              /* additions for each sample without sharing */
} dedisp_sums;

/* Of tiles of so many trials; 0: not looked at yet. */
typedef struct dedisp_sweep {
    int64_t trials;
    int64_t spread; /* samples at most between the shifts of a tile's first and last trial */
    int64_t slack;  /* and by how much others may lie outside of these */
} dedisp_sweep;

enum { DEDISP_SWEEPS = 4 }; /* products of CELLS_D > 1 and CELL_D */

/* Made by infer(), read by everything else; never changes afterwards but for the note and for
 * sweeps that are looked at when they are asked for. */
typedef struct dedisp_trials {
    dedisp_range *range;
    int64_t ranges, count;
    int64_t finest;   /* greatest common divisor of the downsampling factors: the output's step */
    int64_t coarsest; /* least common multiple: where blocks may begin */
    int64_t longest;  /* samples of the longest sweep, a multiple of `coarsest` */
    double constant, sample_time_s, reference_hz;
    double rounding; /* added to a shift before its fraction is dropped */
    const double *frequency_hz;
    bool *masked;
    int64_t channels, used;
    dedisp_subbands subbands;
    dedisp_sums sums;
    dedisp_sweep sweep[DEDISP_SWEEPS];
    char note[128]; /* for explain */
} dedisp_trials;

ct_status ct_trials_make(ct_step *step, ct_error *err); /* fills step->state */
const dedisp_range *ct_trials_range(const dedisp_trials *trials, int64_t trial);
double ct_trials_dm(const dedisp_trials *trials, int64_t trial);
/* In samples of the trial's own, downsampled rate; DEDISP_MASKED for a masked channel. With
 * subbands, the one that is used. */
int64_t ct_trials_shift(const dedisp_trials *trials, int64_t trial, int64_t channel);
/* By the law, masked or not. */
int64_t ct_trials_exact(const dedisp_trials *trials, int64_t trial, int64_t channel);

/* Subbands and their runs, from "subbands" and "smear"; counts what sharing takes. Nothing where
 * neither is given. */
ct_status ct_subbands_make(ct_step *step, dedisp_trials *trials, ct_error *err);
int64_t ct_subbands_shift(const dedisp_trials *trials, int64_t trial, int64_t channel);
/* After the trials of a trial's run; after the channels of a subband's part, of `most` at most,
 * that begins at channel c. */
int64_t ct_subbands_run_end(const dedisp_trials *trials, int64_t trial);
int64_t ct_subbands_part_end(const dedisp_trials *trials, int64_t c, int64_t most);

/* Ports. R holds the input with time contiguous, Z the downsampled input, one level for each
 * factor; their B counts series (beams or stations, and Stokes parameters, together), their T is
 * time, in Z in each level's own samples. */
enum { PORT_X, PORT_Y, PORT_SHIFT, PORT_Z, PORT_R, PORT_SUMS, PORT_M, PORT_COUNTS };

/* Sums that trials have in common. A part of brute force's additions, with tiles of so many
 * samples; elements of a work-item's rows. */
dedisp_sums ct_dedisp_share_count(const dedisp_trials *trials);
void ct_dedisp_share_table(const dedisp_trials *trials, ct_array *table);
double ct_dedisp_share_of(const dedisp_sums *sums, int64_t tile);
double ct_dedisp_share_usual(const dedisp_sums *sums); /* with tiles of half a megabyte */
int64_t ct_dedisp_share_size(const dedisp_sums *sums, int64_t tile);
int64_t ct_dedisp_share_tile(const ct_step *step); /* samples; 0: no tile is small enough */
bool ct_dedisp_share_pays(const ct_step *step);
int64_t ct_dedisp_share_panels(const dedisp_trials *trials, const dedisp_range *range);
int64_t ct_dedisp_sum_bytes(const ct_step *step); /* of TILE_C channels: NARROW's */
void ct_dedisp_share_emit(const ct_step *step, ct_text *text);

/* Work-groups that make a tile together, by way of local memory: of so many samples. */
bool ct_dedisp_in_groups(const ct_step *step);
int64_t ct_dedisp_packed(const ct_step *step); /* samples of a word */
int64_t ct_dedisp_tile_samples(const ct_step *step);
bool ct_dedisp_tile_fits(const ct_step *step);
bool ct_dedisp_tile_pays(const ct_step *step);
void ct_dedisp_tile_emit(const ct_step *step, ct_text *text);

/* Without sharing: trials that a work-item makes, or a group in such a tile. */
int64_t ct_dedisp_panel_trials(const ct_step *step);
/* Samples of a block at the range's rate, and tiles of trials in the range. */
int64_t ct_dedisp_samples(const ct_step *step, const dedisp_range *range);
int64_t ct_dedisp_tiles(const ct_step *step, const dedisp_range *range);
int64_t ct_dedisp_sum_samples(const ct_step *step); /* that a work-item downsamples to */
/* The launch that makes time contiguous. */
void ct_dedisp_transpose_launch(const ct_step *step, ct_launch *out);
/* Series, which are dedispersed alike: one for each beam or station and Stokes parameter. */
int64_t ct_dedisp_series(const ct_array *x);
int64_t ct_dedisp_shortest(const ct_step *step);      /* samples of the range that has the fewest */
int64_t ct_dedisp_group_samples(const ct_step *step); /* of a group's work */
void ct_dedisp_suggest(ct_step *step);
bool ct_dedisp_legal(const ct_step *step);
int ct_dedisp_launch(const ct_step *step, ct_launch *out);
/* The definitions before dedisp.cl. */
ct_status ct_dedisp_emit(const ct_step *step, ct_text *text, ct_error *err);
ct_status ct_dedisp_reference(const ct_step *step, ct_array ports[], ct_error *err);

#endif

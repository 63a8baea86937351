/* pulses.h: the parts that a search for pulses cuts series into, shared by the files of this
 * folder. Room: stages/pulses. Knows spacings of trials. Does not know other stages or core. */
#ifndef CT_STAGES_PULSES_H
#define CT_STAGES_PULSES_H
#include "cornerturn_stage.h"

extern const ct_stage ct_stage_pulses; /* its line is in stages/stages.c */

enum {
    PULSES_UNIT = 64,      /* a series' own samples that have one mean and one variance */
    PULSES_WINDOW = 16,    /* parts of a group, which has one noise */
    PULSES_GROUPS = 4,     /* that a variance is taken from: the group and those before it */
    PULSES_NEIGHBOURS = 7, /* trials on either side whose variances count */
    PULSES_NUMBERS = 7     /* of a bin: CT_PULSES_SNR and so on */
};
/* By this factor a trial's variance and that of its neighbours may differ; else it has its own. */
#define PULSES_UNLIKE (4.0 / 3.0)

/* Places in .ports. */
enum { PORT_X, PORT_M, PORT_Y, PORT_RATIO, PORT_Z, PORT_G };

/* Made by infer(), read by everything else. Lengths are samples along T, those of the finest
 * series; `halo` is a series' own. */
typedef struct pulses_cut {
    int64_t bin;    /* one output */
    int64_t part;   /* has one mean and variance; a multiple of the bin and of 64 samples of each
                       series */
    int64_t halo;   /* own samples before a bin that its boxcars reach: the widest less 1 */
    int64_t coarse; /* least common multiple of the ratios */
    int64_t finest; /* of the downsampling factors, common to all */
} pulses_cut;

/* A series' spacing, in samples along T. */
int64_t ct_pulses_ratio(const ct_step *step, int64_t trial);
/* Series that are searched alike: beams or stations, and Stokes parameters. */
int64_t ct_pulses_planes(const ct_array *x);
/* What a variance of samples within `clip` rms is multiplied with. */
double ct_pulses_gain(double clip);

/* Work-groups that share the search, in pulses_group.c. */
bool ct_pulses_in_groups(const ct_step *step);
bool ct_pulses_legal(const ct_step *step);
void ct_pulses_suggest(ct_step *step);
void ct_pulses_group_emit(const ct_step *step, ct_text *text);
int ct_pulses_group_launch(const ct_step *step, ct_launch *out);

int ct_pulses_launch(const ct_step *step, ct_launch *out);
ct_status ct_pulses_emit(const ct_step *step, ct_text *text, ct_error *err);
ct_status ct_pulses_reference(const ct_step *step, ct_array ports[], ct_error *err);

#endif

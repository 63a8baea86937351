/* zerodm.h: what the files of `zerodm` share.
 * Room: stages/zerodm. Knows only cornerturn_stage.h. */
#ifndef CT_ZERODM_H
#define CT_ZERODM_H
#include "cornerturn_stage.h"

extern const ct_stage ct_stage_zerodm; /* its line is in stages/stages.c */

enum { CT_ZERODM_X, CT_ZERODM_M, CT_ZERODM_Z, CT_ZERODM_Y }; /* places in .ports */

/* A fit's windows are a multiple of the first, and have as many parts as the second, at most. A
 * part that is the third, in units of what it is known to, from the median of all is left out.
 * Channels are as many groups as the fourth, at most, each of a multiple of the last. */
enum {
    CT_ZERODM_WINDOW = 64,
    CT_ZERODM_PARTS = 16,
    CT_ZERODM_FAR = 3,
    CT_ZERODM_GROUPS = 16,
    CT_ZERODM_GROUP = 16
};

bool ct_zerodm_fits(const ct_step *step); /* "mode": "fit" */
int64_t ct_zerodm_series(const ct_array *x);
int64_t ct_zerodm_part(int64_t window);    /* samples of a part of a window */
int64_t ct_zerodm_group(int64_t channels); /* channels of a group */
ct_status ct_zerodm_reference(const ct_step *step, ct_array ports[], ct_error *err);
void ct_zerodm_suggest(ct_step *step);
ct_status ct_zerodm_emit(const ct_step *step, ct_text *text, ct_error *err);
int ct_zerodm_launch(const ct_step *step, ct_launch *out);

#endif

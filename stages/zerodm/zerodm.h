/* zerodm.h: what the files of `zerodm` share.
 * Room: stages/zerodm. Knows only cornerturn_stage.h. */
#ifndef CT_ZERODM_H
#define CT_ZERODM_H
#include "cornerturn_stage.h"

extern const ct_stage ct_stage_zerodm; /* its line is in stages/stages.c */

enum { CT_ZERODM_X, CT_ZERODM_M, CT_ZERODM_Z, CT_ZERODM_Y }; /* places in .ports */

/* Of a fit. */
enum {
    CT_ZERODM_WINDOW = 64, /* windows, and their parts, are a multiple of this */
    CT_ZERODM_PARTS = 16,  /* of a window, at most */
    CT_ZERODM_FAR = 3,     /* from the median, in units of what a part is known to: left out */
    CT_ZERODM_GROUP = 16,  /* groups of channels are a multiple of this */
    CT_ZERODM_GROUPS = 16  /* of channels, at most */
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

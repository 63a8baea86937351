/* stokes.h: the Stokes parameters of two linear polarizations X and Y, for the stages that detect.
 * Room: stages/shared. Knows the definition. Does not know ports or kernels.
 *
 * I = |X|^2 + |Y|^2, Q = |X|^2 - |Y|^2, U = 2 Re(X Y*), V = 2 Im(X Y*). */
#ifndef CT_STAGES_STOKES_H
#define CT_STAGES_STOKES_H
#include "cornerturn_stage.h"

/* What the parameter "stokes" may be, and how many of the four that is; the kernels see the place
 * as P_STOKES_IS_word. */
#define CT_STOKES(ROW) ROW(I, 1) ROW(IQUV, 4)

/* Of the parameter "stokes". */
int64_t ct_stokes_count(const ct_step *step);
/* The four are of linear receptors: CT_INVALID where x says that its are circular. */
ct_status ct_stokes_check_feed(const ct_step *step, const ct_array *x, ct_error *err);
/* What detection of x gives; NULL where there is no memory. */
const ct_products *ct_stokes_products(ct_step *step, const ct_array *x);
/* Adds those of one sample; y is 0 where there is one polarization. */
void ct_stokes_add(double stokes[4], ct_complex x, ct_complex y);
/* How many samples went into each of Y: of all Stokes parameters, channel by channel where flags
 * are of channels. u32. */
void ct_stokes_infer_counts(ct_array *counts, const ct_array *y, const ct_array *flags);
/* Defines STOKES_I and _Q of the powers of X and Y, _U and _V of a part of X Y*. */
void ct_stokes_emit(ct_text *text);

#endif

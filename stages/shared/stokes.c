/* stokes.c: the Stokes parameters in double precision, for references, and their kernel text.
 * Room: stages/shared. Knows the definition. Does not know ports. */
#include "stokes.h"

#include "stokes_cl.h"

static const struct {
    const char *name;
    int64_t count;
} stokes_rows[] = {CT_STOKES(CT_ROW)};

int64_t ct_stokes_count(const ct_step *step)
{
    return stokes_rows[ct_step_choice(step, "stokes")].count;
}

ct_status ct_stokes_check_feed(const ct_step *step, const ct_array *x, ct_error *err)
{
    if (ct_stokes_count(step) < 2 || ct_array_feed(x) != CT_FEED_CIRCULAR) return CT_OK;
    return ct_step_fail(
        step, "stokes", err,
        "IQUV is made of linear receptors X and Y, the input's are circular: expected "
        "\"I\", or the stage correlator, whose products are RR RL LR LL then");
}

const ct_products *ct_stokes_products(ct_step *step, const ct_array *x)
{
    return ct_step_products(step, ct_stokes_count(step) > 1 ? "I Q U V" : "I", ct_array_feed(x));
}

void ct_stokes_add(double stokes[4], ct_complex x, ct_complex y)
{
    double xx = x.re * x.re + x.im * x.im, yy = y.re * y.re + y.im * y.im;
    stokes[0] += xx + yy;
    stokes[1] += xx - yy;
    stokes[2] += 2 * (x.re * y.re + x.im * y.im);
    stokes[3] += 2 * (x.im * y.re - x.re * y.im);
}

void ct_stokes_infer_counts(ct_array *counts, const ct_array *y, const ct_array *flags)
{
    const bool channels = ct_array_find(flags, 'C') >= 0;
    counts->type = CT_U32;
    counts->rank = 0;
    for (int k = 0; k < y->rank; k++)
        if (y->dim[k] != 'Q' && (y->dim[k] != 'C' || channels))
            ct_array_add(counts, y->dim[k], y->extent[k]);
    counts->meta = y->meta;
}

void ct_stokes_emit(ct_text *text)
{
    ct_text_add(text, "#line 1 \"stages/shared/stokes.cl\"\n%s\n", stokes_cl);
}

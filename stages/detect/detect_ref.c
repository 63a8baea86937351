/* detect_ref.c: detection in double precision, as its definition says it.
 * Room: stages/detect. */
#include "detect.h"
#include "stokes.h"

typedef struct place {
    int64_t b, t, c;
} place;

static ct_complex voltage(const ct_array *x, place at, int64_t p)
{
    int64_t beam = at.b * (ct_array_stride(x, 'B') + ct_array_stride(x, 'S'));
    return ct_array_load(x, x->offset + beam + p * ct_array_stride(x, 'P') +
                                at.t * ct_array_stride(x, 'T') + at.c * ct_array_stride(x, 'C'));
}

/* Powers of the polarizations are added up. */
static void add_power(double stokes[4], ct_complex x, ct_complex y)
{
    stokes[0] += x.re + y.re;
}

static void detect(const ct_step *step, const ct_array *x, ct_array *y, place at)
{
    double stokes[4] = {0};
    int64_t products = ct_array_extent(y, 'Q'), n = step->decimate;
    for (int64_t k = 0; k < n; k++) {
        place from = {at.b, at.t * n + k, at.c};
        ct_complex none = {0, 0};
        ct_complex other = ct_array_extent(x, 'P') > 1 ? voltage(x, from, 1) : none;
        (ct_type_complex(x->type) ? ct_stokes_add : add_power)(stokes, voltage(x, from, 0), other);
    }
    int64_t base = y->offset + at.b * (ct_array_stride(y, 'B') + ct_array_stride(y, 'S')) +
                   at.t * ct_array_stride(y, 'T') + at.c * ct_array_stride(y, 'C');
    for (int64_t q = 0; q < products; q++)
        ct_array_save(y, base + q * ct_array_stride(y, 'Q'), stokes[q], 0);
}

static bool is_left_out(const ct_array *m, place at)
{
    if (m->type == CT_NONE) return false;
    const int64_t station = ct_array_extent(m, 'S') > 1 ? at.b * ct_array_stride(m, 'S') : 0;
    const double flag = ct_array_load(m, m->offset + station + at.t * ct_array_stride(m, 'T') +
                                             at.c * ct_array_stride(m, 'C'))
                            .re;
    return ((int)flag & 3) == 1;
}

static void count(const ct_step *step, const ct_array *m, ct_array *counts, place at)
{
    int64_t valid = 0;
    if (counts->type == CT_NONE || (at.c > 0 && ct_array_find(counts, 'C') < 0)) return;
    for (int64_t k = 0; k < step->decimate; k++)
        valid += !is_left_out(m, (place){at.b, at.t * step->decimate + k, at.c});
    ct_array_save(counts,
                  counts->offset +
                      at.b * (ct_array_stride(counts, 'B') + ct_array_stride(counts, 'S')) +
                      at.t * ct_array_stride(counts, 'T') + at.c * ct_array_stride(counts, 'C'),
                  (double)valid, 0);
}

ct_status ct_detect_reference(const ct_step *step, ct_array ports[], ct_error *err)
{
    ct_array *y = &ports[CT_DETECT_Y];
    int64_t beams = ct_array_extent(y, 'B') * ct_array_extent(y, 'S');
    (void)err;
    for (int64_t b = 0; b < beams; b++)
        for (int64_t t = 0; t < ct_array_extent(y, 'T'); t++)
            for (int64_t c = 0; c < ct_array_extent(y, 'C'); c++) {
                detect(step, &ports[CT_DETECT_X], y, (place){b, t, c});
                count(step, &ports[CT_DETECT_M], &ports[CT_DETECT_COUNTS], (place){b, t, c});
            }
    return CT_OK;
}

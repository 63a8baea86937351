/* correlator_ref.c: the correlator in double precision, as its definition reads.
 * Room: stages/correlator. Knows the formula. Does not know kernels. */
#include "correlator.h"

/* One output element: its pair, integration, channel and the span of samples. */
typedef struct pair {
    int64_t i, j, channel, begin, end;
} pair;

static bool is_flagged(const ct_array *m, int64_t station, int64_t t, int64_t c)
{
    if (m->type == CT_NONE) return false;
    if (ct_array_extent(m, 'S') == 1) station = 0; /* beams are flagged together */
    int64_t at = station * ct_array_stride(m, 'S') + t * ct_array_stride(m, 'T') +
                 c * ct_array_stride(m, 'C');
    return (int)ct_array_load(m, m->offset + at).re & 1;
}

static ct_complex sample(const ct_array *x, int64_t s, int64_t p, int64_t t, int64_t c)
{
    int64_t at = s * ct_array_stride(x, ct_correlator_letter(x)) + p * ct_array_stride(x, 'P') +
                 t * ct_array_stride(x, 'T') + c * ct_array_stride(x, 'C');
    return ct_array_load(x, x->offset + at);
}

static ct_complex correlate(const ct_array ports[], const pair *of, int64_t a, int64_t b)
{
    const ct_array *x = &ports[CT_CORRELATOR_X], *m = &ports[CT_CORRELATOR_M];
    ct_complex sum = {0, 0};
    for (int64_t t = of->begin; t < of->end; t++) {
        if (is_flagged(m, of->i, t, of->channel) || is_flagged(m, of->j, t, of->channel)) continue;
        ct_complex xj = sample(x, of->j, b, t, of->channel);
        ct_complex xi = sample(x, of->i, a, t, of->channel);
        sum.re += xj.re * xi.re + xj.im * xi.im;
        sum.im += xj.im * xi.re - xj.re * xi.im;
    }
    return sum;
}

static void save_products(ct_array ports[], const pair *of, int64_t integration)
{
    ct_array *y = &ports[CT_CORRELATOR_Y];
    int64_t pols = ct_array_extent(&ports[CT_CORRELATOR_X], 'P');
    int64_t at = y->offset + integration * ct_array_stride(y, 'T') +
                 ct_correlator_baseline(of->i, of->j) * ct_array_stride(y, 'L') +
                 of->channel * ct_array_stride(y, 'C');
    for (int64_t a = 0; a < pols; a++)
        for (int64_t b = 0; b < pols; b++) {
            ct_complex sum = correlate(ports, of, a, b);
            ct_array_save(y, at + (a * pols + b) * ct_array_stride(y, 'Q'), sum.re, sum.im);
        }
}

static void save_count(ct_array ports[], const pair *of, int64_t integration)
{
    const ct_array *m = &ports[CT_CORRELATOR_M];
    ct_array *counts = &ports[CT_CORRELATOR_COUNTS];
    int64_t at = counts->offset + integration * ct_array_stride(counts, 'T') +
                 ct_correlator_baseline(of->i, of->j) * ct_array_stride(counts, 'L') +
                 of->channel * ct_array_stride(counts, 'C');
    int64_t count = 0;
    for (int64_t t = of->begin; t < of->end; t++)
        count += !is_flagged(m, of->i, t, of->channel) && !is_flagged(m, of->j, t, of->channel);
    ct_array_save(counts, at, (double)count, 0);
}

ct_status ct_correlator_reference(const ct_step *step, ct_array ports[], ct_error *err)
{
    const ct_array *x = &ports[CT_CORRELATOR_X];
    int64_t integrations = ct_array_extent(&ports[CT_CORRELATOR_Y], 'T');
    int64_t samples = ct_array_extent(x, 'T') / integrations;
    (void)step;
    (void)err;
    for (int64_t n = 0; n < integrations; n++)
        for (int64_t j = 0; j < ct_correlator_stations(x); j++)
            for (int64_t i = 0; i <= j; i++) {
                pair of = {i, j, 0, n * samples, (n + 1) * samples};
                for (of.channel = 0; of.channel < ct_array_extent(x, 'C'); of.channel++) {
                    save_products(ports, &of, n);
                    save_count(ports, &of, n);
                }
            }
    return CT_OK;
}

/* timing_pairs.c: see timing_pairs.h.
 * Room: tuner/measure. Knows seconds. Does not know what is timed. */
#include "timing_pairs.h"

#include <math.h>

#include "fail.h"

static double pairs_log(const double *a, const double *b, int n)
{
    return log(a[n] / b[n]);
}

/* The median over its spread, as in Student's test, but with the mean distance from the median in
 * place of the root of the mean square, which one outlier would dominate. Such spreads of few pairs
 * are often too small by chance, and the test is repeated after many pairs: hence the threshold,
 * which timing_pairs_test.c tries. */
bool ct_pairs_told(const double *a, const double *b, int count)
{
    double logs[CT_ROUNDS_MOST] = {0}, distance = 0;
    if (count < CT_PAIRS_LEAST) return false;
    for (int n = 0; n < count; n++)
        logs[n] = pairs_log(a, b, n);
    const double median = ct_rounds_median(logs, count);
    for (int n = 0; n < count; n++)
        distance += fabs(logs[n] - median);
    const double spread = 1.2533 * distance / (count - 1); /* of normal noise: its deviation */
    return fabs(median) * sqrt(count) > (3 + 8.0 / (count - 2)) * spread;
}

/* The first runs after a build can be twice as slow: what seems hopeless is run once more, if that
 * could be the reason. */
#define COLD 2.0

static ct_status pairs_is_hopeless(ct_pairs *pairs, const ct_timed *a, const ct_timed *b,
                                   double spent[2], bool *hopeless, ct_error *err)
{
    ct_status status = CT_OK;
    *hopeless = pairs->hopeless > 0;
    for (int try = 0; try < 2 && *hopeless; try++) {
        CT_TRY(a->run(a->of, &pairs->a[0], err));
        CT_TRY(b->run(b->of, &pairs->b[0], err));
        spent[0] += pairs->a[0];
        spent[1] += pairs->b[0];
        *hopeless = pairs->a[0] > pairs->hopeless * pairs->b[0];
        if (pairs->a[0] > COLD * pairs->hopeless * pairs->b[0]) break;
    }
    if (*hopeless) pairs->count = 1;
out:
    return status;
}

static ct_status pairs_one(ct_pairs *pairs, const ct_timed *a, const ct_timed *b, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(a->run(a->of, &pairs->a[pairs->count], err));
    CT_TRY(b->run(b->of, &pairs->b[pairs->count], err));
    pairs->count++;
out:
    return status;
}

ct_status ct_pairs_run(ct_pairs *pairs, const ct_timed *a, const ct_timed *b, ct_error *err)
{
    ct_status status = CT_OK;
    bool hopeless = false;
    double spent[2] = {0};
    pairs->count = 0;
    CT_TRY(pairs_is_hopeless(pairs, a, b, spent, &hopeless, err));
    if (hopeless) goto out;
    CT_TRY(ct_rounds_warm(a, spent[0], err));
    CT_TRY(ct_rounds_warm(b, spent[1], err));
    while (pairs->count < pairs->most && !ct_pairs_told(pairs->a, pairs->b, pairs->count))
        CT_TRY(pairs_one(pairs, a, b, err));
out:
    return status;
}

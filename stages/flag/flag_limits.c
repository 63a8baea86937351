/* flag_limits.c: between which values the spectral kurtosis of noise lies; see flag.h.
 * Room: stages/flag. Knows the estimator's moments. Does not know arrays. */
#include <math.h>

#include "flag.h"

enum { STEPS = 4096 };

/* Pearson's curve of type IV, but for a factor: (1 + y y)^-m exp(-nu atan y), y = (x - at) / width.
 */
typedef struct {
    double m, nu, width, at, deviation;
} curve;

/* Its mean is 1; second moment, squared skewness, kurtosis: equations 8 and 9 of the paper for d
 * = 1. */
static curve curve_of(double n)
{
    const double variance = 4 * n * n / ((n - 1) * (n + 2) * (n + 3));
    const double skew = 4 * (n + 2) * (n + 3) * (5 * n - 7) * (5 * n - 7) /
                        ((n - 1) * (n + 4) * (n + 4) * (n + 5) * (n + 5));
    const double kurtosis = 3 * (n + 2) * (n + 3) * (n * n * n + 98 * n * n - 185 * n + 78) /
                            ((n - 1) * (n + 4) * (n + 5) * (n + 6) * (n + 7));
    const double r = 6 * (kurtosis - skew - 1) / (2 * kurtosis - 3 * skew - 6);
    const double root = 16 * (r - 1) - skew * (r - 2) * (r - 2);
    return (curve){.m = (r + 2) / 2,
                   .nu = -r * (r - 2) * sqrt(skew / root),
                   .width = sqrt(variance * root) / 4,
                   .at = 1 - (r - 2) * sqrt(skew * variance) / 4,
                   .deviation = sqrt(variance)};
}

static double exponent(const curve *of, double y)
{
    return -of->m * log1p(y * y) - of->nu * atan(y);
}

/* 1 at its largest, where y = -nu / 2m. */
static double density(const curve *of, double x)
{
    return exp(exponent(of, (x - of->at) / of->width) - exponent(of, -of->nu / (2 * of->m)));
}

/* Where `wanted` of the area lies before, adding up from `from` in steps of `by`. */
static double crossing(const curve *of, double from, double by, double wanted)
{
    double sum = 0, x = from;
    while (sum < wanted) {
        const double part = density(of, x + by / 2) * fabs(by);
        if (sum + part >= wanted) return x + by * (wanted - sum) / part;
        sum += part;
        x += by;
    }
    return x;
}

ct_flag_range ct_flag_kurtosis(int64_t samples, double chance)
{
    const curve of = curve_of((double)samples);
    const double low = fmax(0, 1 - 12 * of.deviation), high = 1 + 25 * of.deviation;
    const double by = (high - low) / STEPS;
    double area = 0;
    for (int i = 0; i < STEPS; i++)
        area += density(&of, low + (i + 0.5) * by) * by;
    return (ct_flag_range){crossing(&of, low, by, area * chance / 2),
                           crossing(&of, high, -by, area * chance / 2)};
}

ct_flag_range ct_flag_range_of(const ct_step *step, int64_t parts)
{
    const int64_t samples = ct_step_int(step, "window") * parts / CT_FLAG_PARTS;
    if (samples < CT_FLAG_LEAST) return (ct_flag_range){-INFINITY, INFINITY};
    return ct_flag_kurtosis(samples, ct_step_real(step, "false_alarms"));
}

/* flag_limits.c: between which values the spectral kurtosis of noise lies; see flag.h.
 * Room: stages/flag. Knows the estimator's moments. Does not know arrays. */
#include <math.h>

#include "flag.h"

enum {
    STEPS = 4096,
    MOST_SHAPE = 200 /* beyond it the curve stays the same, but for its width */
};

/* Pearson's curve but for a factor: of type IV (1 + y y)^-m exp(-nu atan y), of type III, where nu
 * is 0, y^m exp(-y); y = (x - at) / width. */
typedef struct {
    double m, nu, width, at, deviation;
} curve;

/* Of M = n powers with shape a: what does not depend on the mean power. */
typedef struct {
    double variance, skew, kurtosis; /* squared skewness */
} moments;

/* The kurtosis of sum x^2 / (sum x)^2, from raw moments: numerator and denominator are independent
 * of their ratio, as only of a gamma distribution. */
static double kurtosis_of(double n, double a, double variance)
{
    long double g[5] = {1}, up[5], down[5] = {1}, r[5];
    for (int k = 1; k <= 4; k++) {
        const int i = 2 * k - 2;
        g[k] = g[k - 1] * (1 + i / (long double)a) * (1 + (i + 1) / (long double)a);
        down[k] =
            down[k - 1] * (1 + i / ((long double)n * a)) * (1 + (i + 1) / ((long double)n * a));
    }
    const long double k1 = g[1], k2 = (g[2] - g[1] * g[1]) / n;
    const long double k3 = (g[3] - 3 * g[2] * g[1] + 2 * g[1] * g[1] * g[1]) / (n * n);
    const long double k4 = (g[4] - 4 * g[3] * g[1] - 3 * g[2] * g[2] + 12 * g[2] * g[1] * g[1] -
                            6 * g[1] * g[1] * g[1] * g[1]) /
                           (n * n * n);
    up[1] = k1;
    up[2] = k2 + k1 * k1;
    up[3] = k3 + 3 * k2 * k1 + k1 * k1 * k1;
    up[4] = k4 + 4 * k3 * k1 + 3 * k2 * k2 + 6 * k2 * k1 * k1 + k1 * k1 * k1 * k1;
    for (int k = 1; k <= 4; k++)
        r[k] = up[k] / down[k];
    const long double fourth =
        r[4] - 4 * r[3] * r[1] + 6 * r[2] * r[1] * r[1] - 3 * r[1] * r[1] * r[1] * r[1];
    const double each = (n - 1) / (n * a + 1) * sqrt(variance); /* of the ratio, times n */
    return (double)(fourth / ((long double)each * each * each * each));
}

/* The estimator's mean is 1; variance and squared skewness: equations 8 and 9 of the paper with a =
 * N d. */
static moments moments_of(double n, double a)
{
    moments of = {.variance = 2 * a * (a + 1) * n * n / ((n - 1) * (n * a + 2) * (n * a + 3))};
    const double third = a * (n * (a + 4) - 5) - 2;
    of.skew = 8 * (n * a + 2) * (n * a + 3) * third * third /
              ((n - 1) * a * (a + 1) * (n * a + 4) * (n * a + 4) * (n * a + 5) * (n * a + 5));
    of.kurtosis = kurtosis_of(n, a, of.variance);
    return of;
}

static curve curve_of(const moments *of)
{
    const double low = 2 * of->kurtosis - 3 * of->skew - 6;
    const double r = 6 * (of->kurtosis - of->skew - 1) / low;
    const double root = 16 * (r - 1) - of->skew * (r - 2) * (r - 2), deviation = sqrt(of->variance);
    if (low > 0 && root > 0)
        return (curve){.m = (r + 2) / 2,
                       .nu = -r * (r - 2) * sqrt(of->skew / root),
                       .width = sqrt(of->variance * root) / 4,
                       .at = 1 - (r - 2) * sqrt(of->skew * of->variance) / 4,
                       .deviation = deviation};
    return (curve){.m = 4 / of->skew - 1,
                   .width = deviation * sqrt(of->skew) / 2,
                   .at = 1 - 2 * deviation / sqrt(of->skew),
                   .deviation = deviation};
}

static double exponent(const curve *of, double y)
{
    if (of->nu == 0) return y > 0 ? of->m * log(y) - y : -INFINITY;
    return -of->m * log1p(y * y) - of->nu * atan(y);
}

/* 1 at its largest, where y = -nu / 2m, or m. */
static double density(const curve *of, double x)
{
    const double top = of->nu == 0 ? of->m : -of->nu / (2 * of->m);
    return exp(exponent(of, (x - of->at) / of->width) - exponent(of, top));
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

ct_flag_range ct_flag_kurtosis(int64_t samples, double shape, double chance)
{
    moments moment = moments_of((double)samples, fmin(shape, MOST_SHAPE));
    moment.variance = moments_of((double)samples, shape).variance;
    const curve of = curve_of(&moment);
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
    const double shape = ct_flag_is_power(step) ? ct_step_real(step, "shape") : 1;
    return ct_flag_kurtosis(samples, shape, ct_step_real(step, "false_alarms"));
}

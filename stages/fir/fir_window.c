/* fir_window.c: prototype filters of the poly-phase filter bank.
 * Room: stages/fir. Knows the closed forms and the .npy loader. Does not know arrays or kernels.
 *
 * "cobalt" is the closed form of the coefficients of LOFAR's correlator (Broekema et al. 2018,
 * Astronomy and Computing 23): a Dirichlet kernel under a Kaiser window. "kaiser", "hamming",
 * "hann" and "rect" are windowed sincs (Harris 1978, Proc. IEEE 66; the CASPER tools). */
#include "fir.h"
#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define COBALT_BETA 9.0695

/* Modified Bessel function of order zero, by its power series. */
static double window_bessel(double x)
{
    double sum = 1, term = 1;
    for (int k = 1; term > 1e-18 * sum; k++) {
        term *= x / (2 * k) * (x / (2 * k));
        sum += term;
    }
    return sum;
}

static double window_sinc(double x)
{
    return x == 0 ? 1 : sin(PI * x) / (PI * x);
}

/* sqrt(1 - u^2) without cancellation at the edges, u = 2k/(n-1) - 1. */
static double window_arc(int64_t k, int64_t n)
{
    return n > 1 ? 2 * sqrt((double)k * (double)(n - 1 - k)) / (double)(n - 1) : 1;
}

/* A prototype of `taps` times `channels`, and what all its coefficients have in common. */
typedef struct window_shape {
    int64_t channels, taps, n;
    double beta, bessel; /* of a Kaiser window, and the Bessel function of that */
    double middle;       /* of "cobalt": the coefficient before scaling */
} window_shape;

static double window_kaiser(const window_shape *w, int64_t k)
{
    return window_bessel(w->beta * window_arc(k, w->n)) / w->bessel;
}

static double window_cosine(int64_t k, int64_t n, double constant)
{
    return n > 1 ? constant - (1 - constant) * cos(2 * PI * (double)k / (double)(n - 1)) : 1;
}

/* One coefficient. */
typedef double window_function(const window_shape *w, int64_t k);

static double cobalt_plain(const window_shape *w, int64_t k)
{
    const double width = (double)(2 * w->taps - 1);
    const double angle = PI * (double)(2 * k - (w->n - 1)) / (4 * (double)w->n);
    const double dirichlet = angle == 0 ? width : sin(width * angle) / sin(angle);
    return dirichlet * window_kaiser(w, k);
}

static double window_make_cobalt(const window_shape *w, int64_t k)
{
    return cobalt_plain(w, k) / w->middle * 256 / (double)w->channels;
}

static double window_make_kaiser(const window_shape *w, int64_t k)
{
    double x = ((double)k - (double)(w->n - 1) / 2) / (double)w->channels;
    return window_sinc(x) * window_kaiser(w, k);
}

static double casper_sinc(const window_shape *w, int64_t k)
{
    return window_sinc((double)k / (double)w->channels - (double)w->taps / 2);
}

static double window_make_hamming(const window_shape *w, int64_t k)
{
    return casper_sinc(w, k) * window_cosine(k, w->n, 0.54);
}

static double window_make_hann(const window_shape *w, int64_t k)
{
    return casper_sinc(w, k) * window_cosine(k, w->n, 0.5);
}

static double window_make_rect(const window_shape *w, int64_t k)
{
    return casper_sinc(w, k);
}

typedef struct window_row {
    const char *name;
    window_function *make;
    bool has_beta, symmetric; /* symmetric: h[k] is h[n - 1 - k], bit by bit */
} window_row;

static const window_row windows[] = {FIR_WINDOWS(CT_ROW)};

static ct_status window_read_file(ct_step *step, fir_state *state, ct_error *err)
{
    ct_array file;
    int64_t count = state->channels * state->taps;
    ct_status status = ct_npy_load(step, "file", &file, err);
    if (status != CT_OK) return status;
    int64_t last = file.rank ? file.extent[file.rank - 1] : 1;
    bool fits = file.rank == 1 || (file.rank == 2 && last == state->channels);
    if (ct_array_count(&file) != count || !fits || ct_type_complex(file.type))
        return ct_step_fail(step, "file", err,
                            "expected %lld real numbers (%lld taps times %lld channels, in one "
                            "row or a row per tap), found %lld %s numbers in %d dimensions",
                            (long long)count, (long long)state->taps, (long long)state->channels,
                            (long long)ct_array_count(&file), ct_type_name(file.type), file.rank);
    for (int64_t i = 0; i < count; i++) {
        int64_t element = file.rank == 1 ? i * file.stride[0]
                                         : i / last * file.stride[0] + i % last * file.stride[1];
        state->h[i] = ct_array_load(&file, element).re;
        if (!isfinite(state->h[i]))
            return ct_step_fail(step, "file", err, "coefficient %lld is not a finite number",
                                (long long)i);
    }
    return CT_OK;
}

/* What would have no effect is refused. */
static ct_status window_check_beta(const ct_step *step, const window_row *window, ct_error *err)
{
    if (!ct_step_value(step, "beta") || window->has_beta) return CT_OK;
    return ct_step_fail(step, "beta", err,
                        "only the window \"kaiser\" has a beta, but the window is \"%s\"%s",
                        window->name, ct_step_value(step, "window") ? "" : ", the default");
}

/* The file where one is given, else the window that was chosen. */
static const window_row *window_find(const ct_step *step)
{
    const window_row *window = windows;
    if (!ct_step_path(step, "file")) return &windows[ct_step_choice(step, "window")];
    while (window->make)
        window++;
    return window;
}

static ct_status window_check_file(const ct_step *step, const window_row *window, ct_error *err)
{
    bool file = ct_step_path(step, "file") != NULL;
    const char *given = ct_value_text(ct_step_value(step, "window"), window->name);
    if (file && strcmp(given, window->name) != 0)
        return ct_step_fail(step, "window", err,
                            "a file of coefficients is given, so expected \"%s\", found \"%s\"",
                            window->name, given);
    if (!file && !window->make)
        return ct_step_fail(step, "window", err,
                            "\"%s\" needs the parameter file: a .npy of channels times taps "
                            "coefficients",
                            window->name);
    return CT_OK;
}

/* The closed form "cobalt" has its own beta. */
static window_shape window_shape_of(const fir_state *state, double beta)
{
    window_shape w = {.channels = state->channels, .taps = state->taps, .beta = beta};
    w.n = w.channels * w.taps;
    w.bessel = window_bessel(beta);
    w.middle = cobalt_plain(&w, (w.n - 1) / 2);
    return w;
}

/* Graphs are inferred many times before one is taken: what is symmetric takes half the time. */
static void window_make_all(const window_row *window, const window_shape *w, double *h)
{
    const int64_t count = window->symmetric ? (w->n + 1) / 2 : w->n;
    for (int64_t k = 0; k < count; k++)
        h[k] = window->make(w, k);
    for (int64_t k = count; k < w->n; k++)
        h[k] = h[w->n - 1 - k];
}

static ct_status window_make(ct_step *step, fir_state *state, ct_error *err)
{
    const window_row *window = window_find(step);
    const double beta = window->has_beta ? ct_step_real(step, "beta") : COBALT_BETA;
    ct_status status = window_check_file(step, window, err);
    if (status == CT_OK) status = window_check_beta(step, window, err);
    if (status != CT_OK) return status;
    if (!window->make) return window_read_file(step, state, err);
    const window_shape w = window_shape_of(state, beta);
    window_make_all(window, &w, state->h);
    return CT_OK;
}

static double window_norm_none(const double *h, int64_t count)
{
    (void)h, (void)count;
    return 1;
}

static double window_norm_peak(const double *h, int64_t count)
{
    double peak = 0;
    for (int64_t i = 0; i < count; i++)
        peak = fmax(peak, fabs(h[i]));
    return peak;
}

static double window_norm_sum(const double *h, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += h[i];
    return sum;
}

static double window_norm_energy(const double *h, int64_t count)
{
    double squares = 0;
    for (int64_t i = 0; i < count; i++)
        squares += h[i] * h[i];
    return sqrt(squares);
}

static const struct {
    const char *name;
    double (*of)(const double *h, int64_t count);
} window_norms[] = {FIR_NORMS(CT_ROW)};

ct_status ct_fir_window_fill(ct_step *step, fir_state *state, ct_error *err)
{
    int64_t count = state->channels * state->taps;
    ct_status status = window_make(step, state, err);
    if (status != CT_OK) return status;
    int normalise = ct_step_choice(step, "normalise");
    double norm = window_norms[normalise].of(state->h, count);
    if (norm == 0 || !isfinite(norm))
        return ct_step_fail(step, "normalise", err,
                            "the coefficients cannot be normalised by their %s, which is %g",
                            window_norms[normalise].name, norm);
    bool centred = ct_step_bool(step, "center_dc");
    for (int64_t i = 0; i < count; i++) {
        bool odd = i % state->channels % 2 != 0;
        state->h[i] *= (centred && odd ? -1 : 1) / norm;
    }
    return CT_OK;
}

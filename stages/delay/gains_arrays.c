/* gains_arrays.c: solutions as lists of a pipeline, or as .npy files: of the stream's stations and
 * channels, by polarization and, where there is one more axis, by time.
 * Room: stages/delay. Knows parameters and their mistakes. Does not know H5parm. */
#include <math.h>
#include <string.h>

#include "gains.h"

/* Where one of these numbers stands in the pipeline; key NULL: it is "gains" itself. */
typedef struct source {
    ct_step *step;
    const char *key;
    const ct_value *given;
    const ct_value *step_s;
    bool old; /* only real factors of [stations][polarizations][channels] */
} source;

static const ct_array *input(const ct_step *step)
{
    return &step->port[CT_GAINS_X];
}

static ct_status fail_shape(const source *of, ct_error *err)
{
    const char *file = ct_value_text(of->given, NULL);
    const long long s = (long long)ct_array_extent(input(of->step), 'S');
    const long long p = (long long)ct_array_extent(input(of->step), 'P');
    const long long c = (long long)ct_array_extent(input(of->step), 'C');
    if (of->old)
        return ct_gains_fail(of->step, of->key, err,
                             "%s%sexpected real numbers of shape [%lld, %lld, %lld]: stations, "
                             "polarizations, channels",
                             file ? file : "", file ? ": " : "", s, p, c);
    return ct_gains_fail(
        of->step, of->key, err,
        "%s%sexpected numbers of shape [%lld, %lld, %lld]: stations, "
        "polarizations (or 1, or the products XX, XY, YX, YY), channels (or 1); or "
        "with times before the channels",
        file ? file : "", file ? ": " : "", s, p, c);
}

/* ---- shapes: stations, polarizations, times, channels */

typedef struct shape {
    int64_t s, p, t, c;
} shape;

static ct_status check_shape(const source *of, const shape *is, ct_error *err)
{
    const ct_array *x = input(of->step);
    const int64_t pols = ct_array_extent(x, 'P'), channels = ct_array_extent(x, 'C');
    const bool loose = !of->old && (is->p == 1 || (is->p == CT_GAINS_JONES && pols == 2));
    const bool fine = is->s == ct_array_extent(x, 'S') && (is->p == pols || loose) &&
                      (is->c == channels || (is->c == 1 && !of->old)) && is->t >= 1 &&
                      (is->t == 1 || !of->old);
    return fine ? CT_OK : fail_shape(of, err);
}

static const double *make_times(const source *of, int64_t count, ct_error *err)
{
    const double step_s = ct_value_real(of->step_s, 0);
    const bool number = ct_value_kind(of->step_s) == CT_INT || ct_value_kind(of->step_s) == CT_REAL;
    if (!number || !(step_s >= 1e-9 && step_s <= 1e9)) {
        (void)ct_gains_fail(of->step, "step_s", err,
                            "expected the seconds from one of the %lld solutions to the next, the "
                            "first is at the observation's start",
                            (long long)count);
        return NULL;
    }
    double *time_s = ct_step_alloc(of->step, (size_t)count * sizeof *time_s);
    for (int64_t n = 0; time_s && n < count; n++)
        time_s[n] = (double)n * step_s;
    return time_s;
}

/* A table of natural order, whose numbers are filled in after that. */
static ct_status make_part(const source *of, ct_gains *gains, bool phase, const shape *is,
                           double **value, ct_error *err)
{
    ct_step *step = of->step;
    ct_gain_part *part = &gains->part[gains->parts++];
    part->phase = phase;
    part->times = is->t;
    part->freqs = is->c;
    part->pols = is->p;
    part->along_c = 1;
    part->along_t = is->c;
    part->along_p = is->c * is->t;
    part->along_s = is->c * is->t * is->p;
    *value = ct_step_alloc(step, (size_t)(part->along_s * is->s) * sizeof **value);
    int64_t *station = ct_step_alloc(step, (size_t)is->s * sizeof *station);
    part->channel = ct_gains_channels(step, NULL, is->c, false);
    if (!*value || !station || !part->channel) return CT_FAILED;
    for (int64_t s = 0; s < is->s; s++)
        station[s] = s;
    for (int n = 0; n < CT_GAINS_JONES; n++)
        part->pol[n] = is->p == 1 ? 0 : n;
    part->value = *value;
    part->station = station;
    if (is->t < 2) return CT_OK;
    part->time_s = make_times(of, is->t, err);
    return part->time_s ? CT_OK : err && err->count ? CT_INVALID : CT_FAILED;
}

/* ---- .npy */

static ct_status load(const source *of, ct_gains *gains, ct_array *file, ct_error *err)
{
    ct_error why = {0};
    const char *path = ct_gains_file(of->step, gains, of->given);
    const ct_status status = ct_npy_load_file(of->step, path, file, &why);
    if (status == CT_OK || status == CT_FAILED) return status;
    return ct_gains_fail(of->step, of->key, err, "%s", why.text);
}

static ct_status take_file(const source *of, ct_gains *gains, bool phase, ct_error *err)
{
    ct_array file;
    ct_status status = load(of, gains, &file, err);
    if (status != CT_OK) return status;
    const int last = file.rank - 1;
    const bool complex = ct_type_complex(file.type), whole = of->key && !strcmp(of->key, "file");
    if ((file.rank != 3 && file.rank != 4) || (complex && !whole)) return fail_shape(of, err);
    const shape is = {file.extent[0], file.extent[1], last == 3 ? file.extent[2] : 1,
                      file.extent[last]};
    double *value[2] = {NULL, NULL};
    status = check_shape(of, &is, err);
    if (status == CT_OK) status = make_part(of, gains, phase, &is, &value[0], err);
    if (status == CT_OK && complex) status = make_part(of, gains, true, &is, &value[1], err);
    for (int64_t n = 0; status == CT_OK && n < is.s * is.p * is.t * is.c; n++) {
        const int64_t c = n % is.c, t = n / is.c % is.t, p = n / is.c / is.t % is.p;
        const ct_complex v =
            ct_array_load(&file, n / is.c / is.t / is.p * file.stride[0] + p * file.stride[1] +
                                     (last == 3 ? t * file.stride[2] : 0) + c * file.stride[last]);
        value[0][n] = complex ? hypot(v.re, v.im) : v.re;
        if (complex) value[1][n] = atan2(v.im, v.re);
    }
    return status;
}

/* ---- lists */

/* A number, or null where a solution is flagged. */
static ct_status take_number(const source *of, const ct_value *at, double *out, ct_error *err)
{
    const ct_kind kind = ct_value_kind(at);
    *out = at && kind == CT_NULL ? NAN : ct_value_real(at, 0);
    const bool fine = kind == CT_INT || kind == CT_REAL || (at && kind == CT_NULL && !of->old);
    return fine ? CT_OK : fail_shape(of, err);
}

static int64_t count_at(const ct_value *list, int depth)
{
    for (; depth > 0; depth--)
        list = ct_value_at(list, 0);
    return ct_value_kind(list) == CT_LIST ? (int64_t)ct_value_count(list) : -1;
}

static ct_status take_list(const source *of, ct_gains *gains, bool phase, ct_error *err)
{
    const bool times = count_at(of->given, 3) >= 0;
    const shape is = {count_at(of->given, 0), count_at(of->given, 1),
                      times ? count_at(of->given, 2) : 1, count_at(of->given, times ? 3 : 2)};
    const int64_t extent[] = {is.s, is.p, is.t, is.c};
    double *value = NULL;
    ct_status status = check_shape(of, &is, err);
    if (status == CT_OK) status = make_part(of, gains, phase, &is, &value, err);
    for (int64_t n = 0; status == CT_OK && n < is.s * is.p * is.t * is.c; n++) {
        const int64_t place[] = {n / is.c / is.t / is.p, n / is.c / is.t % is.p, n / is.c % is.t,
                                 n % is.c};
        const ct_value *at = of->given;
        for (int d = 0; d < 4; d++) {
            if (d == 2 && !times) continue;
            if (ct_value_kind(at) != CT_LIST || (int64_t)ct_value_count(at) != extent[d])
                return fail_shape(of, err);
            at = ct_value_at(at, (size_t)place[d]);
        }
        status = take_number(of, at, &value[n], err);
    }
    return status;
}

/* ---- all of it */

static ct_status take(const source *of, ct_gains *gains, bool phase, ct_error *err)
{
    if (ct_value_kind(of->given) == CT_LIST && !(of->key && !strcmp(of->key, "file")))
        return take_list(of, gains, phase, err);
    if (ct_value_kind(of->given) == CT_TEXT) return take_file(of, gains, phase, err);
    return ct_gains_fail(of->step, of->key, err, "expected a file%s",
                         of->key && !strcmp(of->key, "file") ? "'s name" : ", or lists of numbers");
}

ct_status ct_gains_arrays(ct_step *step, const ct_value *given, ct_gains *gains, ct_error *err)
{
    static const char *const keys[] = {"file", "amplitude", "phase"};
    source of = {.step = step, .given = given, .old = ct_value_kind(given) != CT_OBJECT};
    if (of.old) return take(&of, gains, false, err);
    ct_status status = CT_OK;
    of.step_s = ct_value_get(given, "step_s");
    for (int n = 0; status == CT_OK && n < 3; n++) {
        of.key = keys[n];
        of.given = ct_value_get(given, keys[n]);
        if (of.given) status = take(&of, gains, n == 2, err);
    }
    if (status != CT_OK || gains->parts > 0) return status;
    return ct_gains_fail(step, NULL, err,
                         "expected \"file\" with \"soltabs\" of an H5parm, \"file\" of complex "
                         "numbers, or \"amplitude\" and \"phase\"");
}

/* gains_read.c: "gains" as a pipeline says it: real factors, or an object that names solutions.
 * Room: stages/delay. Knows parameters and their mistakes. Does not know what is done with
 * solutions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gains.h"

static const char *const keys[] = {"file",   "solset", "soltabs", "direction", "amplitude", "phase",
                                   "step_s", "of",     "invert",  "time",      "frequency", NULL};

ct_status ct_gains_fail(const ct_step *step, const char *key, ct_error *err, const char *format,
                        ...)
{
    char sentence[768], param[64];
    va_list args;
    va_start(args, format);
    ct_number_print_args(sentence, sizeof sentence, format, args);
    va_end(args);
    snprintf(param, sizeof param, "gains%s%s", key ? "/" : "", key ? key : "");
    return ct_step_fail(step, param, err, "%s", sentence);
}

const char *ct_gains_file(ct_step *step, ct_gains *gains, const ct_value *name)
{
    const char *path = ct_step_resolve(step, ct_value_text(name, ""));
    ct_step_reads(step, "gains", path);
    if (gains->files < CT_GAINS_FILES) gains->file[gains->files++] = path;
    return path;
}

/* ---- where channels are among those of a table */

static ct_gain_place channel_of(const double *hz, int64_t count, double at_hz, bool linear)
{
    int64_t before = 0;
    while (before + 2 < count && hz[before + 1] <= at_hz)
        before++;
    ct_gain_place place = {0, 0, 0};
    if (count < 2) return place;
    const double part = (at_hz - hz[before]) / (hz[before + 1] - hz[before]);
    const bool later = part > 0.5;
    place.near = place.far = before + later;
    if (!linear || part <= 0 || part >= 1) return place;
    place.far = before + !later;
    place.weight = later ? 1 - part : part;
    return place;
}

const ct_gain_place *ct_gains_channels(ct_step *step, const double *hz, int64_t count, bool linear)
{
    const ct_array *x = &step->port[CT_GAINS_X];
    const int64_t channels = ct_array_extent(x, 'C');
    ct_gain_place *place = ct_step_alloc(step, (size_t)channels * sizeof *place);
    for (int64_t c = 0; place && c < channels; c++) {
        if (hz)
            place[c] = channel_of(hz, count, x->meta.frequency_hz[c], linear);
        else if (count > 1)
            place[c].near = place[c].far = c;
    }
    return place;
}

/* ---- the object's members */

static ct_status check_keys(const ct_step *step, const ct_value *given, ct_error *err)
{
    for (size_t n = 0; n < ct_value_count(given); n++) {
        const char *key = ct_value_key(given, n), *near = ct_suggest_nearest(key, keys);
        int k = 0;
        while (keys[k] && strcmp(keys[k], key) != 0)
            k++;
        if (keys[k]) continue;
        return ct_gains_fail(step, key, err, "unknown key \"%s\"%s%s%s", key,
                             near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    }
    return CT_OK;
}

/* One of two words; the first where nothing is said. */
static ct_status read_word(const ct_step *step, const ct_value *given, const char *key,
                           const char *const words[3], bool *second, ct_error *err)
{
    const ct_value *value = ct_value_get(given, key);
    const char *word = ct_value_text(value, "");
    if (!value) return CT_OK;
    *second = strcmp(word, words[1]) == 0;
    if (*second || strcmp(word, words[0]) == 0) return CT_OK;
    const char *near = ct_suggest_nearest(word, words);
    return ct_gains_fail(step, key, err, "expected \"%s\" or \"%s\"%s%s%s", words[0], words[1],
                         near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

static ct_status read_how(const ct_step *step, const ct_value *given, ct_gains *gains,
                          ct_error *err)
{
    static const char *const of[] = {"voltages", "visibilities", NULL};
    const ct_value *invert = ct_value_get(given, "invert");
    if (invert && ct_value_kind(invert) != CT_BOOL)
        return ct_gains_fail(step, "invert", err, "expected true or false");
    gains->invert = ct_value_bool(invert, true);
    gains->conjugate = ct_value_get(given, "soltabs") != NULL;
    return read_word(step, given, "of", of, &gains->conjugate, err);
}

/* Whether a table is linear along its time, and along its channels. */
static ct_status read_between(ct_step *step, const ct_value *given, bool *time, bool *frequency,
                              ct_error *err)
{
    static const char *const words[] = {"nearest", "linear", NULL};
    *time = *frequency = false;
    const ct_status status = read_word(step, given, "time", words, time, err);
    return status == CT_OK ? read_word(step, given, "frequency", words, frequency, err) : status;
}

/* What is there for other tables only is not left out in silence. */
static ct_status check_kind(const ct_step *step, const ct_value *given, ct_error *err)
{
    static const struct {
        const char *key, *other;
        bool wanted;
    } rules[] = {{"amplitude", "file", false},   {"phase", "file", false},
                 {"soltabs", "file", true},      {"solset", "soltabs", true},
                 {"direction", "soltabs", true}, {"frequency", "soltabs", true},
                 {"step_s", "soltabs", false}};
    for (size_t n = 0; n < sizeof rules / sizeof *rules; n++) {
        const bool there = ct_value_get(given, rules[n].other) != NULL;
        if (!ct_value_get(given, rules[n].key) || there == rules[n].wanted) continue;
        return ct_gains_fail(step, rules[n].key, err, "is %s \"%s\"",
                             there ? "not possible together with" : "of use only together with",
                             rules[n].other);
    }
    return CT_OK;
}

static ct_status read_object(ct_step *step, const ct_value *given, ct_gains *gains, ct_error *err)
{
    bool time = false, frequency = false;
    ct_status status = check_keys(step, given, err);
    if (status == CT_OK) status = check_kind(step, given, err);
    if (status == CT_OK) status = read_how(step, given, gains, err);
    if (status == CT_OK) status = read_between(step, given, &time, &frequency, err);
    if (status != CT_OK) return status;
    for (int p = 0; p < CT_GAINS_PARTS; p++)
        gains->part[p].linear = time;
    if (ct_value_get(given, "soltabs")) return ct_gains_h5parm(step, given, gains, err);
    return ct_gains_arrays(step, given, gains, err);
}

/* ---- what tables say of polarizations and times */

/* A table of one polarization is of all of them, one of four a matrix of two. */
static ct_status match_pols(const ct_step *step, ct_gains *gains, ct_error *err)
{
    const int64_t pols = ct_array_extent(&step->port[CT_GAINS_X], 'P');
    bool amplitude = false;
    for (int n = 0; n < gains->parts; n++)
        gains->jones = gains->jones || (pols == 2 && gains->part[n].pols == CT_GAINS_JONES);
    gains->elements = gains->jones ? CT_GAINS_JONES : pols;
    for (int n = 0; n < gains->parts; n++) {
        ct_gain_part *part = &gains->part[n];
        if (part->pols != 1 && part->pols != gains->elements)
            return ct_gains_fail(
                step, NULL, err,
                "has solutions of %lld polarizations, the data have %lld: expected 1, %s",
                (long long)part->pols, (long long)pols,
                gains->jones ? "or 4 in each table" : "as many, or 4 where the data have 2");
        amplitude = amplitude || (part->pols == CT_GAINS_JONES && !part->phase);
    }
    if (gains->jones && !amplitude)
        return ct_gains_fail(step, NULL, err,
                             "phases of XX, XY, YX, YY are no matrix without their amplitudes");
    return CT_OK;
}

/* Solutions that end long before the stream does are used, and hardly meant. */
static void warn_of_times(ct_step *step, const ct_gain_part *part)
{
    const ct_meta *meta = &step->port[CT_GAINS_X].meta;
    if (part->times < 2) return;
    const double first = part->time_s[0], last = part->time_s[part->times - 1];
    const double each = (last - first) / (double)(part->times - 1);
    const double end = meta->start_s + (double)(meta->total - 1) * meta->sample_time_s;
    if (meta->start_s < first - each)
        ct_step_warn(
            step, "gains: the first solution is %g s after the first sample: it is used until then",
            first - meta->start_s);
    if (meta->total > 0 && end > last + each)
        ct_step_warn(
            step,
            "gains: the last sample is %g s after the last solution, which is used from there on",
            end - last);
}

/* A band beside that of the solutions is hardly meant. */
static void warn_of_channels(ct_step *step, const ct_gain_part *part)
{
    const ct_meta *meta = &step->port[CT_GAINS_X].meta;
    if (!part->hz || part->freqs < 2) return;
    const double first = part->hz[0], last = part->hz[part->freqs - 1];
    const double each = (last - first) / (double)(part->freqs - 1);
    for (int64_t c = 0; c < meta->frequencies; c++) {
        const double hz = meta->frequency_hz[c];
        if (hz >= first - each && hz <= last + each) continue;
        ct_step_warn(step,
                     "gains: channel %lld, at %.6f MHz, is outside of the solutions, %.6f to %.6f "
                     "MHz: the nearest is used",
                     (long long)c, hz * 1e-6, first * 1e-6, last * 1e-6);
        return;
    }
}

static ct_status read_given(ct_step *step, const ct_value *given, ct_gains *gains, ct_error *err)
{
    const ct_kind kind = ct_value_kind(given);
    if (kind == CT_OBJECT) return read_object(step, given, gains, err);
    if (kind == CT_LIST || kind == CT_TEXT) return ct_gains_arrays(step, given, gains, err);
    return ct_gains_fail(
        step, NULL, err,
        "expected real factors (a list or a .npy), or an object such as {\"file\": "
        "\"cal.h5\", \"soltabs\": [\"phase000\"]}");
}

/* Two tables of the same instants and channels: what is said of one is said of both. */
static bool is_alike(const ct_gain_part *a, const ct_gain_part *b)
{
    const size_t times = sizeof(double) * (size_t)a->times, hz = sizeof(double) * (size_t)a->freqs;
    if (a->times != b->times || a->freqs != b->freqs || !a->hz != !b->hz) return false;
    return (!a->time_s || memcmp(a->time_s, b->time_s, times) == 0) &&
           (!a->hz || memcmp(a->hz, b->hz, hz) == 0);
}

/* ---- all of it */

/* A pipeline is looked at several times; files may be large. */
static bool is_same(const ct_step *step, const ct_gains *before)
{
    const ct_array *x = &step->port[CT_GAINS_X];
    const ct_meta *now = &x->meta, *then = &before->of;
    return before->stations == ct_array_extent(x, 'S') &&
           before->channels == ct_array_extent(x, 'C') &&
           before->elements == (before->jones ? CT_GAINS_JONES : ct_array_extent(x, 'P')) &&
           now->start_mjd == then->start_mjd && now->start_s == then->start_s &&
           now->sample_time_s == then->sample_time_s && now->frequencies == then->frequencies &&
           memcmp(now->frequency_hz, then->frequency_hz,
                  sizeof(double) * (size_t)now->frequencies) == 0;
}

static ct_status make(ct_step *step, const ct_value *given, ct_gains *gains, ct_error *err)
{
    const ct_array *x = &step->port[CT_GAINS_X];
    const size_t bytes = sizeof(double) * (size_t)x->meta.frequencies;
    double *hz = ct_step_alloc(step, bytes);
    if (!hz) return CT_FAILED;
    gains->of = x->meta;
    gains->of.frequency_hz = memcpy(hz, x->meta.frequency_hz, bytes);
    gains->stations = ct_array_extent(x, 'S');
    gains->channels = ct_array_extent(x, 'C');
    ct_status status = read_given(step, given, gains, err);
    if (status == CT_OK) status = match_pols(step, gains, err);
    return status == CT_OK ? ct_gains_plan(step, gains, err) : status;
}

ct_status ct_gains_read(ct_step *step, const ct_gains *before, const ct_gains **out, ct_error *err)
{
    const ct_value *given = ct_step_value(step, "gains");
    ct_status status = CT_OK;
    *out = given && before && is_same(step, before) ? before : NULL;
    if (!given) return CT_OK;
    if (*out) {
        for (int n = 0; n < before->files; n++)
            ct_step_reads(step, "gains", before->file[n]);
    } else {
        ct_gains *gains = ct_step_alloc(step, sizeof *gains);
        status = gains ? make(step, given, gains, err) : CT_FAILED;
        *out = gains;
    }
    for (int p = 0; status == CT_OK && p < (*out)->parts; p++) {
        if (p > 0 && is_alike(&(*out)->part[p], &(*out)->part[p - 1])) continue;
        warn_of_times(step, &(*out)->part[p]);
        warn_of_channels(step, &(*out)->part[p]);
    }
    return status;
}

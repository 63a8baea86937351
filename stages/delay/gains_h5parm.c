/* gains_h5parm.c: solutions from tables of an H5parm, whose stations have names and whose times are
 * dates. Room: stages/delay. Knows what a table's type and names mean. Does not know HDF5. */
#include <math.h>
#include <string.h>

#include "gains.h"

#define DAY_S 86400.0

static ct_status fail_file(const ct_step *step, const char *key, const ct_value *given,
                           ct_error *err, const char *sentence)
{
    return ct_gains_fail(step, key, err, "%s: %s", ct_value_text(ct_value_get(given, "file"), ""),
                         sentence);
}

/* ---- stations */

static ct_status find_station(const ct_step *step, const ct_value *given, const ct_solutions *found,
                              const char *name, int64_t *out, ct_error *err)
{
    for (*out = 0; found->stations[*out]; ++*out)
        if (strcmp(found->stations[*out], name) == 0) return CT_OK;
    const char *near = ct_suggest_nearest(name, found->stations);
    return ct_gains_fail(step, "file", err,
                         "%s: has no solutions of the station \"%s\"; %s \"%s\"%s",
                         ct_value_text(ct_value_get(given, "file"), ""), name,
                         near ? "did you mean" : "the first that it has is",
                         near ? near : found->stations[0], near ? "?" : "");
}

static ct_status match_stations(ct_step *step, const ct_value *given, const ct_solutions *found,
                                ct_gain_part *part, ct_error *err)
{
    const char *const *names = ct_step_observation(step)->names;
    const int64_t stations = ct_array_extent(&step->port[CT_GAINS_X], 'S');
    int64_t said = 0, *station = ct_step_alloc(step, (size_t)stations * sizeof *station);
    ct_status status = station ? CT_OK : CT_FAILED;
    while (names && names[said])
        said++;
    if (said != stations)
        return ct_gains_fail(step, NULL, err,
                             "solutions belong to stations by name: expected \"names\" of the %lld "
                             "stations in \"observation\", found %lld",
                             (long long)stations, (long long)said);
    for (int64_t s = 0; status == CT_OK && s < stations; s++)
        status = find_station(step, given, found, names[s], &station[s], err);
    part->station = station;
    return status;
}

/* ---- polarizations */

/* The names of X and Y, or of the right and left hand, in the order in which they are applied. */
static const struct {
    ct_feed feed;
    const char *name[CT_GAINS_JONES];
} orders[] = {{CT_FEED_LINEAR, {"XX", "YY"}},
              {CT_FEED_LINEAR, {"X", "Y"}},
              {CT_FEED_CIRCULAR, {"RR", "LL"}},
              {CT_FEED_CIRCULAR, {"R", "L"}},
              {CT_FEED_LINEAR, {"XX", "XY", "YX", "YY"}},
              {CT_FEED_CIRCULAR, {"RR", "RL", "LR", "LL"}}};

static bool match_order(const ct_solutions *found, const char *const order[CT_GAINS_JONES],
                        int64_t count, int64_t out[CT_GAINS_JONES])
{
    for (int64_t n = 0; n < CT_GAINS_JONES; n++) {
        if ((n < count) != (order[n] != NULL)) return false;
        for (out[n] = 0; n < count && out[n] < count; out[n]++)
            if (strcmp(found->pols[out[n]], order[n]) == 0) break;
        if (n < count && out[n] == count) return false;
    }
    return true;
}

/* Solutions of X and Y are none of R and L. */
static ct_status check_feed(const ct_step *step, const ct_value *given, ct_feed feed, ct_error *err)
{
    const ct_feed has = ct_array_feed(&step->port[CT_GAINS_X]);
    if (has == feed || has == CT_FEED_UNKNOWN) return CT_OK;
    return ct_gains_fail(step, "file", err,
                         "%s: has solutions of %s receptors, the data are of %s ones",
                         ct_value_text(ct_value_get(given, "file"), ""), ct_product_feed(feed),
                         ct_product_feed(has));
}

static ct_status match_pols(const ct_step *step, const ct_value *given, const ct_solutions *found,
                            ct_gain_part *part, ct_error *err)
{
    memset(part->pol, 0, sizeof part->pol);
    if (part->pols == 1) return CT_OK;
    for (size_t n = 0; n < sizeof orders / sizeof *orders; n++)
        if (part->pols <= CT_GAINS_JONES &&
            match_order(found, orders[n].name, part->pols, part->pol))
            return check_feed(step, given, orders[n].feed, err);
    return ct_gains_fail(
        step, "soltabs", err,
        "%s: expected the polarizations XX, YY (or RR, LL) or XX, XY, YX, YY, found "
        "%lld, the first \"%s\"",
        ct_value_text(ct_value_get(given, "file"), ""), (long long)part->pols, found->pols[0]);
}

/* ---- time and frequency */

static ct_status match_times(ct_step *step, const ct_solutions *found, ct_gain_part *part,
                             ct_error *err)
{
    const double start_mjd = step->port[CT_GAINS_X].meta.start_mjd;
    if (part->times < 2) return CT_OK;
    if (!(start_mjd > 0))
        return ct_gains_fail(step, NULL, err,
                             "solutions have dates, and the stream's is not known: give the source "
                             "\"start_mjd\"");
    double *time_s = ct_step_alloc(step, (size_t)part->times * sizeof *time_s);
    for (int64_t n = 0; time_s && n < part->times; n++)
        time_s[n] = found->time_s[n] - start_mjd * DAY_S;
    part->time_s = time_s;
    return time_s ? CT_OK : CT_FAILED;
}

static ct_status match_channels(ct_step *step, const ct_value *given, const ct_solutions *found,
                                ct_gain_part *part)
{
    const bool linear =
        strcmp(ct_value_text(ct_value_get(given, "frequency"), "nearest"), "linear") == 0;
    part->hz = found->frequency_hz;
    part->channel = ct_gains_channels(step, found->frequency_hz, part->freqs, linear);
    return part->channel ? CT_OK : CT_FAILED;
}

/* ---- tables */

static ct_status check_type(const ct_step *step, const ct_value *given, const char *soltab,
                            const ct_solutions *found, ct_gain_part *part, ct_error *err)
{
    part->phase = strcmp(found->type, "phase") == 0;
    if (part->phase || strcmp(found->type, "amplitude") == 0) return CT_OK;
    return ct_gains_fail(step, "soltabs", err,
                         "%s: \"%s\" has solutions of the type \"%s\", expected \"amplitude\" or "
                         "\"phase\"",
                         ct_value_text(ct_value_get(given, "file"), ""), soltab, found->type);
}

static ct_status take_table(ct_step *step, const ct_value *given, const char *soltab,
                            ct_gains *gains, ct_error *err)
{
    ct_error why = {0};
    ct_solutions found;
    ct_gain_part *part = &gains->part[gains->parts++];
    ct_status status =
        ct_h5parm_load(step, gains->file[0], ct_value_text(ct_value_get(given, "solset"), NULL),
                       soltab, ct_value_text(ct_value_get(given, "direction"), NULL), &found, &why);
    if (status == CT_FAILED) return status;
    if (status != CT_OK) return ct_gains_fail(step, "file", err, "%s", why.text);
    part->value = found.value.data;
    part->times = ct_array_extent(&found.value, 'T');
    part->freqs = ct_array_extent(&found.value, 'C');
    part->pols = ct_array_extent(&found.value, 'P');
    part->along_s = ct_array_stride(&found.value, 'S');
    part->along_p = ct_array_stride(&found.value, 'P');
    part->along_t = ct_array_stride(&found.value, 'T');
    part->along_c = ct_array_stride(&found.value, 'C');
    status = check_type(step, given, soltab, &found, part, err);
    if (status == CT_OK) status = match_stations(step, given, &found, part, err);
    if (status == CT_OK) status = match_pols(step, given, &found, part, err);
    if (status == CT_OK) status = match_times(step, &found, part, err);
    return status == CT_OK ? match_channels(step, given, &found, part) : status;
}

static ct_status check_texts(const ct_step *step, const ct_value *given, ct_error *err)
{
    static const char *const texts[] = {"file", "solset", "direction"};
    for (int n = 0; n < 3; n++) {
        const ct_value *value = ct_value_get(given, texts[n]);
        if (value && ct_value_kind(value) != CT_TEXT)
            return ct_gains_fail(step, texts[n], err, "expected a text");
    }
    return CT_OK;
}

ct_status ct_gains_h5parm(ct_step *step, const ct_value *given, ct_gains *gains, ct_error *err)
{
    const ct_value *tables = ct_value_get(given, "soltabs");
    const size_t count = ct_value_count(tables);
    bool fine = ct_value_kind(tables) == CT_LIST && count >= 1 && count <= CT_GAINS_PARTS;
    for (size_t n = 0; fine && n < count; n++)
        fine = ct_value_kind(ct_value_at(tables, n)) == CT_TEXT;
    ct_status status = check_texts(step, given, err);
    if (status != CT_OK) return status;
    if (!fine)
        return ct_gains_fail(step, "soltabs", err,
                             "expected a list of one or two tables, such as [\"amplitude000\", "
                             "\"phase000\"]");
    (void)ct_gains_file(step, gains, ct_value_get(given, "file"));
    for (size_t n = 0; status == CT_OK && n < count; n++)
        status = take_table(step, given, ct_value_text(ct_value_at(tables, n), ""), gains, err);
    if (status == CT_OK && count == 2 && gains->part[0].phase == gains->part[1].phase)
        return fail_file(step, "soltabs", given, err,
                         "expected a table of amplitudes and one of phases, found two of one kind");
    return status;
}

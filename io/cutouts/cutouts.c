/* cutouts.c: sink.cutouts: around each candidate of a list the waterfall, dedispersed, and DM
 * against time.
 * Room: io/cutouts. Knows lists of candidates and power. Does not know how candidates are found,
 * nor HDF5. */
#include "cutouts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { X };

#define DISPERSION 4.148808e3 /* MHz^2 pc^-1 cm^3 s */

typedef struct cutouts {
    ct_step *step;
    ct_cutout *one; /* of step->state */
    int64_t count, samples, room;
    ct_cutout_band band;
} cutouts;

/* What infer() has found. */
typedef struct cutouts_list {
    ct_cutout *one;
    const char **name;
    int64_t count;
} cutouts_list;

/* ---- the list */

static ct_status take_pulse(ct_step *step, const ct_value *pulse, ct_cutout *to, ct_error *err)
{
    const ct_array *x = &step->port[X];
    const int64_t beams = ct_array_extent(x, 'B') * ct_array_extent(x, 'S');
    *to = (ct_cutout){.dm = ct_value_real(ct_value_get(pulse, "dm"), NAN),
                      .time_s = ct_value_real(ct_value_get(pulse, "time_s"), NAN),
                      .width_s = ct_value_real(ct_value_get(pulse, "width_s"), NAN),
                      .snr = ct_value_real(ct_value_get(pulse, "snr"), NAN),
                      .beam = ct_value_int(ct_value_get(pulse, "beam"), -1)};
    const double middle = (to->time_s - x->meta.start_s) / x->meta.sample_time_s;
    const double width = to->width_s / x->meta.sample_time_s;
    const bool fine = fabs(to->dm) < 1e9 && fabs(middle) < 1e15 && width > 0 && width < 1e9 &&
                      to->beam >= 0 && to->beam < beams;
    if (!fine)
        return ct_step_fail(step, "candidates", err,
                            "expected \"dm\", \"time_s\", \"width_s\", \"snr\" and \"beam\" (below "
                            "%lld) of each of the \"pulses\", as sink.candidates writes them",
                            (long long)beams);
    to->width = llround(width);
    if (to->width < 1) to->width = 1;
    to->each = to->width > 1 ? to->width / 2 : 1;
    to->first = llround(middle) - CT_CUTOUT_SIDE / 2 * to->each;
    return CT_OK;
}

/* The strongest come first in the file. */
static ct_status take_list(ct_step *step, const ct_value *root, cutouts_list *list, ct_error *err)
{
    const ct_value *pulses = ct_value_get(root, "pulses");
    const double threshold = ct_step_real(step, "threshold");
    const int64_t most = ct_step_int(step, "most");
    int64_t above = 0;
    if (ct_value_kind(pulses) != CT_LIST)
        return ct_step_fail(step, "candidates", err,
                            "expected a JSON file of sink.candidates with \"pulses\", which it "
                            "has after stage pulses");
    list->one = ct_step_alloc(step, (size_t)most * sizeof *list->one);
    if (!list->one) return CT_FAILED;
    for (size_t i = 0; i < ct_value_count(pulses); i++) {
        const ct_value *pulse = ct_value_at(pulses, i);
        if (!(ct_value_real(ct_value_get(pulse, "snr"), 0) >= threshold)) continue;
        if (++above > most) continue;
        const ct_status status = take_pulse(step, pulse, &list->one[list->count++], err);
        if (status != CT_OK) return status;
    }
    if (above > most)
        ct_step_warn(step, "cut-outs of the %lld strongest of %lld candidates", (long long)most,
                     (long long)above);
    return CT_OK;
}

static ct_status name_files(ct_step *step, cutouts_list *list)
{
    list->name = ct_step_alloc(step, (size_t)(list->count + 1) * sizeof *list->name);
    if (!list->name) return CT_FAILED;
    for (int64_t i = 0; i < list->count; i++) {
        char suffix[32];
        snprintf(suffix, sizeof suffix, "_%03lld", (long long)i);
        list->name[i] = ct_output_name(step, ct_step_path(step, "file"), suffix, NULL);
        if (!list->name[i]) return CT_FAILED;
        ct_step_writes(step, "file", list->name[i]);
    }
    return CT_OK;
}

static ct_status infer_sink(ct_step *step, ct_error *err)
{
    const ct_meta *meta = &step->port[X].meta;
    cutouts_list *list = ct_step_alloc(step, sizeof *list);
    ct_value *root = NULL;
    if (!list) return CT_FAILED;
    step->state = list;
    if (!ct_cutouts_there())
        return ct_step_fail(
            step, NULL, err,
            "this Cornerturn was built without HDF5, which writes cut-outs: install "
            "libhdf5-dev and build it again");
    if (!meta->frequency_hz || !(meta->sample_time_s > 0))
        return ct_step_fail(step, "input", err,
                            "the channels' frequencies and the sample time are needed to "
                            "dedisperse, and are not known");
    const char *file = ct_step_resolve(step, ct_step_text(step, "candidates"));
    ct_step_reads(step, "candidates", file);
    ct_status status = ct_value_load(&root, file, err);
    if (status == CT_OK) status = take_list(step, root, list, err);
    if (status == CT_OK) status = name_files(step, list);
    ct_value_free(root);
    return status;
}

/* ---- a run */

static ct_status make_band(cutouts *c, const ct_array *x)
{
    ct_cutout_band *band = &c->band;
    const double *hz = x->meta.frequency_hz;
    band->array = x;
    band->channels = ct_array_extent(x, 'C');
    band->delay = ct_step_alloc(c->step, (size_t)band->channels * sizeof *band->delay);
    band->row = ct_step_alloc(c->step, (size_t)band->channels * sizeof *band->row);
    band->end = ct_step_alloc(c->step, (size_t)band->channels * sizeof *band->end);
    if (!band->delay || !band->row || !band->end) return CT_FAILED;
    const bool falls = hz[0] > hz[band->channels - 1];
    const double high = 1e-6 * fmax(hz[0], hz[band->channels - 1]);
    for (int64_t k = 0; k < band->channels; k++) {
        const double mhz = 1e-6 * hz[k];
        const int64_t place = falls ? k : band->channels - 1 - k;
        band->delay[k] = DISPERSION * (1 / (mhz * mhz) - 1 / (high * high)) / x->meta.sample_time_s;
        band->row[k] = place * CT_CUTOUT_SIDE / band->channels;
        band->end[k] = (place + 1) * CT_CUTOUT_SIDE / band->channels;
        if (band->end[k] == band->row[k]) band->end[k]++;
    }
    const double each = fabs(x->meta.channel_width_hz);
    band->width_hz = -each * (double)band->channels / CT_CUTOUT_SIDE;
    band->high_hz = 1e6 * high + 0.5 * each + 0.5 * band->width_hz;
    return CT_OK;
}

static ct_status open_sink(ct_step *step, void **state, ct_error *err)
{
    const cutouts_list *list = step->state;
    cutouts *c = ct_step_alloc(step, sizeof *c);
    *state = c;
    if (!c) return CT_FAILED;
    c->step = step;
    c->one = list->one;
    ct_status status = make_band(c, &step->port[X]);
    for (int64_t i = 0; status == CT_OK && i < list->count; i++) {
        c->one[i].sums = ct_step_alloc(step, sizeof *c->one[i].sums);
        if (!c->one[i].sums) return CT_FAILED;
        c->count = i + 1;
        status = ct_output_open(&c->one[i].file, step, list->name[i], false, err);
        if (status == CT_OK) status = ct_output_pause(&c->one[i].file, err);
    }
    return status;
}

static ct_status write_sink(void *state, const ct_array *block, int64_t first, int64_t count,
                            ct_error *err)
{
    cutouts *c = state;
    (void)err;
    if (count > c->room) {
        c->band.line = ct_step_alloc(c->step, (size_t)count * sizeof *c->band.line);
        if (!c->band.line) return CT_FAILED;
        c->room = count;
    }
    for (int64_t i = 0; i < c->count; i++)
        ct_cutouts_take(&c->one[i], &c->band, block, first, count, c->samples);
    c->samples += count;
    return CT_OK;
}

static ct_status close_sink(void *state, bool complete, ct_error *err)
{
    cutouts *c = state;
    ct_status status = CT_OK;
    for (int64_t i = 0; c && i < c->count; i++) {
        if (complete && status == CT_OK) status = ct_cutouts_put(&c->one[i], &c->band, err);
        const ct_status closed = ct_output_close(&c->one[i].file, complete && status == CT_OK, err);
        if (status == CT_OK) status = closed;
    }
    return status;
}

static const ct_param params[] = {
    {"file", CT_PARAM_FILE, "!", NULL, 0, 0,
     "the files to write: cut.h5 makes cut_000.h5, cut_001.h5, .."},
    {"candidates", CT_PARAM_TEXT, "!", NULL, 0, 0, "a JSON file of sink.candidates"},
    {"threshold", CT_PARAM_REAL, "10", NULL, 0, 1e9, "S/N from which a candidate is cut out"},
    {"most", CT_PARAM_INT, "100", NULL, 1, 1000, "cut-outs at most, of the strongest"},
    {0}};

const ct_stage ct_stage_sink_cutouts = {
    .api = CT_API,
    .version = 1,
    .name = "sink.cutouts",
    .summary = "writes the waterfall and DM against time around each candidate of a list, as "
               "`your` and FETCH read them",
    .ports = {{"X", CT_IN, 0, "[BS]?Q?TC", "u8 u16 i8 i16 f32", "*", "BSQCT", "power"}},
    .params = params,
    .infer = infer_sink,
    .traits = CT_STAGE_THREAD,
    .io = {.open = open_sink, .write = write_sink, .close = close_sink},
};

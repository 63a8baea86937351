/* candidates.c: sink.candidates: pulses as JSON, a table, and a picture.
 * Room: io/candidates. Knows dedispersed series and its files. Does not know how series were made,
 * nor how pulses are found in them. */
#include "candidates.h"
#include "format.h"
#include "intensity.h"

#include <stdio.h>
#include <string.h>

enum { X };

#define MOST_BYTES 4e9          /* of the search */
enum { JSON_RESERVED = 65536 }; /* of a disk that may be full when the pulses are written */

static int64_t noise_samples(const ct_step *step)
{
    const int64_t given = ct_step_int(step, "noise_samples");
    return given > 0 ? given : ct_search_stretch(ct_step_int(step, "widest"));
}

/* A viewer goes by the name. */
static ct_status check_picture(const ct_step *step, ct_error *err)
{
    static const char *const others[] = {".png", ".jpg", ".jpeg", ".gif", ".pdf", NULL};
    const char *name = ct_step_text(step, "picture"), *end = name ? strrchr(name, '.') : NULL;
    for (int i = 0; end && others[i]; i++)
        if (strcmp(end, others[i]) == 0)
            return ct_step_fail(step, "picture", err,
                                "the picture is made as SVG: expected a name such as found.svg, "
                                "found one that ends with %s",
                                end);
    return CT_OK;
}

/* Parameters for the picture are checked without a picture, too. */
static ct_status check_drawn(const ct_step *step, ct_error *err)
{
    const ct_array *x = &step->port[X];
    const ct_value *directions = ct_step_value(step, "directions"),
                   *mark = ct_step_value(step, "mark");
    const int64_t beams = ct_array_extent(x, 'B') * ct_array_extent(x, 'S');
    if (directions &&
        (ct_value_kind(directions) != CT_LIST || (int64_t)ct_value_count(directions) != beams))
        return ct_step_fail(step, "directions", err,
                            "expected a list of [azimuth, elevation], one for each of %lld beam%s, "
                            "found %zu",
                            (long long)beams, &"s"[beams == 1], ct_value_count(directions));
    for (size_t i = 0; i < ct_value_count(mark); i++) {
        const char *key = ct_value_key(mark, i);
        const ct_kind kind = ct_value_kind(ct_value_at(mark, i));
        if (key && (strcmp(key, "dm") == 0 || strcmp(key, "time_s") == 0) &&
            (kind == CT_INT || kind == CT_REAL))
            continue;
        return ct_step_fail(step, "mark", err, "expected numbers {\"dm\": .., \"time_s\": ..}");
    }
    return check_picture(step, err);
}

static bool has_bins(const ct_step *step)
{
    return ct_array_find(&step->port[X], 'N') >= 0;
}

/* Who searches says how. */
static ct_status check_bins(const ct_step *step, ct_error *err)
{
    static const char *const others[] = {"widest", "noise_samples", NULL};
    const ct_array *x = &step->port[X];
    const double bytes =
        ct_bins_bytes((double)ct_array_extent(x, 'B') * (double)ct_array_extent(x, 'S') *
                          (double)ct_array_extent(x, 'Q'),
                      (double)ct_array_extent(x, 'D'));
    if (ct_array_extent(x, 'N') != CT_BIN_NUMBERS)
        return ct_step_fail(step, "input", err,
                            "expected the %d numbers of a bin that stage pulses gives, found %lld",
                            CT_BIN_NUMBERS, (long long)ct_array_extent(x, 'N'));
    for (int i = 0; others[i]; i++)
        if (ct_step_value(step, others[i]))
            return ct_step_fail(step, others[i], err,
                                "the pulses that come in are found already: give \"%s\" to the "
                                "node that searches",
                                others[i]);
    if (bytes > MOST_BYTES)
        return ct_step_fail(step, "input", err,
                            "so many series (beams, Stokes parameters, trials) take %.1f GB, "
                            "expected at most %.1f",
                            1e-9 * bytes, 1e-9 * MOST_BYTES);
    return CT_OK;
}

static ct_status infer_sink(ct_step *step, ct_error *err)
{
    ct_intensity_warn(step, "pulses are searched in each product by itself");
    if (has_bins(step)) {
        const ct_status status = check_bins(step, err);
        return status == CT_OK ? check_drawn(step, err) : status;
    }
    const ct_array *x = &step->port[X];
    for (int i = 0; i < CT_CANDIDATES_TABLES; i++)
        if (ct_step_path(step, ct_candidates_tables[i].param))
            return ct_step_fail(step, ct_candidates_tables[i].param, err,
                                "a list of pulses needs stage pulses before this sink: "
                                "{\"stage\": \"pulses\", \"input\": ..}");
    const int64_t widest = ct_step_int(step, "widest"), stretch = noise_samples(step);
    const double series = (double)ct_array_extent(x, 'B') * (double)ct_array_extent(x, 'S') *
                          (double)ct_array_extent(x, 'Q') * (double)ct_array_extent(x, 'D');
    const double bytes = ct_search_bytes(series, widest, stretch);
    if (stretch < ct_search_fewest(widest))
        return ct_step_fail(step, "noise_samples", err,
                            "the noise for boxcars of up to %lld samples cannot be taken from "
                            "%lld, expected at least %lld",
                            (long long)widest, (long long)stretch,
                            (long long)ct_search_fewest(widest));
    if (bytes > MOST_BYTES)
        return ct_step_fail(step, "noise_samples", err,
                            "the last %lld samples of each of %.0f series (beams, Stokes "
                            "parameters, trials) and what goes with them take %.1f GB, expected "
                            "at most %.1f; take the noise from fewer samples (%lld or more), or "
                            "search fewer series",
                            (long long)stretch, series, 1e-9 * bytes, 1e-9 * MOST_BYTES,
                            (long long)ct_search_fewest(widest));
    return check_drawn(step, err);
}

static void candidates_shape(ct_candidates *c, const ct_array *x)
{
    c->array = *x;
    c->trials = ct_array_extent(x, 'D');
    c->products = ct_array_extent(x, 'Q');
    c->planes = c->products * ct_array_extent(x, 'B') * ct_array_extent(x, 'S');
    for (int64_t d = 0; x->meta.downsample != NULL && d < c->trials; d++)
        c->finest = ct_common_divisor(x->meta.downsample[d], c->finest);
}

static ct_status candidates_search(ct_candidates *c, ct_step *step)
{
    ct_search *p = &c->search;
    const bool bins = has_bins(step);
    p->count = c->planes * c->trials;
    p->widest = bins ? 1 : ct_step_int(step, "widest");
    p->stretch = bins ? 0 : noise_samples(step);
    const double bytes = bins ? ct_bins_bytes((double)c->planes, (double)c->trials)
                              : ct_search_bytes((double)p->count, p->widest, p->stretch);
    c->kept = ct_step_alloc(step, sizeof *c->kept + (size_t)bytes);
    c->best = ct_step_alloc(step, (size_t)c->planes * sizeof *c->best);
    c->marked = ct_step_alloc(step, (size_t)c->planes * CT_BINS_PIECE);
    if (!c->kept || !c->best || !c->marked) return CT_FAILED;
    memset(c->kept, 0, sizeof *c->kept + (size_t)bytes); /* touched now, not by the first block */
    ct_search_begin(p, c->kept + 1);
    if (bins) ct_bins_begin(c, p->last);
    for (int64_t row = 0; row < p->count; row++)
        p->series[row].ratio = ct_candidates_ratio(c, row % c->trials);
    return CT_OK;
}

static ct_status close_sink(void *state, bool complete, ct_error *err);

static ct_status open_sink(ct_step *step, void **state, ct_error *err)
{
    ct_candidates *c = ct_step_alloc(step, sizeof *c);
    *state = c;
    if (!c) return CT_FAILED;
    c->step = step;
    candidates_shape(c, &step->port[X]);
    ct_status status = candidates_search(c, step);
    if (status == CT_OK)
        status = ct_output_open(&c->json, step, ct_step_path(step, "file"), true, err);
    if (status == CT_OK) status = ct_output_reserve(&c->json, JSON_RESERVED, err);
    for (int i = 0; status == CT_OK && i < CT_CANDIDATES_TABLES; i++) {
        const char *file = ct_step_path(step, ct_candidates_tables[i].param);
        if (file) status = ct_output_open(&c->table[i], step, file, true, err);
    }
    if (status == CT_OK && ct_step_path(step, "picture") != NULL)
        status = ct_output_open(&c->picture, step, ct_step_path(step, "picture"), true, err);
    if (status != CT_OK) (void)close_sink(c, false, NULL);
    return status;
}

/* A downsampled trial's samples stand `ratio` times each (dedisp holds them): the last of these is
 * taken, wherever a block ends. */
static ct_status write_sink(void *state, const ct_array *block, int64_t first, int64_t count,
                            ct_error *err)
{
    ct_candidates *c = state;
    (void)err;
    if (c->bins) {
        ct_bins_write(c, block, first, count);
        return CT_OK;
    }
    const int64_t before = c->search.samples, stride = ct_array_stride(block, 'T');
    ct_search_extend(&c->search, count);
    for (int64_t row = 0; row < c->search.count; row++) {
        const int64_t ratio = c->search.series[row].ratio, done = before / ratio;
        const float *x = ct_candidates_at(c, block, row / c->trials, first) +
                         row % c->trials * ct_array_stride(block, 'D');
        ct_search_add(&c->search, row, x + ((done + 1) * ratio - 1 - before) * stride,
                      ratio * stride, (before + count) / ratio - done);
    }
    return CT_OK;
}

/* Bytes after c->kept that are carried from block to block. */
static size_t carried(const ct_candidates *c)
{
    return ct_search_carried(&c->search) + (c->bins ? ct_bins_carried(c) : 0);
}

static ct_status save_sink(void *state, const void **data, size_t *bytes, ct_error *err)
{
    ct_candidates *c = state;
    *c->kept = (ct_kept){c->search.samples, c->search.bins, c->search.shift};
    *data = c->kept;
    *bytes = sizeof *c->kept + carried(c);
    return ct_output_release(&c->json, err);
}

static ct_status restore_sink(void *state, int64_t position, const void *data, size_t bytes,
                              ct_error *err)
{
    ct_candidates *c = state;
    const size_t least = sizeof *c->kept + carried(c);
    const size_t most = least + (c->bins ? CT_CANDIDATES_LISTED * sizeof *c->list : 0);
    const bool fits = bytes >= least && bytes <= most;
    if (fits) memcpy(c->kept, data, bytes);
    const int64_t each = c->bins && c->bins->bin > 0 ? c->bins->bin : 1;
    if (!fits || bytes != sizeof *c->kept + carried(c) || c->kept->samples != position * each)
        return ct_error_add(err, CT_DATA, "%s: the journal has another search than this one",
                            ct_step_path(c->step, "file"));
    c->search.samples = c->kept->samples;
    c->search.bins = c->kept->bins;
    c->search.shift = (int)c->kept->shift;
    if (c->bins) ct_bins_know(c, c->bins->bin);
    return CT_OK;
}

static ct_status close_sink(void *state, bool complete, ct_error *err)
{
    ct_candidates *c = state;
    ct_status status = CT_OK;
    if (complete) {
        if (c->bins)
            ct_bins_finish(c);
        else
            ct_search_finish(&c->search);
        ct_candidates_choose(c);
        status = ct_candidates_print_json(c, err);
    }
    for (int i = 0; complete && status == CT_OK && i < CT_CANDIDATES_TABLES; i++)
        if (c->table[i].started) status = ct_candidates_tables[i].print(c, &c->table[i], err);
    if (complete && status == CT_OK && c->picture.started) status = ct_candidates_draw(c, err);
    if (complete && status == CT_OK) ct_candidates_say(c);
    const bool whole = complete && status == CT_OK;
    ct_status closed = ct_output_close(&c->json, whole, err);
    if (status == CT_OK) status = closed;
    for (int i = 0; i < CT_CANDIDATES_TABLES; i++) {
        closed = ct_output_close(&c->table[i], whole && status == CT_OK, err);
        if (status == CT_OK) status = closed;
    }
    closed = ct_output_close(&c->picture, whole && status == CT_OK, err);
    return status == CT_OK ? closed : status;
}

static const ct_param params[] = {
    {"file", CT_PARAM_FILE, "!", NULL, 0, 0, "the JSON file to write"},
    {"csv", CT_PARAM_FILE, NULL, NULL, 0, 0,
     "a table of all candidates to write, after stage pulses"},
    {"singlepulse", CT_PARAM_FILE, NULL, NULL, 0, 0,
     "the same as PRESTO's .singlepulse files have it"},
    {"heimdall", CT_PARAM_FILE, NULL, NULL, 0, 0, "the same with the columns of heimdall's .cand"},
    {"t2", CT_PARAM_FILE, NULL, NULL, 0, 0, "the same with the columns of DSA-110's T2, as CSV"},
    {"picture", CT_PARAM_FILE, NULL, NULL, 0, 0, "an SVG file to write"},
    {"most_per_s", CT_PARAM_INT, "100", NULL, 1, 65536,
     "candidates of a second that are listed at most, the strongest of them"},
    {"widest", CT_PARAM_INT, "16", NULL, 1, 4096, "samples of the widest boxcar"},
    {"noise_samples", CT_PARAM_INT, NULL, NULL, 128, 16777216,
     "samples of a series that have one noise; else 16 times `widest` and at least 1024"},
    {"directions", CT_PARAM_ANY, NULL, NULL, 0, 0,
     "of the beams: a list of [azimuth, elevation] in degrees, for the picture"},
    {"mark", CT_PARAM_ANY, NULL, NULL, 0, 0,
     "what is expected: {\"dm\": .., \"time_s\": ..}, for the picture"},
    {0}};

const ct_stage ct_stage_sink_candidates = {
    .api = CT_API,
    .version = 1,
    .name = "sink.candidates",
    .summary = "writes pulses as JSON, a table and a picture: those of stage pulses, or what it "
               "finds itself",
    .ports = {{"X", CT_IN, 0, "[BS]?Q?DTN?", "f32", "*", "BQDNT",
               "what stage pulses gives, or dedispersed series"}},
    .params = params,
    .infer = infer_sink,
    .traits = CT_STAGE_THREAD | CT_STAGE_MENDS,
    .io = {.open = open_sink,
           .write = write_sink,
           .close = close_sink,
           .save = save_sink,
           .restore = restore_sink},
};

const ct_format ct_format_candidates = {.sink = &ct_stage_sink_candidates};

/* presto_source.c: source.presto: dedispersed time series, a .dat with its .inf for each trial: D,
 * T. Trials are sorted by their DM.
 * Room: io/presto. Knows what an .inf says. Does not know graphs. */
#include "array_source.h"
#include "filterbank.h"
#include "numbers.h"
#include "presto.h"
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIECE_SAMPLES ((int64_t)1 << 16)

typedef struct presto_trial {
    const char *dat;
    double dm;
} presto_trial;

typedef struct presto_plan {
    int64_t trials, samples;
    presto_trial *trial;
    ct_presto_inf inf; /* the first file's */
} presto_plan;

typedef struct presto_source {
    const presto_plan *plan;
    float *piece;
    int64_t next;
    double bytes;
    ct_counter counter[2];
} presto_source;

static const ct_param presto_params[] = {
    {"files", CT_PARAM_ANY, "!", NULL, 0, 0,
     "name.dat, with name.inf beside it; a list of them, one for each DM, or a pattern: "
     "\"sky_DM*.dat\""},
    {0}};

/* ---- which files */

static ct_status plan_name(ct_step *step, presto_plan *plan, const char *file, ct_error *err)
{
    char inf[CT_PRESTO_NAME];
    if (!ct_presto_beside(inf, file))
        return ct_step_fail(step, "files", err, "expected a name that ends with .dat, found \"%s\"",
                            file);
    ct_step_reads(step, "files", file);
    ct_step_reads(step, "files", inf);
    plan->trial[plan->trials++].dat = file;
    return CT_OK;
}

static ct_status plan_pattern(ct_step *step, presto_plan *plan, const char *pattern, ct_error *err)
{
    glob_t found = {0};
    ct_status status = CT_OK;
    const int failed = glob(ct_step_resolve(step, pattern), GLOB_ERR, NULL, &found);
    if (failed)
        status =
            ct_step_fail(step, "files", err, "expected files like \"%s\", found none", pattern);
    plan->trial = ct_step_alloc(step, (found.gl_pathc + 1) * sizeof *plan->trial);
    for (size_t i = 0; status == CT_OK && plan->trial && i < found.gl_pathc; i++) {
        const char *file = ct_input_text(step, found.gl_pathv[i]);
        status = file ? plan_name(step, plan, file, err) : CT_FAILED;
    }
    globfree(&found);
    return plan->trial ? status : CT_FAILED;
}

static ct_status plan_names(ct_step *step, presto_plan *plan, ct_error *err)
{
    const ct_value *files = ct_step_value(step, "files");
    const bool list = ct_value_kind(files) == CT_LIST;
    const size_t count = list ? ct_value_count(files) : 1;
    const char *only = ct_value_text(files, NULL);
    ct_status status = CT_OK;
    if (only && strpbrk(only, "*?[")) return plan_pattern(step, plan, only, err);
    plan->trial = ct_step_alloc(step, (count + 1) * sizeof *plan->trial);
    if (!plan->trial) return CT_FAILED;
    for (size_t i = 0; status == CT_OK && i < count; i++) {
        const char *file = ct_value_text(list ? ct_value_at(files, i) : files, NULL);
        if (!file) return ct_step_fail(step, "files", err, "expected names of files");
        status = plan_name(step, plan, ct_step_resolve(step, file), err);
    }
    if (count == 0) return ct_step_fail(step, "files", err, "expected at least one file");
    return status;
}

/* ---- what they say */

static ct_status plan_check(const ct_presto_inf *inf, const char *file, ct_error *err)
{
    const struct {
        const char *label, *key;
        double value, unit;
    } rows[] = {{"Width of each time series bin (sec)", "sample_time_s", inf->bin_s, 1},
                {"Epoch of observation (MJD)", "start_mjd", inf->epoch_mjd, 1},
                {"Dispersion measure (cm-3 pc)", "dm", inf->dm, 1},
                {"Central freq of low channel (MHz)", "frequency_hz", inf->low_mhz, 1e6},
                {"Total bandwidth (MHz)", "channel_width_hz", inf->bandwidth_mhz, 1e6}};
    ct_status status = CT_OK;
    for (size_t i = 0; status == CT_OK && i < sizeof rows / sizeof rows[0]; i++)
        status =
            ct_filterbank_hold(file, rows[i].label, rows[i].key, rows[i].value, rows[i].unit, err);
    return status;
}

static ct_status plan_compare(const presto_plan *plan, const ct_presto_inf *inf, const char *file,
                              ct_error *err)
{
    const ct_presto_inf *first = &plan->inf;
    const struct {
        const char *label;
        double a, b;
    } rows[] = {{"Number of bins in the time series", first->bins, inf->bins},
                {"Width of each time series bin (sec)", first->bin_s, inf->bin_s},
                {"Epoch of observation (MJD)", first->epoch_mjd, inf->epoch_mjd},
                {"Number of on/off bin pairs", (double)first->pairs, (double)inf->pairs}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].a != rows[i].b)
            return ct_error_add(err, CT_DATA, "%s: %s: expected %.15g as in %s, found %.15g", file,
                                rows[i].label, rows[i].a, plan->trial[0].dat, rows[i].b);
    if (memcmp(first->pair, inf->pair, (size_t)inf->pairs * sizeof inf->pair[0]) == 0) return CT_OK;
    return ct_error_add(err, CT_DATA, "%s: On/Off bin pair: expected those of %s, found others",
                        file, plan->trial[0].dat);
}

/* The .dat counts where it is shorter. */
static ct_status plan_length(ct_step *step, presto_plan *plan, const char *file, ct_error *err)
{
    ct_input in;
    const ct_status status = ct_input_open(&in, file, err);
    if (status != CT_OK) return status;
    const int64_t there = in.size / (int64_t)sizeof(float), bins = (int64_t)plan->inf.bins;
    const bool torn = in.size % (int64_t)sizeof(float) != 0;
    ct_input_close(&in);
    if (there < 1) return ct_error_add(err, CT_DATA, "%s: expected samples, found none", file);
    if (there != bins || torn)
        ct_step_warn(step, "%s: has %lld samples%s, and its .inf says %lld", file, (long long)there,
                     torn ? " and a part of one" : "", (long long)bins);
    if (there < plan->samples) plan->samples = there;
    return CT_OK;
}

static ct_status plan_read(ct_step *step, presto_plan *plan, int64_t i, ct_error *err)
{
    char name[CT_PRESTO_NAME];
    presto_trial *trial = &plan->trial[i];
    ct_presto_inf inf;
    (void)ct_presto_beside(name, trial->dat);
    ct_status status = ct_presto_read(&inf, name, err);
    if (status == CT_OK) status = plan_check(&inf, name, err);
    if (status == CT_OK && i == 0) {
        plan->inf = inf;
        plan->samples = (int64_t)inf.bins;
    } else if (status == CT_OK) {
        status = plan_compare(plan, &inf, name, err);
    }
    if (status == CT_OK) status = plan_length(step, plan, trial->dat, err);
    trial->dm = inf.dm;
    return status;
}

static int plan_by_dm(const void *a, const void *b)
{
    const double left = ((const presto_trial *)a)->dm, right = ((const presto_trial *)b)->dm;
    return (left > right) - (left < right);
}

static ct_status plan_sort(presto_plan *plan, ct_error *err)
{
    qsort(plan->trial, (size_t)plan->trials, sizeof *plan->trial, plan_by_dm);
    for (int64_t i = 1; i < plan->trials; i++)
        if (plan->trial[i].dm == plan->trial[i - 1].dm)
            return ct_error_add(err, CT_DATA,
                                "%s: expected one file for each DM, found a DM of %g in %s, too",
                                plan->trial[i].dat, plan->trial[i].dm, plan->trial[i - 1].dat);
    return CT_OK;
}

/* ---- what is known */

/* Times refer to the highest channel. */
static ct_status presto_band(ct_step *step, const ct_presto_inf *inf, ct_meta *meta)
{
    const bool counted = inf->channels >= 1 && inf->channels < 1e9;
    const double channels = counted ? inf->channels : 1;
    ct_header *more = ct_step_alloc(step, sizeof *more);
    double *hz = ct_step_alloc(step, sizeof *hz);
    if (!more || !hz) return CT_FAILED;
    *more = (ct_header){.channels = counted ? (int64_t)channels : 0,
                        .barycentric = inf->barycentric != 0};
    meta->header = more;
    if (!(inf->low_mhz > 0) || !(inf->bandwidth_mhz > 0)) return CT_OK;
    *hz = 1e6 * (inf->low_mhz + inf->bandwidth_mhz / channels * (channels - 1));
    meta->frequency_hz = hz;
    meta->frequencies = 1;
    meta->channel_width_hz = 1e6 * inf->bandwidth_mhz;
    return CT_OK;
}

static ct_status presto_meta(ct_step *step, const presto_plan *plan, ct_meta *meta)
{
    const ct_presto_inf *inf = &plan->inf;
    double *dm = ct_step_alloc(step, (size_t)plan->trials * sizeof *dm);
    if (!dm) return CT_FAILED;
    for (int64_t i = 0; i < plan->trials; i++)
        dm[i] = plan->trial[i].dm;
    *meta = (ct_meta){.sample_time_s = inf->bin_s,
                      .start_mjd = inf->epoch_mjd,
                      .start_s = inf->epoch_s + 0.5 * inf->bin_s,
                      .dm = dm,
                      .dms = plan->trials,
                      .src_raj = inf->raj,
                      .src_dej = inf->dej,
                      .source_name = ct_input_text(step, inf->object),
                      .telescope = ct_input_text(step, inf->telescope)};
    return presto_band(step, inf, meta);
}

static ct_status presto_infer(ct_step *step, ct_error *err)
{
    ct_array natural = {.type = CT_F32};
    ct_layout order = {.rank = 2, .dim = "DT"};
    presto_plan *plan = step->state = ct_step_alloc(step, sizeof *plan);
    if (!plan) return CT_FAILED;
    ct_status status = plan_names(step, plan, err);
    for (int64_t i = 0; status == CT_OK && i < plan->trials; i++)
        status = plan_read(step, plan, i, err);
    if (status == CT_OK) status = plan_sort(plan, err);
    if (status == CT_OK) status = presto_meta(step, plan, &natural.meta);
    if (status != CT_OK) return status;
    ct_array_add(&natural, 'D', plan->trials);
    ct_array_add(&natural, 'T', plan->samples);
    const ct_stored stored = {.order = ct_region_order_dense(&order, &natural, plan->samples),
                              .total = plan->samples};
    ct_array_source_describe(step, &natural, &stored);
    return CT_OK;
}

/* ---- reading */

static ct_status presto_close(void *state, bool complete, ct_error *err)
{
    (void)state, (void)complete, (void)err;
    return CT_OK;
}

static ct_status presto_open(ct_step *step, void **state, ct_error *err)
{
    presto_source *source = *state = ct_step_alloc(step, sizeof *source);
    (void)err;
    if (!source) return CT_FAILED;
    source->plan = step->state;
    source->piece = ct_step_alloc(step, (size_t)PIECE_SAMPLES * sizeof *source->piece);
    return source->piece ? CT_OK : CT_FAILED;
}

static ct_status source_read_trial(presto_source *source, ct_input *in, ct_array *block, int64_t d,
                                   int64_t count, ct_error *err)
{
    ct_status status = CT_OK;
    const int64_t stride = ct_array_stride(block, 'T');
    float *to = (float *)block->data + block->offset + d * ct_array_stride(block, 'D');
    for (int64_t t = 0, now; status == CT_OK && t < count; t += now) {
        now = count - t < PIECE_SAMPLES ? count - t : PIECE_SAMPLES;
        const size_t bytes = (size_t)now * sizeof(float);
        status = ct_input_read(in, (source->next + t) * (int64_t)sizeof(float), source->piece,
                               bytes, err);
        if (status != CT_OK) break;
        ct_numbers_swap(source->piece, bytes, ct_numbers_host_is_big() ? sizeof(float) : 0);
        ct_copy_row(to + t * stride, stride, source->piece, 1, now, (int)sizeof(float));
        source->bytes += (double)bytes;
    }
    return status;
}

/* What is in no pair of bins is missing. */
static void source_flag(const presto_source *source, uint8_t *flags, int64_t count)
{
    const ct_presto_inf *inf = &source->plan->inf;
    if (!flags || inf->breaks == 0) return;
    memset(flags, 1, (size_t)count);
    for (int64_t i = 0; i < inf->pairs; i++) {
        const int64_t first = inf->pair[i][0] - source->next, last = inf->pair[i][1] - source->next;
        const int64_t from = first > 0 ? first : 0, end = last < count ? last + 1 : count;
        if (from < end) memset(flags + from, 0, (size_t)(end - from));
    }
}

static ct_status presto_read(void *state, ct_array *block, uint8_t *flags, int64_t *got,
                             ct_error *err)
{
    presto_source *source = state;
    const presto_plan *plan = source->plan;
    const int64_t room = ct_array_extent(block, 'T'), left = plan->samples - source->next;
    ct_status status = CT_OK;
    *got = left < room ? left : room;
    for (int64_t d = 0; status == CT_OK && d < plan->trials; d++) {
        ct_input in; /* of many files one is open */
        status = ct_input_open(&in, plan->trial[d].dat, err);
        if (status != CT_OK) break;
        status = source_read_trial(source, &in, block, d, *got, err);
        ct_input_close(&in);
    }
    ct_array_source_end(block, flags, *got);
    source_flag(source, flags, *got);
    source->next += *got;
    return status;
}

static ct_status presto_seek(void *state, int64_t position, ct_error *err)
{
    (void)err;
    ((presto_source *)state)->next = position;
    return CT_OK;
}

static const ct_counter *presto_count(void *state)
{
    presto_source *source = state;
    source->counter[0] = (ct_counter){.name = "read",
                                      .unit = "bytes",
                                      .help = "Bytes of packets or files that were looked at.",
                                      .value = source->bytes};
    return source->counter;
}

const ct_stage ct_stage_source_presto = {
    .api = CT_API,
    .version = 1,
    .name = "source.presto",
    .summary = "PRESTO's time series, a .dat and an .inf for each trial",
    .ports = {{"Y", CT_OUT, 0, "*", "f32", "*", NULL, "D,T"}},
    .params = presto_params,
    .infer = presto_infer,
    .traits = CT_STAGE_THREAD,
    .io = {.open = presto_open,
           .read = presto_read,
           .close = presto_close,
           .count = presto_count,
           .seek = presto_seek},
};

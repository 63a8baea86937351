/* lofar_bf_source.c: source.lofar_bf: one beam of LOFAR's HDF5 files: power T, Q (if there are
 * several), C, or voltages S, P, T, C, of one file or of one for each component.
 * Room: io/lofar_bf. Knows ports. Does not know HDF5. */
#include "angle.h"
#include "array_source.h"
#include "lofar_bf.h"
#include "magic.h"
#include "ranges.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROWS_BYTES ((int64_t)1 << 20)

/* Where a component is: a plane of a file; file -1: nowhere. */
typedef struct bf_place {
    int64_t file, plane;
} bf_place;

typedef struct bf_plan {
    int64_t files;
    const char **name;
    int64_t pointing, beam;
    bf_place place[CT_LOFAR_BF_COMPONENTS];
    int component[CT_LOFAR_BF_PLANES]; /* that are read, in their order */
    int64_t components, samples, channels;
} bf_plan;

typedef struct bf_source {
    const bf_plan *plan;
    ct_lofar_bf *file;
    float *rows; /* some of a plane's */
    int64_t rows_most, next;
} bf_source;

static const ct_param bf_params[] = {
    {"files", CT_PARAM_ANY, "!", NULL, 0, 0,
     "a .h5 file, or a list of those of one beam, with a component each: [\".._S0_bf.h5\", ..]"},
    {"pointing", CT_PARAM_INT, NULL, NULL, 0, 999,
     "SUB_ARRAY_POINTING to read; default: the first of the file"},
    {"beam", CT_PARAM_INT, NULL, NULL, 0, 999, "BEAM to read; default: the first of the pointing"},
    {0}};

/* ---- what the files hold */

static ct_status plan_compare(const ct_lofar_bf *first, const ct_lofar_bf *file, ct_error *err)
{
    const struct {
        const char *what;
        double a, b;
    } rows[] = {{"SUB_ARRAY_POINTING", (double)first->pointing, (double)file->pointing},
                {"BEAM", (double)first->beam, (double)file->beam},
                {"channels", (double)first->channels, (double)file->channels},
                {"SAMPLING_TIME", first->sample_time_s, file->sample_time_s},
                {"BEAM_FREQUENCY_CENTER", first->centre_hz, file->centre_hz},
                {"OBSERVATION_START", first->start_mjd, file->start_mjd}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].a != rows[i].b)
            return ct_error_add(err, CT_DATA, "%s: %s: expected %.15g as in %s, found %.15g",
                                file->file, rows[i].what, rows[i].a, first->file, rows[i].b);
    return CT_OK;
}

static ct_status plan_take(bf_plan *plan, int64_t i, const ct_lofar_bf *file, ct_error *err)
{
    for (int64_t k = 0; k < file->planes; k++) {
        const int component = file->plane[k].component;
        bf_place *place = &plan->place[component];
        if (place->file >= 0)
            return ct_error_add(err, CT_DATA, "%s: expected %s once, found it in %s, too",
                                file->file, ct_lofar_bf_component_name(component),
                                plan->name[place->file]);
        *place = (bf_place){i, k};
    }
    if (i == 0 || file->samples < plan->samples) plan->samples = file->samples;
    return CT_OK;
}

static bool plan_is_power(const bf_plan *plan)
{
    return plan->component[0] < CT_LOFAR_BF_VOLTS;
}

/* Parts of voltages come in pairs. */
static bool plan_is_whole(const bf_plan *plan)
{
    if (plan_is_power(plan)) return plan->component[plan->components - 1] < CT_LOFAR_BF_VOLTS;
    return plan->component[0] == CT_LOFAR_BF_VOLTS && plan->components % 2 == 0 &&
           plan->component[plan->components - 1] == CT_LOFAR_BF_VOLTS + plan->components - 1;
}

/* Which components there are, and whether they make an array. */
static ct_status plan_components(bf_plan *plan, ct_error *err)
{
    char found[64] = "";
    for (int i = 0; i < CT_LOFAR_BF_COMPONENTS; i++) {
        if (plan->place[i].file < 0) continue;
        const size_t length = strlen(found);
        snprintf(found + length, sizeof found - length, "%s%s", length ? ", " : "",
                 ct_lofar_bf_component_name(i));
        if (plan->components == CT_LOFAR_BF_PLANES)
            return ct_error_add(err, CT_DATA, "%s: expected at most %d components, found %s ..",
                                plan->name[0], CT_LOFAR_BF_PLANES, found);
        plan->component[plan->components++] = i;
    }
    if (plan_is_whole(plan)) return CT_OK;
    return ct_error_add(err, CT_DATA,
                        "%s: expected power, or Xr and Xi, or Xr, Xi, Yr and Yi, found %s: give "
                        "the list of the files of this beam",
                        plan->name[0], found);
}

/* Receptors are X and Y. */
static ct_status plan_products(ct_step *step, const bf_plan *plan, ct_meta *meta)
{
    ct_products *products = ct_step_alloc(step, sizeof *products);
    if (!products) return CT_FAILED;
    products->feed = plan_is_power(plan) ? CT_FEED_UNKNOWN : CT_FEED_LINEAR;
    for (int64_t k = 0; plan_is_power(plan) && k < plan->components; k++)
        products->of[products->count++] = ct_product_at((size_t)plan->component[k]);
    meta->products = products;
    return CT_OK;
}

static ct_status plan_check_numbers(const ct_lofar_bf *file, ct_error *err)
{
    const struct {
        const char *key, *what;
        double value;
        bool signs;
    } rows[] = {{"sample_time_s", "SAMPLING_TIME", file->sample_time_s, false},
                {"start_mjd", "OBSERVATION_START_MJD", file->start_mjd, false},
                {"channel_width_hz", "CHANNEL_WIDTH", file->width_hz, false},
                {"frequency_hz", "BEAM_FREQUENCY_CENTER", file->centre_hz, false},
                {"src_raj", "POINT_RA", file->ra_deg, true},
                {"src_dej", "POINT_DEC", file->dec_deg, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char expected[CT_RANGES_EXPECTED] = "a number of 0 or more";
        if (ct_ranges_hold(rows[i].key, rows[i].value, expected) &&
            (rows[i].signs || rows[i].value >= 0))
            continue;
        return ct_error_add(err, CT_DATA, "%s: %s: expected %s, found %g", file->file, rows[i].what,
                            expected, rows[i].value);
    }
    return CT_OK;
}

static ct_status plan_frequencies(ct_step *step, const ct_lofar_bf *file, ct_meta *meta,
                                  ct_error *err)
{
    char expected[CT_RANGES_EXPECTED];
    double *hz = ct_step_alloc(step, (size_t)file->channels * sizeof *hz);
    if (!hz) return CT_FAILED;
    if (!ct_lofar_bf_frequencies(file, hz)) return CT_OK;
    for (int64_t c = 0; c < file->channels; c++)
        if (!(hz[c] > 0) || !ct_ranges_hold("frequency_hz", hz[c], expected))
            return ct_error_add(err, CT_DATA,
                                "%s: COORDINATE_1: expected frequencies above 0, found %g Hz",
                                file->file, hz[c]);
    meta->frequency_hz = hz;
    meta->frequencies = file->channels;
    meta->channel_width_hz = file->width_hz;
    return CT_OK;
}

static ct_status plan_describe(ct_step *step, const ct_lofar_bf *file, ct_meta *meta, ct_error *err)
{
    ct_status status = plan_check_numbers(file, err);
    if (status != CT_OK) return status;
    *meta = (ct_meta){.sample_time_s = file->sample_time_s,
                      .start_mjd = file->start_mjd,
                      .start_s = file->start_s + 0.5 * file->sample_time_s,
                      .source_name = ct_input_text(step, file->source),
                      .telescope = ct_input_text(step, file->telescope)};
    const double turns = floor(file->ra_deg / 360);
    if (file->ra_deg != 0 || file->dec_deg != 0) {
        meta->src_raj = ct_angle_pack((file->ra_deg - turns * 360) / 15);
        meta->src_dej = ct_angle_pack(file->dec_deg);
    }
    return plan_frequencies(step, file, meta, err);
}

static void plan_warn(ct_step *step, const ct_lofar_bf *file)
{
    if (file->samples < file->declared)
        ct_step_warn(step, "%s: has %lld of the %lld samples that it should have", file->file,
                     (long long)file->samples, (long long)file->declared);
    if (file->dm != 0)
        ct_step_warn(step, "%s: channels are dedispersed for a DM of %g already", file->file,
                     file->dm);
}

static ct_status plan_add(ct_step *step, bf_plan *plan, int64_t i, ct_lofar_bf *first,
                          ct_meta *meta, ct_error *err)
{
    ct_lofar_bf file;
    ct_status status = ct_lofar_bf_open(&file, plan->name[i], plan->pointing, plan->beam, err);
    if (status != CT_OK) return status;
    if (i == 0) {
        *first = file;
        plan->pointing = file.pointing;
        plan->beam = file.beam;
        plan->channels = file.channels;
        status = plan_describe(step, &file, meta, err);
    } else {
        status = plan_compare(first, &file, err);
    }
    if (status == CT_OK) status = plan_take(plan, i, &file, err);
    if (status == CT_OK) plan_warn(step, &file);
    ct_lofar_bf_close(&file);
    return status;
}

/* Before HDF5 looks at it: is there such a file, and is it one of HDF5. */
static ct_status plan_look(const char *name, ct_error *err)
{
    static const char magic[] = "\x89HDF\r\n\x1a\n";
    char start[8] = "";
    ct_input in;
    ct_status status = ct_input_open(&in, name, err);
    if (status != CT_OK) return status;
    if (in.size >= 8) status = ct_input_read(&in, 0, start, sizeof start, err);
    if (status == CT_OK && memcmp(start, magic, sizeof start) != 0)
        status =
            ct_error_add(err, CT_DATA, "%s: expected LOFAR's beam-formed data in HDF5, found %s",
                         name, ct_magic_name(&in));
    const char *other = status == CT_OK ? ct_magic_other(&in, CT_LOFAR_BF_FORMAT) : NULL;
    if (other)
        status = ct_error_add(err, CT_DATA,
                              "%s: expected LOFAR's beam-formed data (FILETYPE \"bf\"), found %s",
                              name, other);
    ct_input_close(&in);
    return status;
}

static ct_status plan_probe(ct_step *step, bf_plan *plan, ct_meta *meta, ct_error *err)
{
    const ct_value *files = ct_step_value(step, "files");
    const bool list = ct_value_kind(files) == CT_LIST;
    ct_lofar_bf first = {0};
    ct_status status = CT_OK;
    plan->files = list ? (int64_t)ct_value_count(files) : 1;
    plan->name = ct_step_alloc(step, (size_t)(plan->files + 1) * sizeof *plan->name);
    if (!plan->name) return CT_FAILED;
    for (int64_t i = 0; status == CT_OK && i < plan->files; i++) {
        const char *file = ct_value_text(list ? ct_value_at(files, (size_t)i) : files, NULL);
        if (!file) return ct_step_fail(step, "files", err, "expected names of files");
        plan->name[i] = ct_step_resolve(step, file);
        ct_step_reads(step, "files", plan->name[i]);
        status = plan_look(plan->name[i], err);
        if (status == CT_OK) status = plan_add(step, plan, i, &first, meta, err);
    }
    if (plan->files == 0) return ct_step_fail(step, "files", err, "expected at least one file");
    return status == CT_OK ? plan_components(plan, err) : status;
}

static ct_status bf_infer(ct_step *step, ct_error *err)
{
    ct_array natural = {0};
    bf_plan *plan = ct_step_alloc(step, sizeof *plan);
    if (!plan) return CT_FAILED;
    plan->pointing = ct_step_value(step, "pointing") ? ct_step_int(step, "pointing") : -1;
    plan->beam = ct_step_value(step, "beam") ? ct_step_int(step, "beam") : -1;
    for (int i = 0; i < CT_LOFAR_BF_COMPONENTS; i++)
        plan->place[i].file = -1;
    ct_status status = plan_probe(step, plan, &natural.meta, err);
    if (status == CT_OK) status = plan_products(step, plan, &natural.meta);
    if (status != CT_OK) return status;
    const bool power = plan_is_power(plan);
    natural.type = power ? CT_F32 : CT_CF32;
    if (!power) {
        ct_array_add(&natural, 'S', 1);
        ct_array_add(&natural, 'P', plan->components / 2);
    }
    ct_array_add(&natural, 'T', plan->samples);
    if (power && plan->components > 1) ct_array_add(&natural, 'Q', plan->components);
    if (power || plan->channels > 1) ct_array_add(&natural, 'C', plan->channels);
    ct_layout order = {.rank = natural.rank};
    memcpy(order.dim, natural.dim, sizeof order.dim);
    const ct_stored stored = {.order = ct_region_order_dense(&order, &natural, plan->samples),
                              .total = plan->samples};
    ct_array_source_describe(step, &natural, &stored);
    step->state = plan;
    return CT_OK;
}

/* ---- reading */

static ct_status bf_close(void *state, bool complete, ct_error *err)
{
    bf_source *source = state;
    (void)complete, (void)err;
    for (int64_t i = 0; i < source->plan->files; i++)
        ct_lofar_bf_close(&source->file[i]);
    return CT_OK;
}

static ct_status bf_open(ct_step *step, void **state, ct_error *err)
{
    const bf_plan *plan = step->state;
    bf_source *source = *state = ct_step_alloc(step, sizeof *source);
    const int64_t row = plan->channels * (int64_t)sizeof(float);
    ct_status status = CT_OK;
    if (!source) return CT_FAILED;
    source->plan = plan;
    source->rows_most = row < ROWS_BYTES ? ROWS_BYTES / row : 1;
    source->rows = ct_step_alloc(step, (size_t)(source->rows_most * row));
    source->file = ct_step_alloc(step, (size_t)plan->files * sizeof *source->file);
    if (!source->rows || !source->file) return CT_FAILED;
    for (int64_t i = 0; status == CT_OK && i < plan->files; i++)
        status = ct_lofar_bf_open(&source->file[i], plan->name[i], plan->pointing, plan->beam, err);
    if (status != CT_OK) (void)bf_close(source, false, NULL);
    return status;
}

/* Rows of a component to their places in the block: an element of its own, or half of one. */
static void source_scatter(const bf_source *source, ct_array *block, int64_t component, int64_t at,
                           int64_t count)
{
    const bool complex = ct_type_complex(block->type);
    const int64_t words = complex ? 2 : 1, channels = source->plan->channels;
    float *to =
        (float *)block->data + component % words +
        words * (block->offset + component / words * ct_array_stride(block, complex ? 'P' : 'Q'));
    const int64_t step = ct_array_stride(block, 'T') * words;
    const int64_t stride = channels > 1 ? ct_array_stride(block, 'C') * words : 1;
    for (int64_t t = 0; t < count; t++)
        ct_copy_row(to + (at + t) * step, stride, source->rows + t * channels, 1, channels,
                    (int)sizeof(float));
}

static ct_status bf_read(void *state, ct_array *block, uint8_t *flags, int64_t *got, ct_error *err)
{
    bf_source *source = state;
    const bf_plan *plan = source->plan;
    const int64_t room = ct_array_extent(block, 'T'), left = plan->samples - source->next;
    ct_status status = CT_OK;
    *got = left < room ? left : room;
    for (int64_t k = 0; k < plan->components; k++) {
        const bf_place place = plan->place[plan->component[k]];
        for (int64_t t = 0; status == CT_OK && t < *got; t += source->rows_most) {
            const int64_t now = *got - t < source->rows_most ? *got - t : source->rows_most;
            status = ct_lofar_bf_load(&source->file[place.file], place.plane, source->next + t, now,
                                      source->rows, err);
            if (status == CT_OK) source_scatter(source, block, k, t, now);
        }
    }
    source->next += *got;
    ct_array_source_end(block, flags, *got);
    return status;
}

static ct_status bf_seek(void *state, int64_t position, ct_error *err)
{
    (void)err;
    ((bf_source *)state)->next = position;
    return CT_OK;
}

const ct_stage ct_stage_source_lofar_bf = {
    .api = CT_API,
    .version = 1,
    .name = "source.lofar_bf",
    .summary = "LOFAR's HDF5 files of beam-formed data (ICD 3), power or voltages",
    .ports = {{"Y", CT_OUT, 0, "*", "f32 cf32", "*", NULL,
               "T,C of power, and Q where there are several; S,P,T,C of voltages"}},
    .params = bf_params,
    .infer = bf_infer,
    .traits = CT_STAGE_THREAD | CT_STAGE_GAPLESS,
    .io = {.open = bf_open, .read = bf_read, .close = bf_close, .seek = bf_seek},
};

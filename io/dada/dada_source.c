/* dada_source.c: source.dada: PSRDADA files, one or a sequence of them, or a ring: voltages S, P,
 * T, C (if there are several) or power T, Q (if there are several), C. Room: io/dada. Knows DADA's
 * header. Does not know graphs. */
#include "angle.h"
#include "array_source.h"
#include "dada_ring.h"
#include "numbers.h"
#include "params.h"
#include "sidecar.h"
#include <math.h>
#include <string.h>

typedef struct dada_part {
    const char *file;
    int64_t header_bytes;
    int64_t end; /* elements of this and those before */
} dada_part;

typedef struct dada_plan {
    dada_part *part;
    int64_t parts;
    int64_t sample; /* elements */
    int64_t total;  /* samples; -1: a ring says it at its end */
    ct_order order;
    unsigned bits, width;    /* of an element; bytes of a number in it */
    ct_dada_ring_plan *ring; /* in place of parts; NULL: these */
} dada_plan;

typedef struct dada_source {
    const dada_plan *plan;
    ct_input input;
    int64_t open; /* which part; -1 none */
    int64_t next; /* sample along T */
    ct_dada_ring_source *ring;
    ct_counter nothing[1];
} dada_source;

static const ct_param dada_params[] = {
    {"files", CT_PARAM_ANY, NULL, NULL, 0, 0,
     "a .dada file, or a list of those of one observation"},
    {"key", CT_PARAM_TEXT, NULL, NULL, 0, 0,
     "instead of files: a ring in shared memory, by the key of dada_db -k, as \"dada\""},
    {"order", CT_PARAM_TEXT, NULL, CT_DADA_ORDERS, 0, 0,
     "by time, frequency, polarization, or by time, polarization, frequency; default: what ORDER "
     "of "
     "the header says, or else TFP"},
    CT_PARAMS_PRODUCTS,
    {0}};

/* ---- what the files hold */

static ct_status dada_set_frequencies(ct_step *step, const ct_dada *header, ct_meta *meta)
{
    if (isnan(header->freq_mhz)) return CT_OK;
    const int64_t channels = header->channels;
    const double band = isnan(header->bw_mhz) ? 0 : header->bw_mhz * 1e6;
    double *frequency = ct_step_alloc(step, (size_t)channels * sizeof *frequency);
    if (!frequency) return CT_FAILED;
    for (int64_t c = 0; c < channels; c++)
        frequency[c] = header->freq_mhz * 1e6 +
                       ((double)c + 0.5 - 0.5 * (double)channels) * band / (double)channels;
    meta->frequency_hz = frequency;
    meta->frequencies = channels;
    meta->channel_width_hz = fabs(band) / (double)channels;
    return CT_OK;
}

static ct_status dada_set_meta(ct_step *step, const ct_dada *header, const ct_dada_shape *shape,
                               ct_meta *meta)
{
    const double sample_s = isnan(header->tsamp_us) ? 0 : header->tsamp_us / 1e6;
    (void)ct_dada_mjd(&meta->start_mjd, header->utc_start);
    meta->sample_time_s = sample_s;
    meta->start_s = ((double)header->offset / (double)shape->sample_bytes + 0.5) * sample_s +
                    (double)header->picoseconds * 1e-12;
    meta->source_name = ct_input_text(step, header->source);
    meta->telescope = ct_input_text(step, header->telescope);
    meta->src_raj = ct_angle_read(header->ra);
    meta->src_dej = ct_angle_read(header->dec);
    return dada_set_frequencies(step, header, meta);
}

/* The file is T, C, P or T, P, C; dimensions of length 1 are not in it. */
static void dada_set_dims(ct_array *out, dada_plan *plan, const ct_dada *header,
                          const ct_dada_shape *shape, const char *dims)
{
    ct_layout order = {0};
    out->type = shape->type;
    if (!shape->detected) {
        ct_array_add(out, 'S', 1);
        ct_array_add(out, 'P', header->pols);
    }
    ct_array_add(out, 'T', plan->total);
    if (shape->detected && header->pols > 1) ct_array_add(out, 'Q', header->pols);
    if (shape->detected || header->channels > 1) ct_array_add(out, 'C', header->channels);
    for (; *dims; dims++)
        if (ct_array_find(out, *dims) >= 0) order.dim[order.rank++] = *dims;
    if (!shape->detected) order.dim[order.rank++] = 'S';
    plan->order = ct_region_order_dense(&order, out, plan->total);
    plan->bits = ct_type_bits(shape->type);
    plan->width = plan->bits / 8 / (ct_type_complex(shape->type) ? 2 : 1);
}

/* ---- sequences */

static ct_status dada_differ(const char *key, const ct_input *in, const char *first,
                             double of_first, double found, ct_error *err)
{
    return ct_error_add(err, CT_DATA, "%s: %s: expected %.15g as in %s, found %.15g", in->file, key,
                        of_first, first, found);
}

static ct_status dada_compare(const ct_dada *a, const char *first, const ct_dada *b,
                              const ct_input *in, ct_error *err)
{
    const struct {
        const char *key;
        double a, b;
    } rows[] = {{"NBIT", (double)a->bits, (double)b->bits},
                {"NDIM", (double)a->dims, (double)b->dims},
                {"NPOL", (double)a->pols, (double)b->pols},
                {"NCHAN", (double)a->channels, (double)b->channels},
                {"TSAMP", a->tsamp_us, b->tsamp_us},
                {"FREQ", a->freq_mhz, b->freq_mhz},
                {"BW", a->bw_mhz, b->bw_mhz}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].a != rows[i].b && !(isnan(rows[i].a) && isnan(rows[i].b)))
            return dada_differ(rows[i].key, in, first, rows[i].a, rows[i].b, err);
    if (strcmp(a->utc_start, b->utc_start) == 0) return CT_OK;
    return ct_error_add(err, CT_DATA, "%s: UTC_START: expected \"%s\" as in %s, found \"%s\"",
                        in->file, a->utc_start, first, b->utc_start);
}

/* One file after those before it: the same observation, and no byte missing between. */
static ct_status dada_join(ct_step *step, dada_plan *plan, int64_t i, ct_dada *first, ct_input *in,
                           ct_error *err)
{
    ct_dada header = {0};
    ct_dada_shape shape;
    dada_part *part = &plan->part[i];
    ct_status status = ct_dada_read(&header, in, err);
    if (status == CT_OK) status = ct_dada_measure(&shape, &header, in, err);
    if (status == CT_OK && i == 0) *first = header;
    if (status == CT_OK && i > 0)
        status = dada_compare(first, plan->part[0].file, &header, in, err);
    if (status != CT_OK) return status;
    const int64_t before = i ? part[-1].end : 0, unit = ct_type_bits(shape.type) / 8;
    const int64_t bytes = in->size - header.header_bytes;
    if (i > 0 && header.offset != first->offset + before * unit)
        return ct_error_add(
            err, CT_DATA, "%s: OBS_OFFSET: expected %lld, where %s ends, found %lld", in->file,
            (long long)(first->offset + before * unit), part[-1].file, (long long)header.offset);
    if (bytes < unit)
        return ct_error_add(err, CT_DATA,
                            "%s: expected samples after the header of %lld bytes, "
                            "found %lld bytes in all",
                            in->file, (long long)header.header_bytes, (long long)in->size);
    part->header_bytes = header.header_bytes;
    part->end = before + bytes / unit;
    plan->sample = shape.sample_bytes / unit;
    const int64_t torn = bytes % unit + part->end % plan->sample * unit;
    if (torn > 0 && i == plan->parts - 1)
        ct_step_warn(step, "%s: ends within a sample: its last %lld bytes are left out", in->file,
                     (long long)torn);
    return CT_OK;
}

static ct_status dada_probe_files(ct_step *step, dada_plan *plan, ct_dada *first, ct_error *err)
{
    const ct_value *files = ct_step_value(step, "files");
    const bool list = ct_value_kind(files) == CT_LIST;
    plan->parts = list ? (int64_t)ct_value_count(files) : 1;
    plan->part = ct_step_alloc(step, (size_t)(plan->parts + 1) * sizeof *plan->part);
    if (!plan->part) return CT_FAILED;
    for (int64_t i = 0; i < plan->parts; i++) {
        ct_input in;
        const char *file = ct_value_text(list ? ct_value_at(files, (size_t)i) : files, NULL);
        if (!file) return ct_step_fail(step, "files", err, "expected names of files");
        plan->part[i].file = ct_step_resolve(step, file);
        ct_step_reads(step, "files", plan->part[i].file);
        ct_status status = ct_input_open(&in, plan->part[i].file, err);
        if (status != CT_OK) return status;
        status = dada_join(step, plan, i, first, &in, err);
        ct_input_close(&in);
        if (status != CT_OK) return status;
    }
    if (plan->parts == 0) return ct_step_fail(step, "files", err, "expected at least one file");
    plan->total = plan->part[plan->parts - 1].end / plan->sample;
    if (plan->total > 0) return CT_OK;
    return ct_error_add(err, CT_DATA, "%s: expected samples of %lld numbers, found fewer in all",
                        plan->part[0].file, (long long)plan->sample);
}

/* Waits for the header of the ring's next observation; it stays there. */
static ct_status dada_probe_ring(ct_step *step, dada_plan *plan, ct_dada *header, ct_error *err)
{
    const char *text = NULL;
    size_t bytes = 0;
    ct_dada_ring_plan *ring = plan->ring = ct_step_alloc(step, sizeof *ring);
    if (!ring) return CT_FAILED;
    ct_status status = ct_dada_ring_find(&ring->of, step, err);
    if (status == CT_OK && !ct_step_may_wait(step)) {
        ct_step_warn(step,
                     "%s is read by a run: what comes is not known, so neither this node's array "
                     "nor what follows from it is checked",
                     ring->of.name);
        return CT_EOF;
    }
    if (status == CT_OK) status = ct_dada_ring_attach(&ring->of, false, err);
    if (status == CT_OK) status = ct_dada_ring_look(&ring->of, &text, &bytes, err);
    if (status == CT_OK) {
        ring->header_bytes = strnlen(text, bytes);
        char *copy = ct_step_alloc(step, ring->header_bytes + 1);
        ring->header = copy ? memcpy(copy, text, ring->header_bytes) : NULL;
        status = copy ? ct_dada_take(header, text, bytes, ring->of.name, err) : CT_FAILED;
    }
    ct_dada_ring_release(&ring->of);
    plan->total = -1;
    ct_step_live(step, 0, false);
    return status;
}

static ct_status dada_probe(ct_step *step, dada_plan *plan, ct_dada *header, ct_error *err)
{
    const bool files = ct_step_value(step, "files") != NULL;
    const bool key = ct_step_text(step, "key") != NULL;
    if (files == key)
        return ct_step_fail(step, key ? "key" : NULL, err, "expected either \"files\" or \"key\"%s",
                            key ? ", found both" : "");
    return key ? dada_probe_ring(step, plan, header, err)
               : dada_probe_files(step, plan, header, err);
}

/* The node says it, else STATE. */
static ct_status dada_set_products(ct_step *step, const ct_dada *header, ct_array *out,
                                   ct_error *err)
{
    const ct_sidecar given = {.step = step};
    const char *names = ct_dada_names(header->state);
    if (names) out->meta.products = ct_step_products(step, names, CT_FEED_UNKNOWN);
    if (!ct_array_product(out, 0)) out->meta.products = NULL;
    return ct_sidecar_products(&given, out, err);
}

static ct_status dada_infer(ct_step *step, ct_error *err)
{
    ct_array natural = {0};
    ct_dada header = {0};
    ct_dada_shape shape;
    dada_plan *plan = ct_step_alloc(step, sizeof *plan);
    if (!plan) return CT_FAILED;
    ct_status status = dada_probe(step, plan, &header, err);
    if (status != CT_OK) return status;
    const ct_input first = {.file = plan->ring ? plan->ring->of.name : plan->part[0].file};
    status = ct_dada_measure(&shape, &header, &first, err);
    if (status == CT_OK) status = dada_set_meta(step, &header, &shape, &natural.meta);
    if (status != CT_OK) return status;
    const char *said = ct_step_text(step, "order");
    dada_set_dims(&natural, plan, &header, &shape, ct_dada_order(said ? said : header.order));
    if (plan->ring) plan->ring->order = plan->order;
    if (plan->ring) plan->ring->sample_bytes = (size_t)shape.sample_bytes;
    status = dada_set_products(step, &header, &natural, err);
    if (status != CT_OK) return status;
    const ct_stored stored = {.order = plan->order, .total = plan->total};
    ct_array_source_describe(step, &natural, &stored);
    step->state = plan;
    return CT_OK;
}

/* ---- reading */

static ct_status dada_open_part(dada_source *source, int64_t part, ct_error *err)
{
    if (source->open == part) return CT_OK;
    ct_input_close(&source->input);
    source->open = -1;
    ct_status status = ct_input_open(&source->input, source->plan->part[part].file, err);
    if (status == CT_OK) source->open = part;
    return status;
}

static ct_status dada_read_elements(void *of, int64_t first, void *to, size_t count, ct_error *err)
{
    dada_source *source = of;
    const dada_plan *plan = source->plan;
    const int64_t unit = plan->bits / 8;
    int64_t part = 0;
    ct_status status = CT_OK;
    while (count > 0 && status == CT_OK) {
        while (plan->part[part].end <= first)
            part++;
        const int64_t begin = part ? plan->part[part - 1].end : 0;
        const int64_t left = plan->part[part].end - first;
        const size_t now = (int64_t)count < left ? count : (size_t)left;
        status = dada_open_part(source, part, err);
        if (status == CT_OK)
            status = ct_input_read(&source->input,
                                   plan->part[part].header_bytes + (first - begin) * unit, to,
                                   now * (size_t)unit, err);
        ct_numbers_swap(to, now * (size_t)unit, ct_numbers_host_is_big() ? plan->width : 0);
        to = (char *)to + now * (size_t)unit;
        count -= now;
        first += (int64_t)now;
    }
    return status;
}

static ct_status dada_open(ct_step *step, void **state, ct_error *err)
{
    dada_source *source = ct_step_alloc(step, sizeof *source);
    *state = source;
    if (!source) return CT_FAILED;
    source->plan = step->state;
    source->input.fd = -1;
    source->open = -1;
    if (source->plan->ring)
        return ct_dada_ring_source_open(&source->ring, step, source->plan->ring, err);
    return dada_open_part(source, 0, err);
}

static ct_status dada_read(void *state, ct_array *block, uint8_t *flags, int64_t *got,
                           ct_error *err)
{
    dada_source *source = state;
    if (source->ring) return ct_dada_ring_source_read(source->ring, block, flags, got, err);
    const int64_t samples = ct_array_extent(block, 'T'), left = source->plan->total - source->next;
    *got = left < samples ? left : samples;
    const ct_copy region = ct_region_make(block, &source->plan->order, 0, source->next, *got);
    ct_status status =
        ct_region_load(&region, block->data, (ct_reader){dada_read_elements, source}, err);
    source->next += *got;
    ct_array_source_end(block, flags, *got);
    return status;
}

static ct_status dada_seek(void *state, int64_t position, ct_error *err)
{
    dada_source *source = state;
    if (source->ring && position > 0)
        return ct_error_add(err, CT_DATA,
                            "%s: what comes out of a ring cannot be read again: run without "
                            "--resume",
                            source->plan->ring->of.name);
    source->next = position;
    return CT_OK;
}

static const ct_counter *dada_count(void *state)
{
    dada_source *source = state;
    return source->ring ? ct_dada_ring_source_count(source->ring) : source->nothing;
}

static ct_status dada_close(void *state, bool complete, ct_error *err)
{
    dada_source *source = state;
    (void)err;
    if (source->ring) ct_dada_ring_source_close(source->ring, complete);
    ct_input_close(&source->input);
    return CT_OK;
}

const ct_stage ct_stage_source_dada = {
    .api = CT_API,
    .version = 1,
    .name = "source.dada",
    .summary = "PSRDADA files, voltages or power, one or a sequence, or a ring in shared memory",
    .ports = {{"Y", CT_OUT, 0, "*", "ci8 ci16 cf32 i8 i16 f32 u8 u16", "*", NULL,
               "S,P,T,C of voltages, T,Q,C of power"}},
    .params = dada_params,
    .infer = dada_infer,
    .traits = CT_STAGE_THREAD | CT_STAGE_GAPLESS,
    .io = {.open = dada_open,
           .read = dada_read,
           .close = dada_close,
           .count = dada_count,
           .seek = dada_seek},
};

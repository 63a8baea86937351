/* fbh5_source.c: source.fbh5: a filterbank of an HDF5 file: T, Q (if there are several), C.
 * Room: io/fbh5. Knows ports. Does not know HDF5. */
#include "angle.h"
#include "array_source.h"
#include "fbh5.h"
#include "filterbank.h"
#include "magic.h"
#include "params.h"
#include "sidecar.h"
#include <math.h>
#include <string.h>

#define WINDOW_BYTES ((int64_t)1 << 20)      /* at least, of more than a sample */
#define WINDOW_MOST_BYTES ((int64_t)1 << 28) /* likewise at most, whatever chunks are */

/* Samples as in the file, [..][Q][C]: whole chunks, so that each is unpacked once. */
typedef struct fbh5_window {
    uint8_t *data;
    int64_t first, count;
} fbh5_window;

typedef struct fbh5_source {
    ct_fbh5 file;
    int64_t most, row; /* samples of a window; numbers of one */
    fbh5_window data, mask;
    int64_t next;
    double bytes;
    ct_counter counter[2];
} fbh5_source;

static const ct_param fbh5_params[] = {
    {"file", CT_PARAM_FILE, "!", NULL, 0, 0, "a .h5 or .fbh5 file: 8, 16 or 32 bits"},
    CT_PARAMS_PRODUCTS,
    {0}};

/* ---- what the file says */

static ct_status fbh5_check(const ct_fbh5 *file, ct_error *err)
{
    const ct_fbh5_head *head = &file->head;
    const struct {
        const char *keyword, *key;
        double value, unit;
    } rows[] = {{"tsamp", "sample_time_s", head->tsamp, 1},
                {"tstart", "start_mjd", head->tstart, 1},
                {"fch1", "frequency_hz", head->fch1, 1e6},
                {"foff", "channel_width_hz", head->foff, 1e6},
                {"refdm", "dm", head->refdm, 1},
                {"src_raj", "src_raj", head->src_raj, 1},
                {"src_dej", "src_dej", head->src_dej, 1}};
    ct_status status = CT_OK;
    for (size_t i = 0; status == CT_OK && i < sizeof rows / sizeof rows[0]; i++)
        status = ct_filterbank_hold(file->file, rows[i].keyword, rows[i].key, rows[i].value,
                                    rows[i].unit, err);
    if (status == CT_OK && head->tsamp < 0)
        return ct_error_add(err, CT_DATA, "%s: tsamp: expected a time above 0, found %g",
                            file->file, head->tsamp);
    return status;
}

static ct_status fbh5_frequencies(ct_step *step, const ct_fbh5 *file, ct_meta *meta, ct_error *err)
{
    const double first = file->head.fch1 * 1e6, spacing = file->head.foff * 1e6;
    const double last = first + (double)(file->channels - 1) * spacing;
    if (first == 0) return CT_OK;
    if (!(first > 0 && last > 0) || (spacing == 0 && file->channels > 1))
        return ct_error_add(err, CT_DATA,
                            "%s: fch1, foff: expected frequencies above 0, found %g to %g MHz",
                            file->file, first / 1e6, last / 1e6);
    const ct_status status =
        ct_filterbank_hold(file->file, "foff", "frequency_hz", last / 1e6, 1e6, err);
    double *hz = ct_step_alloc(step, (size_t)file->channels * sizeof *hz);
    if (!hz || status != CT_OK) return hz ? status : CT_FAILED;
    for (int64_t c = 0; c < file->channels; c++)
        hz[c] = first + (double)c * spacing;
    meta->frequency_hz = hz;
    meta->frequencies = file->channels;
    meta->channel_width_hz = fabs(spacing);
    return CT_OK;
}

/* A number of the file as a whole one; 0 where it is none. */
static int fbh5_whole(double number)
{
    return fabs(number) < 1e9 ? (int)number : 0;
}

static ct_status fbh5_header(ct_step *step, const ct_fbh5_head *head, ct_meta *meta)
{
    ct_header *more = ct_step_alloc(step, sizeof *more);
    if (!more) return CT_FAILED;
    *more = (ct_header){.data_type = fbh5_whole(head->data_type),
                        .machine_id = fbh5_whole(head->machine_id),
                        .beams = fbh5_whole(head->nbeams),
                        .beam = fbh5_whole(head->ibeam),
                        .barycentric = head->barycentric != 0,
                        .pulsarcentric = head->pulsarcentric != 0,
                        .az_deg = head->az_start,
                        .za_deg = head->za_start,
                        .refdm = head->refdm};
    meta->header = more;
    return CT_OK;
}

/* A mask has a group for each channel. */
static ct_status fbh5_groups(ct_step *step, const ct_fbh5 *file, ct_meta *meta)
{
    if (file->mask == 0) return CT_OK;
    int32_t *of = ct_step_alloc(step, (size_t)file->channels * sizeof *of);
    ct_groups *groups = ct_step_alloc(step, sizeof *groups);
    if (!of || !groups) return CT_FAILED;
    for (int64_t c = 0; c < file->channels; c++)
        of[c] = (int32_t)c;
    *groups = (ct_groups){.count = file->channels, .channels = file->channels, .of = of};
    meta->groups = groups;
    return CT_OK;
}

static ct_status fbh5_meta(ct_step *step, const ct_fbh5 *file, ct_array *natural, ct_error *err)
{
    const ct_fbh5_head *head = &file->head;
    ct_meta *meta = &natural->meta;
    char telescope[32];
    ct_filterbank_telescope(telescope, fbh5_whole(head->telescope_id));
    meta->sample_time_s = head->tsamp;
    meta->start_mjd = head->tstart;
    meta->start_s = 0.5 * head->tsamp;
    meta->src_raj = ct_angle_pack(head->src_raj);
    meta->src_dej = ct_angle_pack(head->src_dej);
    meta->source_name = ct_input_text(step, head->source_name);
    meta->telescope = ct_input_text(step, telescope);
    ct_status status = fbh5_header(step, head, meta);
    if (status == CT_OK) status = fbh5_groups(step, file, meta);
    if (status == CT_OK) status = ct_sidecar_products(&(ct_sidecar){.step = step}, natural, err);
    return status == CT_OK ? fbh5_frequencies(step, file, meta, err) : status;
}

/* ---- infer */

/* Before HDF5 looks at it: is there such a file, and is it one of these. */
static ct_status fbh5_look(const char *name, ct_error *err)
{
    static const char magic[] = "\x89HDF\r\n\x1a\n";
    char start[8] = "";
    ct_input in;
    ct_status status = ct_input_open(&in, name, err);
    if (status != CT_OK) return status;
    if (in.size >= 8) status = ct_input_read(&in, 0, start, sizeof start, err);
    const bool is = status == CT_OK && memcmp(start, magic, sizeof start) == 0;
    if (status == CT_OK && !is)
        status = ct_error_add(err, CT_DATA, "%s: expected a filterbank in HDF5 (FBH5), found %s",
                              name, ct_magic_name(&in));
    const char *other = is ? ct_magic_other(&in, "FBH5") : NULL;
    if (other)
        status = ct_error_add(err, CT_DATA, "%s: expected a filterbank in HDF5 (FBH5), found %s",
                              name, other);
    ct_input_close(&in);
    return status;
}

static ct_status fbh5_describe(ct_step *step, const ct_fbh5 *file, ct_error *err)
{
    ct_array natural = {.type = file->type};
    ct_layout order;
    ct_array_add(&natural, 'T', file->samples);
    if (file->ifs > 1) ct_array_add(&natural, 'Q', file->ifs);
    ct_array_add(&natural, 'C', file->channels);
    ct_status status = fbh5_check(file, err);
    if (status == CT_OK) status = fbh5_meta(step, file, &natural, err);
    if (status != CT_OK) return status;
    order = (ct_layout){.rank = natural.rank};
    memcpy(order.dim, natural.dim, sizeof order.dim);
    const ct_stored stored = {.order = ct_region_order_dense(&order, &natural, file->samples),
                              .total = file->samples};
    ct_array_source_describe(step, &natural, &stored);
    return CT_OK;
}

static ct_status fbh5_infer(ct_step *step, ct_error *err)
{
    ct_fbh5 file;
    const char *name = ct_step_path(step, "file");
    ct_status status = fbh5_look(name, err);
    if (status == CT_OK) status = ct_fbh5_open(&file, name, err);
    if (status != CT_OK) return status;
    status = fbh5_describe(step, &file, err);
    ct_fbh5_close(&file);
    return status;
}

/* ---- reading */

static ct_status fbh5_close(void *state, bool complete, ct_error *err)
{
    fbh5_source *source = state;
    (void)complete, (void)err;
    ct_fbh5_close(&source->file);
    return CT_OK;
}

static ct_status source_rooms(fbh5_source *source, ct_step *step)
{
    const ct_fbh5 *file = &source->file;
    const int64_t row = file->ifs * file->channels, unit = ct_type_bits(file->type) / 8;
    const int64_t piece = file->piece < file->samples ? file->piece : file->samples;
    source->row = row;
    source->most = piece;
    if (piece * row * unit < WINDOW_BYTES) /* several chunks */
        source->most = piece * ct_divide_up(WINDOW_BYTES, piece * row * unit);
    if (source->most * row * unit > WINDOW_MOST_BYTES)
        source->most = row * unit < WINDOW_MOST_BYTES ? WINDOW_MOST_BYTES / (row * unit) : 1;
    if (source->most > file->samples) source->most = file->samples;
    source->data.data = ct_step_alloc(step, (size_t)(source->most * row * unit));
    if (file->mask > 0) source->mask.data = ct_step_alloc(step, (size_t)(source->most * row));
    return source->data.data && (file->mask == 0 || source->mask.data) ? CT_OK : CT_FAILED;
}

static ct_status fbh5_open(ct_step *step, void **state, ct_error *err)
{
    fbh5_source *source = *state = ct_step_alloc(step, sizeof *source);
    if (!source) return CT_FAILED;
    ct_status status = ct_fbh5_open(&source->file, ct_step_path(step, "file"), err);
    if (status == CT_OK) status = source_rooms(source, step);
    if (status != CT_OK) (void)fbh5_close(source, false, NULL);
    return status;
}

/* Where sample `at` is, and how many follow it in the window. */
static ct_status source_window(fbh5_source *source, int64_t at, int64_t *count, ct_error *err)
{
    fbh5_window *window = &source->data;
    ct_status status = CT_OK;
    if (window->count == 0 || at < window->first || at >= window->first + window->count) {
        const int64_t first = at / source->most * source->most;
        const int64_t left = source->file.samples - first;
        const int64_t now = left < source->most ? left : source->most;
        *window = (fbh5_window){.data = window->data, .first = first};
        status = ct_fbh5_load(&source->file, first, now, window->data, err);
        if (status == CT_OK && source->mask.data)
            status = ct_fbh5_load_mask(&source->file, first, now, source->mask.data, err);
        if (status == CT_OK) window->count = now;
    }
    *count = window->first + window->count - at;
    return status;
}

static void source_copy(const fbh5_source *source, ct_array *block, int64_t to, int64_t at,
                        int64_t count)
{
    const size_t unit = ct_type_bits(source->file.type) / 8;
    ct_array part = ct_array_part(block, 'T', to, count), from = part;
    ct_array_dense(&from, NULL);
    from.data = source->data.data + (size_t)((at - source->data.first) * source->row) * unit;
    ct_copy_array(&part, &from);
}

/* A channel is flagged where one of its IFs is. */
static void source_flag(const fbh5_source *source, uint8_t *flags, int64_t samples, int64_t to,
                        int64_t at, int64_t count)
{
    const ct_fbh5 *file = &source->file;
    const uint8_t *mask = source->mask.data + (at - source->data.first) * source->row;
    for (int64_t t = 0; t < count; t++)
        for (int64_t k = 0; k < source->row; k++)
            if (mask[t * source->row + k]) flags[k % file->channels * samples + to + t] = 1;
}

static ct_status fbh5_read(void *state, ct_array *block, uint8_t *flags, int64_t *got,
                           ct_error *err)
{
    fbh5_source *source = state;
    const int64_t room = ct_array_extent(block, 'T'), left = source->file.samples - source->next;
    ct_status status = CT_OK;
    *got = left < room ? left : room;
    ct_array_source_end(block, flags, *got);
    for (int64_t t = 0, now; status == CT_OK && t < *got; t += now) {
        const int64_t at = source->next + t;
        status = source_window(source, at, &now, err);
        if (status != CT_OK) break;
        if (now > *got - t) now = *got - t;
        source_copy(source, block, t, at, now);
        if (flags && source->mask.data) source_flag(source, flags, room, t, at, now);
    }
    source->next += *got;
    source->bytes += (double)(*got * source->row * ct_type_bits(source->file.type)) / 8;
    return status;
}

static ct_status fbh5_seek(void *state, int64_t position, ct_error *err)
{
    (void)err;
    ((fbh5_source *)state)->next = position;
    return CT_OK;
}

static const ct_counter *fbh5_count(void *state)
{
    fbh5_source *source = state;
    source->counter[0] = (ct_counter){.name = "read",
                                      .unit = "bytes",
                                      .help = "Bytes of packets or files that were looked at.",
                                      .value = source->bytes};
    return source->counter;
}

const ct_stage ct_stage_source_fbh5 = {
    .api = CT_API,
    .version = 1,
    .name = "source.fbh5",
    .summary = "a filterbank in HDF5 (FBH5), as blimpy writes it",
    .ports = {{"Y", CT_OUT, 0, "*", "u8 i8 u16 i16 f32", "*", NULL,
               "T,C, and Q where there are several IFs"}},
    .params = fbh5_params,
    .infer = fbh5_infer,
    .traits = CT_STAGE_THREAD,
    .io = {.open = fbh5_open,
           .read = fbh5_read,
           .close = fbh5_close,
           .count = fbh5_count,
           .seek = fbh5_seek},
};

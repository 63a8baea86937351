/* array_sink.c: see array_sink.h.
 * Room: io/shared. Knows strides. Does not know formats. */
#include "array_sink.h"
#include "sidecar.h"
#include <string.h>
#include <sys/stat.h>

enum { HEADER_LONGEST = 1024, MOVE_BYTES = 65536 };

typedef struct array_sink {
    ct_step *step;
    ct_output output, sidecar; /* of a rank that joins another one's file: no sidecar */
    ct_array_header header;
    int64_t header_bytes;
    ct_array array;   /* of the first block, of all ranks: extents, type, metadata */
    ct_layout layout; /* of the file */
    int64_t total;    /* samples along T for which the file is laid out now */
    bool known;       /* the stream's length was, beforehand */
    int64_t written;
    bool torn;      /* a block could not be written: the file may have a part of it */
    bool moving;    /* rows are at no known place */
    int64_t saved;  /* what a run that takes it up again must know: `total` */
    uint8_t *moved; /* MOVE_BYTES */
    ct_counter counter[2];
} array_sink;

static ct_layout sink_layout(const ct_array *array)
{
    ct_layout layout = array->layout;
    if (layout.rank) return layout;
    layout.rank = array->rank;
    memcpy(layout.dim, array->dim, sizeof layout.dim);
    return layout;
}

static bool sink_appends(const array_sink *sink)
{
    return sink->layout.rank == 0 || sink->layout.dim[0] == 'T' ||
           ct_array_find(&sink->array, 'T') < 0;
}

static ct_status sink_put_header(array_sink *sink, int64_t total, ct_error *err)
{
    char text[HEADER_LONGEST];
    if (!sink->header) return CT_OK;
    sink->header(text, sizeof text, &sink->array, &sink->layout, total);
    return ct_output_put(&sink->output, 0, text, (size_t)sink->header_bytes, err);
}

/* In order: T slowest, and a header says at the start how much will come. */
static ct_status sink_open_stream(array_sink *sink, ct_error *err)
{
    if (!sink_appends(sink))
        return ct_step_fail(sink->step, "layout", err,
                            "%s is a pipe, which is written in order, so T is to be slowest: "
                            "expected a layout that starts with T, found %s",
                            sink->output.file, sink->layout.dim);
    if (sink->header && !sink->known)
        return ct_step_fail(sink->step, "file", err,
                            "%s is a pipe, which is written in order, but the header says the "
                            "length, which is not known yet: write to a file, or use sink.raw",
                            sink->output.file);
    return sink_put_header(sink, sink->total, err);
}

/* The description stands at the end, for which a full disk has no room. */
static ct_status sink_reserve(array_sink *sink, ct_error *err)
{
    enum { LEAST = 4096, EACH = 24 };
    const ct_meta *meta = &sink->step->port[0].meta;
    return ct_output_reserve(&sink->sidecar, LEAST + EACH * (meta->frequencies + 2 * meta->dms),
                             err);
}

/* Whether other ranks write parts of the file, too. */
static bool sink_is_part(const array_sink *sink)
{
    return ct_array_count(&sink->array) > ct_array_count(&sink->step->port[0]);
}

/* Rows as long as the stream would have to be moved while others write them. */
static ct_status sink_check_part(const array_sink *sink, ct_error *err)
{
    const char *why = sink->output.staged.special ? "is no ordinary file"
                      : sink_appends(sink) || sink->known
                          ? NULL
                          : "has rows as long as the stream, and nobody knows how long that is";
    if (!why) return CT_OK;
    return ct_step_fail(sink->step, "file", err,
                        "%s %s, and each rank would write its part of it: give the sink "
                        "\"gather\": true, then rank 0 writes all",
                        sink->output.file, why);
}

static ct_status sink_open_files(array_sink *sink, ct_error *err)
{
    ct_step *step = sink->step;
    const char *file = ct_step_path(step, "file");
    ct_status status = ct_sidecar_check(step, file, err);
    if (status == CT_OK) status = ct_output_open(&sink->output, step, file, true, err);
    if (status == CT_OK) status = ct_output_widen(&sink->output);
    if (status == CT_OK && sink_is_part(sink)) status = sink_check_part(sink, err);
    if (status != CT_OK || sink->output.staged.joined) return status;
    if (sink->output.staged.stream) return sink_open_stream(sink, err);
    if (!sink->output.staged.special) {
        char *name = ct_step_alloc(step, CT_SIDECAR_NAME);
        if (!name) return CT_FAILED;
        ct_sidecar_name(name, file);
        status = ct_output_open(&sink->sidecar, step, name, true, err);
    }
    if (status == CT_OK && sink->sidecar.started) status = sink_reserve(sink, err);
    return status;
}

/* Samples of all dimensions faster than T together, and how many rows of T there are. */
static void sink_rows(const array_sink *sink, int64_t *inner, int64_t *rows)
{
    const char *t = strchr(sink->layout.dim, 'T');
    *inner = *rows = 1;
    for (const char *dim = sink->layout.dim; *dim; dim++)
        if (dim != t) *(t && dim > t ? inner : rows) *= ct_array_extent(&sink->array, *dim);
}

/* Whether the file can be laid out for so many samples beforehand: -1 is none that is known, and a
 * source may promise more than files can hold. */
static bool sink_can_lay_out(const array_sink *sink, int64_t total)
{
    int64_t inner, rows, bytes = total;
    if (total < 0 || sink_appends(sink)) return total >= 0;
    sink_rows(sink, &inner, &rows);
    return !__builtin_mul_overflow(bytes, inner, &bytes) &&
           !__builtin_mul_overflow(bytes, rows, &bytes) &&
           bytes <= INT64_MAX / 2 / (int64_t)sizeof(ct_complex);
}

ct_status ct_array_sink_open(ct_step *step, ct_array_header header, void **state, ct_error *err)
{
    array_sink *sink = ct_step_alloc(step, sizeof *sink);
    uint8_t *moved = ct_step_alloc(step, MOVE_BYTES);
    *state = sink;
    if (!sink || !moved) return CT_FAILED;
    sink->step = step;
    sink->header = header;
    sink->array = ct_step_whole(step);
    sink->layout = sink_layout(&step->port[0]);
    sink->known = sink_can_lay_out(sink, step->port[0].meta.total);
    sink->total = sink->known ? step->port[0].meta.total : 0;
    sink->moved = moved;
    if (header) sink->header_bytes = (int64_t)header(NULL, 0, &sink->array, &sink->layout, 0);
    ct_status status = sink_open_files(sink, err);
    if (status != CT_OK) (void)ct_array_sink_close(sink, false, NULL);
    return status;
}

static ct_status sink_move(array_sink *sink, int64_t from, int64_t to, int64_t bytes, ct_error *err)
{
    ct_status status = CT_OK;
    bool up = to > from; /* then the end moves first, so that nothing is overwritten unread */
    for (int64_t done = 0; status == CT_OK && from != to && done < bytes;) {
        int64_t now = bytes - done < MOVE_BYTES ? bytes - done : MOVE_BYTES;
        int64_t at = up ? bytes - done - now : done;
        status = ct_output_get(&sink->output, from + at, sink->moved, (size_t)now, err);
        if (status == CT_OK)
            status = ct_output_put(&sink->output, to + at, sink->moved, (size_t)now, err);
        done += now;
    }
    return status;
}

/* From here on the file is longer than its layout: half moved it cannot be resumed. */
static ct_status sink_mark(array_sink *sink, int64_t bytes, int64_t rows, ct_error *err)
{
    if (rows < 2) return CT_OK;
    ct_status status = ct_output_resize(&sink->output, bytes, err);
    return status == CT_OK ? ct_output_flush(&sink->output, true, err) : status;
}

/* Lays the file out for another length: the stream was shorter or longer than was foreseen. */
static ct_status sink_lay_out(array_sink *sink, int64_t total, ct_error *err)
{
    int64_t inner, rows, unit = ct_type_bits(sink->array.type) / 8, base = sink->header_bytes;
    ct_status status = CT_OK;
    sink_rows(sink, &inner, &rows);
    int64_t sample = inner * unit, kept = sink->written * sample;
    bool up = total > sink->total;
    if (total == sink->total || sink->output.staged.special) return CT_OK;
    sink->moving = rows > 1;
    status =
        sink_mark(sink, up ? base + rows * total * sample : base + rows * sink->total * sample + 1,
                  rows, err);
    for (int64_t i = 1; status == CT_OK && i < rows; i++) {
        int64_t row = up ? rows - i : i;
        status = sink_move(sink, base + row * sink->total * sample, base + row * total * sample,
                           kept, err);
    }
    sink->total = total;
    if (status == CT_OK && !up)
        status = ct_output_resize(&sink->output, base + rows * total * sample, err);
    sink->moving = sink->moving && status != CT_OK;
    return status;
}

/* Room for `end` samples, and where nobody knows how many will come for twice as many as there was,
 * so that rows are seldom moved. */
static ct_status sink_grow(array_sink *sink, int64_t end, ct_error *err)
{
    if (sink_appends(sink) || end <= sink->total) return CT_OK;
    const int64_t twice = sink->known ? 0 : 2 * sink->total;
    if (sink_is_part(sink))
        return ct_error_add(err, CT_DATA,
                            "%s: cannot be written in parts: the stream is longer than the %lld "
                            "samples that were foreseen",
                            sink->output.file, (long long)sink->total);
    return sink_lay_out(sink, twice > end ? twice : end, err);
}

static ct_status sink_store(array_sink *sink, const ct_array *block, int64_t first, int64_t count,
                            ct_error *err)
{
    const int64_t end = sink->written + count;
    ct_status status = sink_grow(sink, end, err);
    if (status != CT_OK) return status;
    int64_t total = sink_appends(sink) ? end : sink->total;
    ct_order order = ct_region_order_dense(&sink->layout, &sink->array, total);
    ct_copy region = ct_region_make(block, &order, first, sink->written, count);
    for (int i = 0; i < order.layout.rank; i++)
        region.to += ct_step_range_first(sink->step, order.layout.dim[i]) * order.stride[i];
    return ct_region_store(&region, block->data, &sink->output, sink->header_bytes, err);
}

/* What cannot be written is known before the next block comes. */
ct_status ct_array_sink_write(void *state, const ct_array *block, int64_t first, int64_t count,
                              ct_error *err)
{
    array_sink *sink = state;
    ct_status status = sink_store(sink, block, first, count, err);
    if (status == CT_OK) status = ct_output_flush(&sink->output, false, err);
    if (status == CT_OK) sink->written += count;
    sink->torn = status != CT_OK;
    return status;
}

const ct_counter *ct_array_sink_count(void *state)
{
    array_sink *sink = state;
    const ct_array *array = &sink->array;
    const double unit = ct_type_bits(array->type) / 8.0;
    const int64_t samples = ct_array_extent(array, 'T');
    sink->counter[0] =
        (ct_counter){.name = "written",
                     .unit = "bytes",
                     .help = "Bytes of samples that were written.",
                     .value = samples > 0 ? unit * (double)sink->written *
                                                (double)ct_array_count(array) / (double)samples
                                          : 0};
    return sink->counter;
}

ct_status ct_array_sink_infer(ct_step *step, ct_error *err)
{
    struct stat about;
    const char *file = ct_step_path(step, "file");
    (void)err;
    if (ct_step_bool(step, "gather")) ct_step_unsplit(step, "\"gather\" is true");
    if (!strncmp(file, "/dev/", 5) || (stat(file, &about) == 0 && !S_ISREG(about.st_mode)))
        ct_step_unsplit(step, "what it writes is no ordinary file");
    return CT_OK;
}

/* A pipe's header stands already: what it says must have become true. */
static ct_status sink_finish_stream(const array_sink *sink, ct_error *err)
{
    if (!sink->header || sink->written == sink->total) return CT_OK;
    return ct_error_add(err, CT_DATA,
                        "%s: cannot be written: the header says %lld samples, %lld came, and a "
                        "pipe cannot be corrected",
                        sink->output.file, (long long)sink->total, (long long)sink->written);
}

/* A part of a block is cut off. Rows of T stay where they are, with nothing after what has come:
 * moving them may need room that there is none of. */
static ct_status sink_mend(array_sink *sink, ct_error *err)
{
    int64_t inner, rows, unit = ct_type_bits(sink->array.type) / 8;
    if (sink->moving)
        return ct_error_add(err, CT_DATA,
                            "%s: its rows were being moved: nothing of it can be kept",
                            sink->output.file);
    if (ct_array_find(&sink->array, 'T') < 0 || sink->output.staged.special) return CT_OK;
    sink_rows(sink, &inner, &rows);
    const int64_t samples = sink_appends(sink) ? sink->written : sink->total;
    return ct_output_resize(&sink->output, sink->header_bytes + rows * samples * inner * unit, err);
}

/* All other ranks have closed their parts: what is not there now does not come. */
static ct_status sink_check_length(array_sink *sink, ct_error *err)
{
    int64_t inner, rows, length = 0, unit = ct_type_bits(sink->array.type) / 8;
    sink_rows(sink, &inner, &rows);
    const int64_t samples = ct_array_find(&sink->array, 'T') < 0 ? 1 : sink->written;
    const int64_t last = sink_appends(sink) ? samples : (rows - 1) * sink->total + samples;
    const int64_t expected = samples > 0 ? sink->header_bytes + last * inner * unit : 0;
    const ct_status status = ct_output_length(&sink->output, &length, err);
    if (status != CT_OK || length >= expected) return status;
    return ct_error_add(err, CT_DATA,
                        "%s: a part that another rank wrote has not come: found %lld bytes, "
                        "expected %lld",
                        sink->output.file, (long long)length, (long long)expected);
}

static ct_status sink_finish(array_sink *sink, ct_error *err)
{
    ct_status status = CT_OK;
    int64_t samples = sink->written;
    if (sink->output.staged.stream) return sink_finish_stream(sink, err);
    if (sink->output.staged.joined) return ct_output_flush(&sink->output, true, err);
    if (sink_is_part(sink) && !sink->torn) status = sink_check_length(sink, err);
    if (status != CT_OK) return status;
    if (sink->torn) {
        status = sink_mend(sink, err);
        if (!sink_appends(sink)) samples = sink->total;
    } else if (!sink_appends(sink)) {
        status = sink_lay_out(sink, sink->written, err);
    }
    if (status == CT_OK) status = sink_put_header(sink, samples, err);
    if (status == CT_OK && sink->sidecar.started)
        status =
            ct_sidecar_write(&sink->sidecar, &sink->array, &sink->layout, samples, sink->step, err);
    return status;
}

ct_status ct_array_sink_close(void *state, bool complete, ct_error *err)
{
    array_sink *sink = state;
    ct_status status = complete ? sink_finish(sink, err) : CT_OK;
    const bool whole = complete && status == CT_OK;
    ct_status closed = ct_output_close(&sink->output, whole, err);
    if (status == CT_OK) status = closed;
    closed = ct_output_close(&sink->sidecar, whole && status == CT_OK, err);
    return status == CT_OK ? closed : status;
}

ct_status ct_array_sink_save(void *state, const void **data, size_t *bytes, ct_error *err)
{
    array_sink *sink = state;
    sink->saved = sink->total;
    *data = &sink->saved;
    *bytes = sizeof sink->saved;
    const ct_status status = ct_output_release(&sink->sidecar, err);
    return status == CT_OK ? ct_output_flush(&sink->output, false, err) : status;
}

ct_status ct_array_sink_restore(void *state, int64_t position, const void *data, size_t bytes,
                                ct_error *err)
{
    array_sink *sink = state;
    int64_t inner, rows, length = 0, unit = ct_type_bits(sink->array.type) / 8;
    if (bytes != sizeof sink->total)
        return ct_error_add(err, CT_DATA, "%s: the journal says %zu bytes of it, expected %zu",
                            sink->output.file, bytes, sizeof sink->total);
    memcpy(&sink->total, data, bytes);
    sink->written = position;
    sink_rows(sink, &inner, &rows);
    ct_status status = ct_output_length(&sink->output, &length, err);
    if (status != CT_OK || sink_appends(sink) || rows < 2 ||
        length <= sink->header_bytes + rows * sink->total * inner * unit)
        return status;
    return ct_error_add(err, CT_DATA,
                        "%s: its rows were being moved when the run ended, so it cannot be taken "
                        "up again: without --resume it begins anew",
                        sink->output.file);
}

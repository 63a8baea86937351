/* array_sink.c: see array_sink.h.
 * Room: io/shared. Knows strides. Does not know formats. */
#include "array_sink.h"
#include "sidecar.h"
#include <string.h>

enum { HEADER_LONGEST = 1024, MOVE_BYTES = 65536 };

typedef struct array_sink {
    ct_step *step;
    ct_output output;
    ct_array_header header;
    int64_t header_bytes;
    ct_array array;   /* of the first block: extents, type, metadata */
    ct_layout layout; /* of the file */
    int64_t total;    /* samples along T for which the file is laid out now */
    int64_t written;
    uint8_t *moved; /* MOVE_BYTES */
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

ct_status ct_array_sink_open(ct_step *step, ct_array_header header, void **state, ct_error *err)
{
    array_sink *sink = ct_step_alloc(step, sizeof *sink);
    *state = sink;
    sink->step = step;
    sink->header = header;
    sink->array = step->port[0];
    sink->layout = sink_layout(&step->port[0]);
    sink->total = step->port[0].meta.total;
    sink->moved = ct_step_alloc(step, MOVE_BYTES);
    if (header) sink->header_bytes = (int64_t)header(NULL, 0, &sink->array, &sink->layout, 0);
    if (sink->total < 0 && !sink_appends(sink))
        return ct_step_fail(step, "layout", err,
                            "the length of the stream is not known, so the file needs T slowest: "
                            "expected a layout that starts with T, found %s",
                            sink->layout.dim);
    ct_status status = ct_sidecar_check(step, ct_step_path(step, "file"), err);
    if (status != CT_OK) return status;
    return ct_output_open(&sink->output, step, ct_step_path(step, "file"), true, err);
}

/* Samples of all dimensions faster than T together, and how many rows of T there are. */
static void sink_rows(const array_sink *sink, int64_t *inner, int64_t *rows)
{
    const char *t = strchr(sink->layout.dim, 'T');
    *inner = *rows = 1;
    for (const char *dim = sink->layout.dim; *dim; dim++)
        if (dim != t) *(t && dim > t ? inner : rows) *= ct_array_extent(&sink->array, *dim);
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

/* Lays the file out for another length: the stream was shorter or longer than was foreseen. */
static ct_status sink_lay_out(array_sink *sink, int64_t total, ct_error *err)
{
    int64_t inner, rows, unit = ct_type_bits(sink->array.type) / 8, base = sink->header_bytes;
    ct_status status = CT_OK;
    sink_rows(sink, &inner, &rows);
    int64_t sample = inner * unit, kept = sink->written * sample;
    bool up = total > sink->total;
    if (total == sink->total || sink->output.special) return CT_OK;
    for (int64_t i = 1; status == CT_OK && i < rows; i++) {
        int64_t row = up ? rows - i : i;
        status = sink_move(sink, base + row * sink->total * sample, base + row * total * sample,
                           kept, err);
    }
    sink->total = total;
    if (status == CT_OK && !up)
        status = ct_output_resize(&sink->output, base + rows * total * sample, err);
    return status;
}

ct_status ct_array_sink_write(void *state, const ct_array *block, int64_t first, int64_t count,
                              ct_error *err)
{
    array_sink *sink = state;
    ct_status status = CT_OK;
    int64_t end = sink->written + count;
    if (!sink_appends(sink) && end > sink->total) status = sink_lay_out(sink, end, err);
    if (status != CT_OK) return status;
    int64_t total = sink_appends(sink) ? end : sink->total;
    ct_order order = ct_order_dense(&sink->layout, block, total);
    ct_copy region = ct_region_make(block, &order, first, sink->written, count);
    sink->written = end;
    return ct_region_store(&region, block->data, &sink->output, sink->header_bytes, err);
}

static ct_status sink_finish(array_sink *sink, ct_error *err)
{
    char text[HEADER_LONGEST];
    ct_status status = CT_OK;
    if (!sink_appends(sink)) status = sink_lay_out(sink, sink->written, err);
    if (status == CT_OK && sink->header) {
        sink->header(text, sizeof text, &sink->array, &sink->layout, sink->written);
        status = ct_output_put(&sink->output, 0, text, (size_t)sink->header_bytes, err);
    }
    if (status == CT_OK) status = ct_output_sync(&sink->output, err);
    if (status == CT_OK && !sink->output.special)
        status = ct_sidecar_write(sink->step, sink->output.file, &sink->array, &sink->layout,
                                  sink->written, err);
    return status;
}

ct_status ct_array_sink_close(void *state, bool complete, ct_error *err)
{
    array_sink *sink = state;
    ct_status status = complete ? sink_finish(sink, err) : CT_OK;
    ct_status closed = ct_output_close(&sink->output, complete && status == CT_OK, err);
    return status == CT_OK ? closed : status;
}

/* array_sink.h: a sink whose file is one array in the sink's layout, with T anywhere in it. Where T
 * is slowest, blocks are added at the end; otherwise each goes to its places, for which the file is
 * laid out for the stream's length, and again from the start where that was not known.
 * Room: io/shared. Knows strides. Does not know formats. */
#ifndef CT_IO_ARRAY_SINK_H
#define CT_IO_ARRAY_SINK_H
#include "region.h"

/* Prints a header of always the same length for the array with `total` samples along T; size 0:
 * only says how long it is. */
typedef size_t (*ct_array_header)(char *out, size_t size, const ct_array *array,
                                  const ct_layout *layout, int64_t total);

/* Whether ranks may each write a part. */
ct_status ct_array_sink_infer(ct_step *step, ct_error *err);
/* header NULL: none. */
ct_status ct_array_sink_open(ct_step *step, ct_array_header header, void **state, ct_error *err);
ct_status ct_array_sink_write(void *state, const ct_array *block, int64_t first, int64_t count,
                              ct_error *err);
ct_status ct_array_sink_close(void *state, bool complete, ct_error *err);
ct_status ct_array_sink_save(void *state, const void **data, size_t *bytes, ct_error *err);
ct_status ct_array_sink_restore(void *state, int64_t position, const void *data, size_t bytes,
                                ct_error *err);
#define CT_ARRAY_SINK_GATHER                                                                       \
    {                                                                                              \
        "gather", CT_PARAM_BOOL, "false", NULL, 0, 0,                                              \
            "of several ranks the first writes all, as where no file system is shared"             \
    }

const ct_counter *ct_array_sink_count(void *state); /* bytes */
#define CT_ARRAY_SINK_IO(opens)                                                                    \
    {                                                                                              \
        .open = opens, .write = ct_array_sink_write, .close = ct_array_sink_close,                 \
        .count = ct_array_sink_count, .save = ct_array_sink_save, .restore = ct_array_sink_restore \
    }

#endif

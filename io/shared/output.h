/* output.h: a file that a sink makes, written at any place through a window that gathers small
 * puts. The run gives it its name (ct_step_create). A device is written as it is, a pipe in order.
 * Room: io/shared. Knows files. Does not know formats. */
#ifndef CT_IO_OUTPUT_H
#define CT_IO_OUTPUT_H
#include "direct.h"

enum { CT_OUTPUT_WINDOW = 65536 };

typedef struct ct_output {
    const char *file;      /* as the user says */
    ct_step *step;         /* whose run may be told to stop */
    ct_output_file staged; /* handle -1: not open at this moment */
    bool started;          /* it is being written */
    int64_t streamed;      /* bytes that were written */
    int64_t at;            /* where the window's bytes belong */
    size_t skip, have;     /* of the window: unused before them; bytes */
    int64_t end, reserved; /* after the last byte that was put; bytes there from the beginning */
    uint8_t *window;       /* NULL: every put goes straight to the file */
    ct_direct direct;
} ct_output;

/* Memory comes from the step. buffered: small puts are gathered. */
ct_status ct_output_open(ct_output *out, ct_step *step, const char *file, bool buffered,
                         ct_error *err);
/* For much data, before the first put: once the file is long the window is larger, and its bytes go
 * past the system's cache where they can. */
ct_status ct_output_widen(ct_output *out);
/* Room on the disk for that many bytes that are put at last: when the disk is full they can be.
 * What is not used of it goes at the end. */
ct_status ct_output_reserve(ct_output *out, int64_t bytes, ct_error *err);
/* For save(): a file that can be resumed needs no such room, and only grows. */
ct_status ct_output_release(ct_output *out, ct_error *err);
/* A stream takes only what continues it. */
ct_status ct_output_put(ct_output *out, int64_t position, const void *data, size_t bytes,
                        ct_error *err);
/* Adds text after what was put or printed last; for buffered outputs. */
ct_status ct_output_print(ct_output *out, ct_error *err, const char *format, ...) CT_PRINTF(3, 4);
/* Reads back what was written to a file. */
ct_status ct_output_get(ct_output *out, int64_t position, void *data, size_t bytes, ct_error *err);
ct_status ct_output_resize(ct_output *out, int64_t bytes, ct_error *err);
/* All that was put is in the file; sync: and on the disk. */
ct_status ct_output_flush(ct_output *out, bool sync, ct_error *err);
/* Bytes of a file. */
ct_status ct_output_length(ct_output *out, int64_t *bytes, ct_error *err);
/* Gives the file descriptor back until the next put, for sinks of many files. */
ct_status ct_output_pause(ct_output *out, ct_error *err);
/* complete: all that was put is in the file. The run gives it its name, or removes it. */
ct_status ct_output_close(ct_output *out, bool complete, ct_error *err);

/* "name.ext" with `suffix` before the extension, or (ext not NULL) with the extension exchanged. */
const char *ct_output_name(ct_step *step, const char *file, const char *suffix, const char *ext);

#endif

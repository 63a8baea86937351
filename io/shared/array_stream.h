/* array_stream.h: an array whose samples come one after the other and are read once, from a pipe or
 * a file that grows: T slowest, of a length that nobody knows.
 * Room: io/shared. Knows strides and packing of samples. Does not know formats. */
#ifndef CT_IO_ARRAY_STREAM_H
#define CT_IO_ARRAY_STREAM_H
#include "array_source.h"
#include "byte_stream.h"

typedef struct ct_array_stream ct_array_stream;

/* T is slowest. Memory comes from the step; what stands before the first element is passed over. */
ct_status ct_array_stream_open(ct_array_stream **out, ct_step *step, const char *file,
                               const ct_stored *stored, ct_error *err);
/* As a stage's read(). */
ct_status ct_array_stream_read(ct_array_stream *stream, ct_array *block, uint8_t *flags,
                               int64_t *got, ct_error *err);
/* complete: says where the stream ended within a sample. */
void ct_array_stream_close(ct_array_stream *stream, bool complete);

#endif

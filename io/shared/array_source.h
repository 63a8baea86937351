/* array_source.h: a source whose file is one array, at a fixed place, in one order.
 * Room: io/shared. Knows strides and packing of samples. Does not know formats. */
#ifndef CT_IO_ARRAY_SOURCE_H
#define CT_IO_ARRAY_SOURCE_H
#include "input.h"
#include "region.h"

/* What a format found out about its file. */
typedef struct ct_stored {
    int64_t data_at; /* byte of the first element */
    ct_order order;  /* where each element is */
    int64_t total;   /* samples along T; -1: nobody knows, and they are read in order */
    double follow_s; /* then: as ct_byte_stream's; below 0 where a file does not grow */
    unsigned bits;   /* of an element in the file: 1, 2 and 4 are unpacked to u8 */
    int64_t apart;   /* bytes from a real part to its imaginary part; 0: they lie together */
    unsigned swap;   /* bytes of a number whose order must be swapped; 0 or 1: none */
} ct_stored;

/* Makes port 0 what the file holds: T too, if nobody has set it. */
void ct_array_source_describe(ct_step *step, const ct_array *natural, const ct_stored *stored);

/* The element of the file, of a sample, at which what the step is to read of it begins. */
int64_t ct_array_source_begin(const ct_step *step, const ct_order *order);
/* Of parameter "file"; step->state is the ct_stored that infer() has made. */
ct_status ct_array_source_open(ct_step *step, void **state, ct_error *err);
ct_status ct_array_source_read(void *state, ct_array *block, uint8_t *flags, int64_t *got,
                               ct_error *err);
ct_status ct_array_source_close(void *state, bool complete, ct_error *err);
ct_status ct_array_source_seek(void *state, int64_t position, ct_error *err);
const ct_counter *ct_array_source_count(void *state); /* bytes */

#define CT_ARRAY_SOURCE_IO                                                                         \
    {                                                                                              \
        .open = ct_array_source_open, .read = ct_array_source_read,                                \
        .close = ct_array_source_close, .count = ct_array_source_count,                            \
        .seek = ct_array_source_seek                                                               \
    }

/* Zeroes what lies after `got` samples and sets `flags` [S][group][T] to 1 there, to 0 before. */
void ct_array_source_end(ct_array *block, uint8_t *flags, int64_t got);

/* `count` samples of 1, 2 or 4 bits, least significant first, from sample `first` on of `packed`.
 */
void ct_array_source_unpack(uint8_t *to, const uint8_t *packed, unsigned bits, unsigned first,
                            size_t count);

#endif

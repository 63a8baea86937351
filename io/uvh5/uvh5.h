/* uvh5.h: a UVH5 file being written: its header, and rows (a baseline at a time each) added one
 * after the other. [Lanman, Hazelton et al., pyuvdata's memo "UVH5 file format", version 1.1]
 * Room: io/uvh5. Knows HDF5 and the names in the file. Does not know blocks.
 * Order: open (or open and restore), then add and put, flush, save, end. */
#ifndef CT_IO_UVH5_H
#define CT_IO_UVH5_H
#include "visibility.h"

enum { CT_UVH5_TEXT = 80, CT_UVH5_HISTORY = 256 };

/* What the header says; the file borrows it. */
typedef struct ct_uvh5_header {
    const ct_visibility_header *of;
    int64_t product[CT_VISIBILITY_PRODUCTS]; /* their numbers */
    int64_t rows_chunk, channels_chunk;
} ct_uvh5_header;

/* What a row has beside its visibilities. */
typedef struct ct_uvh5_rows {
    int64_t count;
    const int64_t *ant_1, *ant_2; /* [count] */
    const double (*uvw)[3];
    double jd, integration_s;
    ct_visibility_axes axes;
} ct_uvh5_rows;

/* Visibilities of some rows and channels: [rows][channels][products] each. */
typedef struct ct_uvh5_box {
    int64_t row, rows, channel, channels;
    const float (*visibility)[2];
    const uint8_t *flag;
    const float *samples;
} ct_uvh5_box;

typedef struct ct_uvh5 ct_uvh5;

/* Whether this build can: HDF5 is optional. */
bool ct_uvh5_there(void);
/* The file has its name when the run is done; the rest is made with the first call below. */
ct_status ct_uvh5_open(ct_uvh5 **out, ct_step *step, const char *file, const ct_uvh5_header *header,
                       ct_error *err);
/* Rows after those that are there; their visibilities are put afterwards. */
ct_status ct_uvh5_add(ct_uvh5 *file, const ct_uvh5_rows *rows, ct_error *err);
ct_status ct_uvh5_put(ct_uvh5 *file, const ct_uvh5_box *box, ct_error *err);
/* All of it is in the file, which is in order up to here. */
ct_status ct_uvh5_flush(ct_uvh5 *file, ct_error *err);
/* What a later run needs to restore the file as it is now, whatever is added until then. */
ct_status ct_uvh5_save(ct_uvh5 *file, const void **data, size_t *bytes, ct_error *err);
ct_status ct_uvh5_restore(ct_uvh5 *file, int64_t rows, const void *data, size_t bytes,
                          ct_error *err);
/* history: at most CT_UVH5_HISTORY bytes with the 0. complete: the file is whole; else it is given
 * up. */
ct_status ct_uvh5_end(ct_uvh5 *file, bool complete, const char *history, ct_error *err);

#endif

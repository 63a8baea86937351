/* uvh5_view.h: a UVH5 file being read: what its header says, and visibilities of some rows.
 * Room: io/uvh5. Knows the names in the file. Does not know what is done with them.
 * Order: open, then the others, close. */
#ifndef CT_IO_UVH5_VIEW_H
#define CT_IO_UVH5_VIEW_H
#include "cornerturn_stage.h"

enum { CT_UVH5_VIEW_TEXT = 80 };

typedef struct ct_uvh5_view {
    const char *file; /* borrowed */
    int64_t handle;   /* HDF5's; below 0: not open */
    int64_t rows, channels, products, times, baselines, stations;
    double first_hz, last_hz;
    ct_products names; /* of the products; count 0: unknown */
    char telescope[CT_UVH5_VIEW_TEXT], version[CT_UVH5_VIEW_TEXT];
} ct_uvh5_view;

/* Whether an HDF5 file is one. */
bool ct_uvh5_view_is(const char *file);
/* CT_DATA: it is none, or is damaged. */
ct_status ct_uvh5_view_open(ct_uvh5_view *out, const char *file, ct_error *err);
void ct_uvh5_view_close(ct_uvh5_view *view);
/* Of `count` rows from `first` on. */
ct_status ct_uvh5_view_rows(const ct_uvh5_view *view, int64_t first, int64_t count, int64_t *ant_1,
                            int64_t *ant_2, double *time_jd, double (*uvw)[3], ct_error *err);
/* All channels of one product: [count][channels]. */
ct_status ct_uvh5_view_data(const ct_uvh5_view *view, int64_t first, int64_t count, int64_t product,
                            float (*visibility)[2], uint8_t *flag, ct_error *err);
ct_status ct_uvh5_view_frequencies(const ct_uvh5_view *view, double *out, ct_error *err);

#endif

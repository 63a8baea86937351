/* uvh5.h: a UVH5 file being written: its header, and rows (a baseline at a time each) added one
 * after the other. [Lanman, Hazelton et al., pyuvdata's memo "UVH5 file format", version 1.1]
 * Room: io/uvh5. Knows HDF5 and the names in the file. Does not know blocks.
 * Order: open (or open and restore), then add and put, flush, save, end. */
#ifndef CT_IO_UVH5_H
#define CT_IO_UVH5_H
#include "cornerturn_stage.h"

enum { CT_UVH5_PRODUCTS = 4, CT_UVH5_TEXT = 80, CT_UVH5_HISTORY = 256 };

/* The sink's ports. */
enum { CT_UVH5_X, CT_UVH5_COUNTS };

/* Where the array stands: of the ellipsoid's normal, radians, and the height above it. */
typedef struct ct_uvh5_site {
    double latitude, longitude, altitude_m;
} ct_uvh5_site;

/* What the header says; the file borrows it. */
typedef struct ct_uvh5_header {
    int64_t stations, baselines, channels, products;
    const char *telescope, *source;
    ct_uvh5_site site;
    const double (*position)[3]; /* ITRF, from the site, metres */
    const char *const *names;    /* of the stations; NULL: their numbers */
    const double *frequency_hz;
    double channel_width_hz;
    double centre[2]; /* ICRS, radians */
    bool projected;   /* towards `centre` */
    int64_t rows_chunk, channels_chunk;
} ct_uvh5_header;

/* One instant's axes, unit vectors in east, north, up, and where they stand on the apparent sky. */
typedef struct ct_uvh5_axes {
    double u[3], v[3], w[3];
    double app_ra, app_dec, frame_pa; /* radians */
} ct_uvh5_axes;

/* What a row has beside its visibilities. */
typedef struct ct_uvh5_rows {
    int64_t count;
    const int64_t *ant_1, *ant_2; /* [count] */
    const double (*uvw)[3];
    double jd, integration_s;
    ct_uvh5_axes axes;
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

/* The sink's infer(). */
ct_status ct_uvh5_check(ct_step *step, ct_error *err);
/* Of an integration; 0: not known. */
int64_t ct_uvh5_samples(const ct_step *step);
/* The most whose pairs are among the array's baselines. */
int64_t ct_uvh5_stations(const ct_array *in);
/* Of a channel, Hz; 0: not known. */
double ct_uvh5_width(const ct_meta *meta);
/* The header's centre, and whether it is projected towards that. */
void ct_uvh5_phase(const ct_meta *meta, ct_uvh5_header *header);

/* The observation's site. CT_INVALID: none is known. */
ct_status ct_uvh5_site_of(const ct_step *step, ct_uvh5_site *out, ct_error *err);
/* At an instant after start_mjd; towards the centre where the header is projected, else to the
 * zenith. */
ct_status ct_uvh5_axes_at(const ct_step *step, const ct_uvh5_header *header, double start_mjd,
                          double seconds, ct_uvh5_axes *out, ct_error *err);

#endif

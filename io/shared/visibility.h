/* visibility.h: what sinks of visibilities share: whether all that their files say is known, the
 * baselines, where they point at an instant, and sums that become means with flags and weights.
 * Room: io/shared. Knows ports, samples and the observation. Does not know formats. */
#ifndef CT_IO_VISIBILITY_H
#define CT_IO_VISIBILITY_H
#include "cornerturn_stage.h"

enum { CT_VISIBILITY_PRODUCTS = 4 }; /* at most, of two polarizations: XX, XY, YX, YY */

/* The sink's ports. */
enum { CT_VISIBILITY_X, CT_VISIBILITY_COUNTS };
#define CT_VISIBILITY_PORTS                                                                        \
    [CT_VISIBILITY_X] = {"X",                                                                      \
                         CT_IN,                                                                    \
                         0,                                                                        \
                         "TLCQ",                                                                   \
                         "cf32 ci32 ci64",                                                         \
                         "*",                                                                      \
                         NULL,                                                                     \
                         "the correlator's sums; all pairs of stations along L"},                  \
    [CT_VISIBILITY_COUNTS] = {"COUNTS",                                                            \
                              CT_IN,                                                               \
                              CT_PORT_OPTIONAL,                                                    \
                              "TLC?",                                                              \
                              "u32",                                                               \
                              "*",                                                                 \
                              NULL,                                                                \
                              "samples that went into each sum; not connected: all"}
#define CT_VISIBILITY_SAMPLES                                                                      \
    {                                                                                              \
        "samples", CT_PARAM_INT, NULL, NULL, 1, 0,                                                 \
            "samples of an integration; default: what the correlator says"                         \
    }

/* Where the array stands: of the ellipsoid's normal, radians, and the height above it. */
typedef struct ct_visibility_site {
    double latitude, longitude, altitude_m;
} ct_visibility_site;

/* What a file says once. */
typedef struct ct_visibility_header {
    int64_t stations, baselines, channels, products;
    const ct_product *product[CT_VISIBILITY_PRODUCTS]; /* in the array's order */
    const char *telescope, *source;                    /* "unknown" where nothing is said */
    ct_visibility_site site;
    const double (*position)[3]; /* ITRF, from the site, metres */
    const char *const *names;    /* of the stations; NULL: their numbers */
    const double *frequency_hz;
    double channel_width_hz;
    double centre[2]; /* ICRS, radians */
    bool projected;   /* towards `centre` */
} ct_visibility_header;

/* One instant's axes, unit vectors in east, north, up, and where they stand on the apparent sky. */
typedef struct ct_visibility_axes {
    double u[3], v[3], w[3];
    double app_ra, app_dec, frame_pa; /* radians */
} ct_visibility_axes;

/* An integration's middle: MJD (UTC), whole days and the rest. */
typedef struct ct_visibility_instant {
    double day, part;
    ct_visibility_axes axes;
} ct_visibility_instant;

/* From open() on. */
typedef struct ct_visibility {
    ct_step *step;
    ct_visibility_header header;
    double samples;          /* of an integration */
    int64_t *first, *second; /* stations of each baseline */
    double (*local)[3];      /* stations, east, north, up */
    double (*uvw)[3];        /* of each baseline, r_second - r_first, at the last instant */
} ct_visibility;

/* Products of the correlator in a file's order. */
typedef struct ct_visibility_order {
    int place[CT_VISIBILITY_PRODUCTS]; /* of XX, XY, YX, YY; fewer stay in their order */
} ct_visibility_order;

/* Some baselines and channels of one integration: [baselines][channels][products] each. */
typedef struct ct_visibility_box {
    int64_t baseline, baselines, channel, channels;
    float (*visibility)[2];
    uint8_t *flag;
    float *weight; /* samples that count / samples of an integration */
} ct_visibility_box;

/* The sink's infer(). format: "UVH5", as sentences begin. */
ct_status ct_visibility_check(const ct_step *step, const char *format, ct_error *err);
/* In open(), after that. */
ct_status ct_visibility_open(ct_visibility *out, ct_step *step, ct_error *err);
/* The n-th integration of the stream; its uvw are in `of` then. */
ct_status ct_visibility_at(ct_visibility *of, int64_t n, ct_visibility_instant *out, ct_error *err);
/* What the block has at T index t. */
void ct_visibility_take(const ct_visibility *of, const ct_array *block, int64_t t,
                        const ct_visibility_order *order, const ct_visibility_box *box);
/* What the q-th product in the order of `order` is, with its numbers in UVH5 and Measurement Sets.
 */
const ct_product *ct_visibility_product(const ct_visibility_header *header,
                                        const ct_visibility_order *order, int64_t q);
/* Letters only, at most bytes - 1 of them; other bytes become '?'. NULL: none. */
void ct_visibility_letters(char *out, size_t bytes, const char *text);
/* The station's name, or its number. */
void ct_visibility_station(const ct_visibility_header *header, int64_t s, char *out, size_t bytes);

/* Of an integration; 0: not known. */
int64_t ct_visibility_samples(const ct_step *step);
/* The most whose pairs are among the array's baselines. */
int64_t ct_visibility_stations(const ct_array *in);
/* Of a channel, Hz; 0: not known. */
double ct_visibility_width(const ct_meta *meta);
/* The header's centre, and whether it is projected towards that. */
void ct_visibility_phase(const ct_meta *meta, ct_visibility_header *header);
/* The observation's site. CT_INVALID: none is known. */
ct_status ct_visibility_site_of(const ct_step *step, ct_visibility_site *out, ct_error *err);
/* At an instant after start_mjd; towards the centre where the header is projected, else to the
 * zenith. */
ct_status ct_visibility_axes_at(const ct_step *step, const ct_visibility_header *header,
                                double start_mjd, double seconds, ct_visibility_axes *out,
                                ct_error *err);

#endif

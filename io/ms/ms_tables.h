/* ms_tables.h: what writes the tables of a Measurement Set, as a table of functions: a module that
 * is loaded only where a pipeline has such a sink, since it needs casacore, which is C++.
 * Room: io/ms. Knows C. Does not know the rest of Cornerturn.
 * Order: create or reopen, then put, drain, flush; drain, flush, end at the end; release. */
#ifndef CT_IO_MS_TABLES_H
#define CT_IO_MS_TABLES_H
#include <stdint.h>

#define CT_MS_SYMBOL "ct_ms_tables_casacore"

enum { CT_MS_VERSION = 1, CT_MS_WHY = 512 };

/* What is said once; borrowed. Texts are never NULL. */
typedef struct ct_ms_header {
    int64_t stations, baselines, channels, products;
    const char *telescope, *source;
    const char *const *names;    /* of the stations */
    const double (*position)[3]; /* ITRF, metres */
    const double *frequency_hz;
    double channel_width_hz;      /* below 0: of channels that fall */
    double centre[2];             /* ICRS, radians */
    double start_s;               /* of the first integration, MJD (UTC) in seconds */
    const int32_t *kind;          /* of each product, as CORR_TYPE has it */
    const int32_t (*receptor)[2]; /* of each product, the numbers of its two */
    const char *receptors;        /* a letter each: "XY" */
    int64_t channels_tile, rows_tile;
} ct_ms_header;

/* Some baselines of one integration, after those that are there. */
typedef struct ct_ms_rows {
    int64_t count;
    const int32_t *ant_1, *ant_2;
    const double (*uvw)[3];
    double time_s, interval_s;    /* the middle, MJD (UTC) in seconds */
    const float (*visibility)[2]; /* [count][channels][products], and the next two */
    const uint8_t *flag;
    const float *weight;
    const float *row_weight, *row_sigma; /* [count][products] */
    const uint8_t *row_flag;
} ct_ms_rows;

typedef struct ct_ms_end {
    double start_s, end_s; /* of all integrations */
    const char *history;
} ct_ms_end;

typedef struct ct_ms ct_ms;

/* Each gives 0, or another number and why. Nothing is thrown. After a failure only release. */
typedef struct ct_ms_tables {
    int version;
    /* In a folder that is there and empty. */
    int (*create)(ct_ms **out, const char *folder, const ct_ms_header *header, char why[CT_MS_WHY]);
    /* As it was at a flush. */
    int (*reopen)(ct_ms **out, const char *folder, const ct_ms_header *header, char why[CT_MS_WHY]);
    int (*put)(ct_ms *ms, const ct_ms_rows *rows, char why[CT_MS_WHY]);
    /* Rows are in the files, but not how many there are. It takes as much room as they do. */
    int (*drain)(ct_ms *ms, char why[CT_MS_WHY]);
    /* After that: all of it is. */
    int (*flush)(ct_ms *ms, char why[CT_MS_WHY]);
    int (*end)(ct_ms *ms, const ct_ms_end *end, char why[CT_MS_WHY]);
    /* NULL is allowed. What is not flushed may be lost. */
    void (*release)(ct_ms *ms);
} ct_ms_tables;

#endif

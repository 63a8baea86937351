/* columns.h: how channels, or trials, are worked on side by side, each by itself over a window in time.
 * Room: stages/shared. Knows cornerturn_stage.h. Does not know what is made of them. */
#ifndef CT_STAGES_COLUMNS_H
#define CT_STAGES_COLUMNS_H
#include "cornerturn_stage.h"

/* The dimensions of their port 0, and the tiles that columns.cl takes of a port. */
#define CT_COLUMNS_DIMS "[BS]?Q?D?TC?"
#define CT_COLUMNS_TILES(name, port)                                                               \
    CT_COLUMNS_TILE(name, port, "CT", "TILE_C, TILE_T", "X_STRIDE_D == 0", "CT_ALONG"),            \
        CT_COLUMNS_TILE(name, port, "DT", "TILE_C, TILE_T", "X_STRIDE_D != 0", "CT_ALONG"),        \
        CT_COLUMNS_TILE(name, port, "TC", "TILE_T, TILE_C", "X_STRIDE_D == 0", "!CT_ALONG"),       \
        CT_COLUMNS_TILE(name, port, "TD", "TILE_T, TILE_C", "X_STRIDE_D != 0", "!CT_ALONG")
#define CT_COLUMNS_TILE(name, port, order, extents, of, along)                                     \
    {                                                                                              \
        name, port, order, extents, "WG > 1", "float", of " && " along                             \
    }
/* Among their terms. */
#define CT_COLUMNS_TERM                                                                            \
    {                                                                                              \
        "CT_ALONG", "WG > 1 || X_FASTEST == DIM_T", "a tile's rows are times"                      \
    }
/* Among what they state of tunables. */
#define CT_COLUMNS_WHERE                                                                           \
    "(WG == 1 || NONTEMPORAL == 0) && (WG > 1 || !GPU) && "                                        \
    "(WG == 1 || TILE_T == 64 && TILE_C == 64) && TILE_T * TILE_C <= 16384"

/* CT_INVALID: it has both, or neither. */
ct_status ct_columns_check(const ct_step *step, ct_error *err);
/* Of port 0: trials where it has any, else channels. */
char ct_columns_dim(const ct_step *step);
/* Columns are alike in so many series: all indices but these and T. */
int64_t ct_columns_series(const ct_step *step);

/* Defines BY_TRIAL and what columns.cl has. */
void ct_columns_emit(const ct_step *step, ct_text *text);

/* TILE_T and TILE_C: long along what is fastest in memory; TILE_T divides `unit`. How long a block is has no
 * say, so that sums are the same in each. */
void ct_columns_suggest(ct_step *step, int64_t unit);

/* A group for each tile of columns, `unit` samples and series. */
ct_launch ct_columns_launch(const ct_step *step, int64_t unit);

/* For references: an element of port 0 in natural order as its `n`-th series, time and column; NaN where
 * it is flagged (ports[flags]) or not finite. */
typedef struct ct_columns_view {
    const ct_array *x, *flags;
    int64_t series, times, columns;
    int64_t time_stride, column_stride;
} ct_columns_view;
ct_columns_view ct_columns_of(const ct_step *step, const ct_array ports[], int flags);
int64_t ct_columns_at(const ct_columns_view *view, int64_t series, int64_t t, int64_t column);
double ct_columns_value(const ct_columns_view *view, int64_t series, int64_t t, int64_t column);

#endif

/* plot_inner.h: what the pictures of files share.
 * Room: plot. Knows arrays, files and pictures. Does not know formats' headers. */
#ifndef CT_PLOT_PLOT_INNER_H
#define CT_PLOT_PLOT_INNER_H
#include <stdio.h>

#include "draw.h"
#include "memory.h"
#include "plot.h"
#include "step.h"
#include "text.h"

/* What a verb is asked, and what it says about the picture. */
typedef struct ct_plot {
    const char *file, *out;
    const ct_plot_options *options;
    ct_context *context; /* stages that a pipeline may have */
    /* Drawn below all else, so much higher is the picture; NULL nothing. */
    void (*extra)(const void *extra_of, ct_canvas *, double top);
    const void *extra_of;
    int extra_height;
    ct_text said; /* lines: what is shown, what was left out */
} ct_plot;

/* ---- plot_source.c: an array of a file, read by the source stage of its format */

typedef struct ct_plot_source {
    ct_value *given; /* the source's parameters */
    ct_step *step;
    void *state; /* of `io`; only if opened */
    bool opened;
    ct_array array; /* all of it: T is the stream's length */
} ct_plot_source;

ct_status ct_plot_source_find(ct_plot_source *out, const ct_plot *plot, ct_error *err);
/* After ranges were set. */
ct_status ct_plot_source_open(ct_plot_source *source, ct_error *err);
void ct_plot_source_close(ct_plot_source *source);

/* ---- plot_choice.c: which indices of which dimensions are shown */

typedef struct ct_plot_choice {
    char up;                /* the dimension that goes up; 0: there is none */
    char slower;            /* one that goes up with it, slower: F of F and C; 0: none does */
    int64_t rows;           /* how many there are along it */
    int64_t index[CT_DIMS]; /* of the others, in the array's order */
} ct_plot_choice;

ct_status ct_plot_choose(ct_plot_choice *out, const ct_array *array, const ct_plot *plot,
                         ct_error *err);
/* "beam 3 of 24, Stokes Q" in `text`; what can be chosen otherwise is added to `said` (NULL: not).
 */
void ct_plot_choice_print(const ct_plot_choice *choice, const ct_array *array, ct_text *text,
                          ct_text *said);

/* ---- plot_grid.c: an array reduced to cells */

enum { CT_PLOT_COLUMNS = 600, CT_PLOT_ROWS = 360 };

/* What fell into a cell. */
typedef struct ct_plot_cell {
    double sum, re, im; /* of values, or magnitudes; of complex numbers */
    float low, high;
    int64_t count, not_numbers, missing;
} ct_plot_cell;

typedef struct ct_plot_grid {
    bool complex, largest;
    int columns, rows;
    int64_t samples, series;         /* along T, and along what goes up, in all */
    double most_numbers, most_bytes; /* that are looked at, and that are read */
    int64_t taken, of;               /* so many samples of every so many were read */
    int64_t missing, not_numbers;
    ct_plot_cell *cell; /* [rows][columns], the first index in row 0 */
} ct_plot_grid;

ct_status ct_plot_grid_new(ct_plot_grid *out, int64_t samples, int64_t series, int columns,
                           int rows, ct_error *err);
void ct_plot_grid_free(ct_plot_grid *grid);
ct_plot_cell *ct_plot_grid_at(const ct_plot_grid *grid, int64_t sample, int64_t one);
void ct_plot_cell_add(ct_plot_cell *cell, bool complex, ct_complex value);
/* The mean, or the largest, of a cell; NAN if it has no number. phase: in degrees, of the mean. */
double ct_plot_cell_value(const ct_plot_grid *grid, const ct_plot_cell *cell);
double ct_plot_cell_phase(const ct_plot_cell *cell);
/* All cells of a row, or of a column, as one. */
ct_plot_cell ct_plot_grid_row(const ct_plot_grid *grid, int row);
ct_plot_cell ct_plot_grid_column(const ct_plot_grid *grid, int column);
ct_status ct_plot_grid_read(ct_plot_grid *grid, ct_plot_source *source,
                            const ct_plot_choice *choice, ct_error *err);
/* "mean of 16 samples x 2 channels in a cell", what was left out: for a line of the picture. */
void ct_plot_grid_print(const ct_plot_grid *grid, const char *series, ct_text *text);

/* ---- plot_axes.c: axes from metadata */

typedef struct ct_plot_axis {
    ct_axis axis;
    char label[160];
    bool falls; /* the first index is at the high end */
} ct_plot_axis;
void ct_plot_axis_time(ct_plot_axis *out, const ct_meta *meta, int64_t samples);
void ct_plot_axis_up(ct_plot_axis *out, const ct_array *array, const ct_plot_choice *choice);
/* Where a unit with a prefix suits the span better: the factor, and "m", "u", "". */
double ct_plot_prefix(double span, const char **prefix);

/* ---- plot_scale.c: values as colours */

typedef struct ct_plot_scale {
    ct_axis axis;
    bool cyclic;
    char label[96];
} ct_plot_scale;
/* From the 2nd to the 98th of a hundred of the values that are finite; they are put in order. */
void ct_plot_scale_find(ct_plot_scale *out, double *value, size_t count);
/* The same for lines: a little more than all of them. */
ct_axis ct_plot_scale_all(const double *value, size_t count);
int ct_plot_scale_colour(const ct_plot_scale *scale, double value);
/* A bar with numbers, right of a box. */
void ct_plot_scale_bar(ct_canvas *canvas, const ct_plot_scale *scale, ct_box box);

/* ---- pictures: each opens, draws and saves one */

ct_status ct_plot_waterfall(ct_plot *plot, const ct_plot_source *source,
                            const ct_plot_choice *choice, const ct_plot_grid *grid, ct_error *err);
ct_status ct_plot_profile(ct_plot *plot, const ct_plot_source *source, const ct_plot_choice *choice,
                          const ct_plot_grid *grid, ct_error *err);
/* root: of the JSON form; NULL: the file is the table. */
ct_status ct_plot_candidates(ct_plot *plot, const ct_value *root, ct_error *err);
/* Beams at the directions of --directions. */
ct_status ct_plot_beam_map(ct_plot *plot, const double *value, int64_t beams, const char *label,
                           ct_error *err);
ct_status ct_plot_array_beams(ct_plot *plot, ct_plot_source *source, ct_error *err);
ct_status ct_plot_pipeline(ct_plot *plot, ct_error *err);
ct_status ct_plot_visibilities(ct_plot *plot, ct_error *err);
/* Title, and lines below it; where the picture may begin. */
double ct_plot_title(ct_canvas *canvas, const ct_plot *plot, const char *title, const char *below);
/* "source, telescope", as far as it is known. */
void ct_plot_name(ct_text *text, const ct_meta *meta);

#endif

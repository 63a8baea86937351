/* plot_profile.c: values along one axis: a time series, or a spectrum; of complex numbers
 * amplitude, and phase below. Between the smallest and the largest value of a cell there is a band.
 * Room: plot. Knows pictures. Does not know files. */
#include <math.h>

#include "plot_inner.h"

enum { WIDTH = 960, LEFT = 92, ACROSS = 820, DOWN = 260, GAP = 16 };

typedef struct profile {
    ct_canvas *canvas;
    const ct_plot_grid *grid;
    ct_plot_axis along;
    ct_box box;
    int count;
    ct_plot_cell *cell;         /* [count] */
    double (*point)[2], *value; /* room for 2 and 3 x count */
} profile;

/* The part of the box where the cell is. */
static double place_of(const profile *of, int i)
{
    const double part = (i + 0.5) / of->count;
    return of->box.x + of->box.width * (of->along.falls ? 1 - part : part);
}

static void draw_line(profile *of, const ct_axis *axis, const double *value, int colour)
{
    for (int i = 0; i < of->count; i++) {
        of->point[i][0] = place_of(of, i);
        of->point[i][1] = of->box.y + of->box.height * (1 - ct_axis_place(axis, value[i]));
    }
    ct_canvas_line(of->canvas, (const double(*)[2])of->point, (size_t)of->count, colour, 1.3);
}

static void draw_band(profile *of, const ct_axis *axis, const double *low, const double *high)
{
    for (int i = 0; i < of->count; i++)
        if (isfinite(low[i]) && high[i] > low[i])
            ct_canvas_box(of->canvas,
                          (ct_box){place_of(of, i) - 0.5 * of->box.width / of->count,
                                   of->box.y + of->box.height * (1 - ct_axis_place(axis, high[i])),
                                   of->box.width / of->count,
                                   of->box.height * (high[i] - low[i]) / (axis->high - axis->low)},
                          CT_COLOUR_BAND, CT_COLOUR_NONE);
}

/* Where there is no number: a mark at the bottom. */
static void draw_marks(const profile *of)
{
    for (int i = 0; i < of->count; i++) {
        const ct_plot_cell *cell = &of->cell[i];
        const int colour = cell->not_numbers > 0 ? CT_COLOUR_NAN : CT_COLOUR_MISSING;
        if (cell->not_numbers == 0 && (cell->missing == 0 || cell->count > 0)) continue;
        const double wide = fmax(of->box.width / of->count, 1);
        ct_canvas_box(of->canvas,
                      (ct_box){place_of(of, i) - wide / 2, of->box.y + of->box.height - 6, wide, 6},
                      colour, CT_COLOUR_NONE);
    }
}

static void draw_values(profile *of)
{
    double *value = of->value, *low = value + of->count, *high = low + of->count;
    for (int i = 0; i < of->count; i++) {
        const bool any = of->cell[i].count > 0;
        value[i] = ct_plot_cell_value(of->grid, &of->cell[i]);
        low[i] = any ? (double)of->cell[i].low : NAN;
        high[i] = any ? (double)of->cell[i].high : NAN;
    }
    ct_axis axis = ct_plot_scale_all(value, 3 * (size_t)of->count);
    axis.label = of->grid->complex ? "amplitude" : "value";
    ct_canvas_box(of->canvas, of->box, CT_COLOUR_NONE, CT_COLOUR_GREY);
    draw_band(of, &axis, low, high);
    draw_line(of, &axis, value, CT_COLOUR_LINE);
    draw_marks(of);
    ct_axis_left(of->canvas, of->box, &axis);
}

static void draw_phases(profile *of)
{
    const ct_axis axis = {-180, 180, "phase, degrees"};
    ct_canvas_box(of->canvas, of->box, CT_COLOUR_NONE, CT_COLOUR_GREY);
    for (int i = 0; i < of->count; i++)
        ct_canvas_disc(of->canvas, place_of(of, i),
                       of->box.y + of->box.height *
                                       (1 - ct_axis_place(&axis, ct_plot_cell_phase(&of->cell[i]))),
                       1.4, CT_COLOUR_SECOND, CT_COLOUR_NONE, NULL);
    ct_axis_left(of->canvas, of->box, &axis);
}

static ct_status profile_make(profile *of, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plot_grid *grid = of->grid;
    of->count = grid->columns > 1 ? grid->columns : grid->rows;
    const size_t each = (size_t)of->count;
    of->cell = ct_memory_get(each * sizeof *of->cell);
    CT_NEED(of->cell, each * sizeof *of->cell, err);
    of->point = ct_memory_get(each * sizeof *of->point);
    CT_NEED(of->point, each * sizeof *of->point, err);
    of->value = ct_memory_get(3 * each * sizeof *of->value);
    CT_NEED(of->value, 3 * each * sizeof *of->value, err);
    for (int i = 0; i < of->count; i++)
        of->cell[i] = grid->cell[i];
out:
    return status;
}

static void profile_draw(profile *of, double top)
{
    of->box = (ct_box){LEFT, top, ACROSS, DOWN};
    draw_values(of);
    if (of->grid->complex) {
        of->box.y += DOWN + GAP;
        draw_phases(of);
    }
    ct_axis_bottom(of->canvas, of->box, &of->along.axis);
    ct_canvas_print(of->canvas, LEFT, of->box.y + DOWN + 54, CT_ANCHOR_START, CT_COLOUR_GREY,
                    "line: %s%s%s%s", of->grid->largest ? "largest" : "mean",
                    of->grid->taken > 1 || of->grid->of > 1 || of->grid->series > of->grid->rows
                        ? "; band: smallest to largest"
                        : "",
                    of->grid->not_numbers ? "; red at the bottom: not a number" : "",
                    of->grid->missing ? "; grey at the bottom: missing or flagged" : "");
}

ct_status ct_plot_profile(ct_plot *plot, const ct_plot_source *source, const ct_plot_choice *choice,
                          const ct_plot_grid *grid, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text title = {0}, below = {0};
    profile of = {.grid = grid};
    CT_TRY(profile_make(&of, err));
    if (grid->columns > 1 || grid->rows == 1)
        ct_plot_axis_time(&of.along, &source->array.meta, grid->samples);
    else
        ct_plot_axis_up(&of.along, &source->array, choice);
    ct_plot_name(&title, &source->array.meta);
    ct_plot_choice_print(choice, &source->array, &title, &plot->said);
    ct_plot_grid_print(grid, choice->up ? ct_dim_name(choice->up) : "", &below);
    if (below.length) ct_text_add(&plot->said, "%s\n", below.data);
    CT_TRY(ct_text_check(&title, err));
    CT_TRY(ct_canvas_open(&of.canvas, plot->out, WIDTH,
                          70 + DOWN + 66 + (grid->complex ? DOWN + GAP : 0) + plot->extra_height,
                          err));
    profile_draw(&of, ct_plot_title(of.canvas, plot, title.data ? title.data : "",
                                    below.data ? below.data : ""));
    if (plot->extra) plot->extra(plot->extra_of, of.canvas, of.box.y + DOWN + 66);
    CT_TRY(ct_canvas_save(of.canvas, err));
out:
    ct_canvas_free(of.canvas);
    ct_memory_free(of.cell);
    ct_memory_free(of.point);
    ct_memory_free(of.value);
    ct_text_free(&title);
    ct_text_free(&below);
    return status;
}

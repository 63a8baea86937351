/* plot_waterfall.c: time along, channels or trials up: values as colours, with the mean over all of
 * them above, and the mean over time at the side; of complex numbers amplitude, and phase below.
 * Room: plot. Knows pictures. Does not know files. */
#include <math.h>

#include "plot_inner.h"

enum { WIDTH = 960, LEFT = 92, ACROSS = 600, DOWN = 360, SERIES = 84, SIDE = 110, GAP = 10 };

typedef struct waterfall {
    ct_canvas *canvas;
    const ct_plot_grid *grid;
    ct_plot_axis time, up;
    ct_box box;
    double
        *value; /* [rows][columns], the first index in row 0; then as many for putting in order */
} waterfall;

static void fill_values(waterfall *fall, bool phase)
{
    const ct_plot_grid *grid = fall->grid;
    for (int i = 0; i < grid->columns * grid->rows; i++)
        fall->value[i] =
            phase ? ct_plot_cell_phase(&grid->cell[i]) : ct_plot_cell_value(grid, &grid->cell[i]);
}

/* The row at the top is that of the highest value of the axis. */
static int row_at(const waterfall *fall, int from_top)
{
    return fall->up.falls ? from_top : fall->grid->rows - 1 - from_top;
}

static ct_status draw_cells(waterfall *fall, const ct_plot_scale *scale, ct_error *err)
{
    const ct_plot_grid *grid = fall->grid;
    const size_t count = (size_t)grid->columns * (size_t)grid->rows;
    uint8_t *colours = ct_memory_get(count);
    if (!colours) return ct_memory_fail(count, err);
    for (int y = 0; y < grid->rows; y++)
        for (int x = 0; x < grid->columns; x++) {
            const int at = row_at(fall, y) * grid->columns + x;
            const ct_plot_cell *cell = &grid->cell[at];
            const bool missing = cell->count == 0 && cell->not_numbers == 0;
            colours[(size_t)y * (size_t)grid->columns + (size_t)x] =
                (uint8_t)(missing ? CT_COLOUR_MISSING
                                  : ct_plot_scale_colour(scale, fall->value[at]));
        }
    ct_canvas_image(fall->canvas, fall->box, grid->columns, grid->rows, colours);
    ct_canvas_box(fall->canvas, fall->box, CT_COLOUR_NONE, CT_COLOUR_INK);
    ct_memory_free(colours);
    return CT_OK;
}

static void draw_series(waterfall *fall)
{
    const ct_plot_grid *grid = fall->grid;
    const ct_box box = {fall->box.x, fall->box.y - SERIES - GAP, ACROSS, SERIES};
    double value[CT_PLOT_COLUMNS], point[CT_PLOT_COLUMNS][2];
    for (int x = 0; x < grid->columns; x++) {
        const ct_plot_cell cell = ct_plot_grid_column(grid, x);
        value[x] = ct_plot_cell_value(grid, &cell);
    }
    ct_axis axis = ct_plot_scale_all(value, (size_t)grid->columns);
    axis.label = grid->largest ? "largest" : "mean";
    for (int x = 0; x < grid->columns; x++) {
        point[x][0] = box.x + box.width * (x + 0.5) / grid->columns;
        point[x][1] = box.y + box.height * (1 - ct_axis_place(&axis, value[x]));
    }
    ct_canvas_box(fall->canvas, box, CT_COLOUR_NONE, CT_COLOUR_GREY);
    ct_canvas_line(fall->canvas, (const double(*)[2])point, (size_t)grid->columns, CT_COLOUR_LINE,
                   1.2);
    ct_axis_left(fall->canvas, box, &axis);
}

static void draw_side(waterfall *fall)
{
    const ct_plot_grid *grid = fall->grid;
    const ct_box box = {fall->box.x + ACROSS + GAP, fall->box.y, SIDE, DOWN};
    double value[CT_PLOT_ROWS], point[CT_PLOT_ROWS][2];
    for (int y = 0; y < grid->rows; y++) {
        const ct_plot_cell cell = ct_plot_grid_row(grid, row_at(fall, y));
        value[y] = ct_plot_cell_value(grid, &cell);
    }
    ct_axis axis = ct_plot_scale_all(value, (size_t)grid->rows);
    axis.label = grid->largest ? "largest" : "mean";
    for (int y = 0; y < grid->rows; y++) {
        point[y][0] = box.x + box.width * ct_axis_place(&axis, value[y]);
        point[y][1] = box.y + box.height * (y + 0.5) / grid->rows;
    }
    ct_canvas_box(fall->canvas, box, CT_COLOUR_NONE, CT_COLOUR_GREY);
    ct_canvas_line(fall->canvas, (const double(*)[2])point, (size_t)grid->rows, CT_COLOUR_LINE,
                   1.2);
    ct_axis_bottom(fall->canvas, box, &axis);
}

/* Amplitude, or the value. */
static ct_status draw_amplitude(waterfall *fall, ct_error *err)
{
    const size_t count = (size_t)fall->grid->columns * (size_t)fall->grid->rows;
    ct_plot_scale scale;
    fill_values(fall, false);
    for (size_t i = 0; i < count; i++)
        fall->value[count + i] = fall->value[i];
    ct_plot_scale_find(&scale, fall->value + count, count);
    ct_number_print(scale.label, sizeof scale.label, "%s (colours: 2nd to 98th percentile)",
                    fall->grid->complex ? "amplitude" : "value");
    draw_series(fall);
    draw_side(fall);
    ct_axis_left(fall->canvas, fall->box, &fall->up.axis);
    ct_plot_scale_bar(fall->canvas, &scale,
                      (ct_box){fall->box.x + ACROSS + SIDE + 3 * GAP, fall->box.y, 0, DOWN});
    return draw_cells(fall, &scale, err);
}

static ct_status draw_phase(waterfall *fall, ct_error *err)
{
    ct_plot_scale scale = {.axis = {-180, 180, NULL}, .cyclic = true};
    fill_values(fall, true);
    ct_number_print(scale.label, sizeof scale.label, "phase of the mean, degrees");
    ct_axis_left(fall->canvas, fall->box, &fall->up.axis);
    ct_plot_scale_bar(fall->canvas, &scale,
                      (ct_box){fall->box.x + ACROSS + SIDE + 3 * GAP, fall->box.y, 0, DOWN});
    return draw_cells(fall, &scale, err);
}

/* What is no number, and what is missing, with how much of it there is. */
static void draw_key(const waterfall *fall, double y)
{
    const ct_plot_grid *grid = fall->grid;
    double x = LEFT;
    const struct {
        int64_t count;
        int colour;
        const char *name;
    } keys[] = {{grid->missing, CT_COLOUR_MISSING, "missing or flagged"},
                {grid->not_numbers, CT_COLOUR_NAN, "not a number"}};
    for (size_t i = 0; i < 2; i++) {
        if (keys[i].count == 0) continue;
        ct_canvas_box(fall->canvas, (ct_box){x, y - 10, 12, 12}, keys[i].colour, CT_COLOUR_INK);
        ct_canvas_print(fall->canvas, x + 18, y, CT_ANCHOR_START, CT_COLOUR_INK, "%s: %lld values",
                        keys[i].name, (long long)keys[i].count);
        x += 280;
    }
}

static ct_status waterfall_draw(waterfall *fall, double top, ct_error *err)
{
    ct_status status = CT_OK;
    fall->box = (ct_box){LEFT, top + SERIES + GAP, ACROSS, DOWN};
    CT_TRY(draw_amplitude(fall, err));
    if (fall->grid->complex) {
        fall->box.y += DOWN + 2 * GAP;
        CT_TRY(draw_phase(fall, err));
    }
    ct_axis_bottom(fall->canvas, fall->box, &fall->time.axis);
    draw_key(fall, fall->box.y + DOWN + 62);
out:
    return status;
}

ct_status ct_plot_waterfall(ct_plot *plot, const ct_plot_source *source,
                            const ct_plot_choice *choice, const ct_plot_grid *grid, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text title = {0}, below = {0};
    waterfall fall = {.grid = grid};
    const size_t bytes = 2 * (size_t)grid->columns * (size_t)grid->rows * sizeof *fall.value;
    const int height =
        70 + SERIES + GAP + DOWN + 76 + (grid->complex ? DOWN + 2 * GAP : 0) + plot->extra_height;
    fall.value = ct_memory_get(bytes);
    CT_NEED(fall.value, bytes, err);
    ct_plot_axis_time(&fall.time, &source->array.meta, grid->samples);
    ct_plot_axis_up(&fall.up, &source->array, choice);
    ct_plot_name(&title, &source->array.meta);
    ct_plot_choice_print(choice, &source->array, &title, &plot->said);
    ct_plot_grid_print(grid, choice->up == 'C' ? "channel" : ct_dim_name(choice->up), &below);
    if (below.length) ct_text_add(&plot->said, "%s\n", below.data);
    CT_TRY(ct_canvas_open(&fall.canvas, plot->out, WIDTH, height, err));
    const double top = ct_plot_title(fall.canvas, plot, title.data ? title.data : "",
                                     below.data ? below.data : "");
    CT_TRY(waterfall_draw(&fall, top, err));
    if (plot->extra) plot->extra(plot->extra_of, fall.canvas, fall.box.y + DOWN + 72);
    CT_TRY(ct_text_check(&title, err));
    CT_TRY(ct_canvas_save(fall.canvas, err));
out:
    ct_canvas_free(fall.canvas);
    ct_memory_free(fall.value);
    ct_text_free(&title);
    ct_text_free(&below);
    return status;
}

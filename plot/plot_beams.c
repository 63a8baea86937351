/* plot_beams.c: beams at their directions, each in the colour of its mean, or of its highest S/N.
 * Room: plot. Knows directions. Does not know how beams are formed. */
#include <math.h>

#include "plot_inner.h"

enum { SIZE = 520, LEFT = 100, MOST_BEAMS = 4096 };
#define DEGREE (3.14159265358979323846 / 180)

/* [azimuth, elevation] or {"az": .., "el": ..}, degrees, or [east, north, up]: onto the ground. */
static bool place_of(double out[2], const ct_value *one)
{
    const ct_value *az = ct_value_at(one, 0), *el = ct_value_at(one, 1);
    if (ct_value_kind(one) == CT_OBJECT) {
        az = ct_value_get(one, "az");
        el = ct_value_get(one, "el");
    }
    const double a = ct_value_real(az, NAN), b = ct_value_real(el, NAN);
    const bool unit = ct_value_kind(one) == CT_LIST && ct_value_count(one) == 3;
    out[0] = unit ? a : cos(b * DEGREE) * sin(a * DEGREE);
    out[1] = unit ? b : cos(b * DEGREE) * cos(a * DEGREE);
    return isfinite(out[0] + out[1]) && ct_value_count(one) == (unit ? 3 : 2);
}

/* The list itself; or of a pipeline, the first node's that has one, perhaps a constant. */
static const ct_value *directions_of(const ct_value *root)
{
    const ct_value *nodes = ct_value_get(root, "nodes"), *found = NULL;
    if (ct_value_kind(root) == CT_LIST) return root;
    for (size_t i = 0; i < ct_value_count(nodes) && !found; i++)
        found = ct_value_get(ct_value_at(nodes, i), "directions");
    if (ct_value_kind(found) == CT_TEXT && ct_value_text(found, "")[0] == '$')
        found = ct_value_get(ct_value_get(root, "constants"), ct_value_text(found, "") + 1);
    return ct_value_kind(found) == CT_LIST ? found : NULL;
}

static ct_status find_places(double (*place)[2], int64_t beams, const ct_value *root,
                             const ct_plot *plot, ct_error *err)
{
    const char *file = plot->options->directions;
    const ct_value *list = directions_of(root);
    if (!list)
        return ct_error_add(err, CT_DATA,
                            "%s: expected a list of directions, or a pipeline with a node that has "
                            "\"directions\"",
                            file);
    if ((int64_t)ct_value_count(list) != beams)
        return ct_error_add(err, CT_DATA,
                            "%s: expected a direction for each of %lld beams, found %zu", file,
                            (long long)beams, ct_value_count(list));
    for (int64_t b = 0; b < beams; b++)
        if (!place_of(place[b], ct_value_at(list, (size_t)b)))
            return ct_error_add(
                err, CT_DATA,
                "%s: direction %lld: expected [azimuth, elevation] in degrees, or a unit "
                "vector [east, north, up]",
                file, (long long)b);
    return CT_OK;
}

/* Axes of one scale around all beams. */
static void find_axes(ct_axis axis[2], const double (*place)[2], int64_t beams)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int64_t b = 0; b < beams; b++)
        for (int i = 0; i < 2; i++) {
            low[i] = fmin(low[i], place[b][i]);
            high[i] = fmax(high[i], place[b][i]);
        }
    const double half = 0.6 * fmax(fmax(high[0] - low[0], high[1] - low[1]), 1e-5) / DEGREE;
    for (int i = 0; i < 2; i++) {
        axis[i].low = (low[i] + high[i]) / 2 / DEGREE - half;
        axis[i].high = (low[i] + high[i]) / 2 / DEGREE + half;
    }
    axis[0].label = "east of the zenith, direction cosine x 57.2958";
    axis[1].label = "north of the zenith, direction cosine x 57.2958";
}

static ct_status draw_map(ct_plot *plot, const double *value, const double (*place)[2],
                          int64_t beams, const char *label, ct_error *err)
{
    ct_status status = CT_OK;
    ct_canvas *canvas = NULL;
    ct_axis axis[2];
    char text[96];
    ct_plot_scale scale = {.axis = ct_plot_scale_all(value, (size_t)beams)};
    const double radius = fmax(4, fmin(26, SIZE / (3 * sqrt((double)beams))));
    find_axes(axis, place, beams);
    ct_number_print(scale.label, sizeof scale.label, "%s", label);
    ct_number_print(text, sizeof text, "%lld beams", (long long)beams);
    CT_TRY(ct_canvas_open(&canvas, plot->out, SIZE + LEFT + 160, SIZE + 130, err));
    const ct_box box = {LEFT, ct_plot_title(canvas, plot, text, ""), SIZE, SIZE};
    ct_canvas_box(canvas, box, CT_COLOUR_NONE, CT_COLOUR_GREY);
    for (int64_t b = 0; b < beams; b++) {
        const double x = box.x + SIZE * ct_axis_place(&axis[0], place[b][0] / DEGREE);
        const double y = box.y + SIZE * (1 - ct_axis_place(&axis[1], place[b][1] / DEGREE));
        ct_number_print(text, sizeof text, "beam %lld: %s %.6g", (long long)b, label, value[b]);
        ct_canvas_disc(canvas, x, y, radius,
                       isnan(value[b]) ? CT_COLOUR_MISSING : ct_plot_scale_colour(&scale, value[b]),
                       CT_COLOUR_INK, text);
        if (beams <= 100)
            ct_canvas_print(canvas, x, y + radius + 13, CT_ANCHOR_MIDDLE, CT_COLOUR_GREY, "%lld",
                            (long long)b);
    }
    ct_axis_bottom(canvas, box, &axis[0]);
    ct_axis_left(canvas, box, &axis[1]);
    ct_plot_scale_bar(canvas, &scale, (ct_box){LEFT + SIZE + 24, box.y, 0, SIZE});
    CT_TRY(ct_canvas_save(canvas, err));
out:
    ct_canvas_free(canvas);
    return status;
}

ct_status ct_plot_beam_map(ct_plot *plot, const double *value, int64_t beams, const char *label,
                           ct_error *err)
{
    ct_status status = CT_OK;
    ct_value *root = NULL;
    const size_t bytes = (size_t)beams * 2 * sizeof(double);
    double(*place)[2] = ct_memory_get(bytes);
    CT_NEED(place, bytes, err);
    status = ct_value_load(&root, plot->options->directions, err);
    if (status == CT_INVALID) status = CT_DATA;
    CT_TRY(status);
    CT_TRY(find_places(place, beams, root, plot, err));
    CT_TRY(draw_map(plot, value, (const double(*)[2])place, beams, label, err));
out:
    ct_value_free(root);
    ct_memory_free(place);
    return status;
}

/* Each beam's mean over time and channels, of amplitudes where numbers are complex. */
ct_status ct_plot_array_beams(ct_plot *plot, ct_plot_source *source, ct_error *err)
{
    ct_status status = CT_OK;
    ct_plot_choice choice;
    ct_plot_grid grid = {0};
    double value[MOST_BEAMS];
    const int64_t beams = ct_array_extent(&source->array, 'B');
    if (ct_array_find(&source->array, 'B') < 0 || beams > MOST_BEAMS)
        CT_TRY(ct_error_add(
            err, CT_USAGE, "%s: --directions is for arrays with 1 to %d beams, found dimensions %s",
            plot->file, MOST_BEAMS, source->array.dim));
    CT_TRY(ct_plot_choose(&choice, &source->array, plot, err));
    const int64_t channels = ct_array_extent(&source->array, 'C');
    choice.up = channels > 1 ? 'C' : 'B';
    choice.slower = channels > 1 ? 'B' : 0;
    choice.rows = beams * channels;
    CT_TRY(ct_plot_grid_new(&grid, source->array.meta.total, choice.rows, 1, (int)beams, err));
    grid.largest = plot->options->largest;
    CT_TRY(ct_plot_grid_read(&grid, source, &choice, err));
    for (int64_t b = 0; b < beams; b++)
        value[b] = ct_plot_cell_value(&grid, &grid.cell[b]);
    if (grid.taken < grid.of)
        ct_text_add(&plot->said, "of the first %lld of %lld samples\n", (long long)grid.taken,
                    (long long)grid.samples);
    CT_TRY(ct_plot_beam_map(plot, value, beams, grid.complex ? "amplitude" : "value", err));
out:
    ct_plot_grid_free(&grid);
    return status;
}

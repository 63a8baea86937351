/* plot_visibilities.c: a UVH5 file: one baseline's amplitude and phase over time and channels, and
 * those of all baselines over their length. Room: plot. Knows baselines. Does not know HDF5. */
#include <math.h>
#include <string.h>

#include "plot_inner.h"
#include "uvh5_view.h"

enum { CHUNK_ROWS = 4096, MOST_BASELINES = 200000, PANEL = 230, PANEL_WIDTH = 380 };
#define MOST_VALUES 268435456.0 /* that are read: 2 GiB */
#define CHUNK_VALUES 2097152

typedef struct baseline {
    int64_t ant[2], rows;
    double length; /* summed over rows, metres */
    ct_plot_cell cell;
} baseline;

typedef struct visibilities {
    ct_uvh5_view view;
    ct_plot_source shown; /* of one baseline and product: its array only */
    ct_plot_choice choice;
    ct_plot_grid grid;
    baseline *base;
    int64_t bases, last; /* the one that was found last */
    int64_t chosen, product, seen, every;
    double first_jd, second_jd;
    double *frequency;
    int64_t *ant[2]; /* [CHUNK_ROWS], and the next ones */
    double *time, (*uvw)[3];
    float (*value)[2]; /* [rows][channels] */
    uint8_t *flag;
    int64_t chunk; /* rows of these two */
} visibilities;

static ct_status make_rooms(visibilities *of, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t one = CHUNK_ROWS * sizeof(int64_t),
                 list = (size_t)of->view.channels * sizeof(double);
    for (int i = 0; i < 2; i++) {
        of->ant[i] = ct_memory_get(one);
        CT_NEED(of->ant[i], one, err);
    }
    of->time = ct_memory_get(one);
    CT_NEED(of->time, one, err);
    of->uvw = ct_memory_get(3 * one);
    CT_NEED(of->uvw, 3 * one, err);
    of->frequency = ct_memory_get(list);
    CT_NEED(of->frequency, list, err);
    of->chunk = CHUNK_VALUES / of->view.channels;
    of->chunk = of->chunk < 1 ? 1 : of->chunk > CHUNK_ROWS ? CHUNK_ROWS : of->chunk;
    const size_t values = (size_t)(of->chunk * of->view.channels);
    of->value = ct_memory_get(values * sizeof *of->value);
    CT_NEED(of->value, values * sizeof *of->value, err);
    of->flag = ct_memory_get(values);
    CT_NEED(of->flag, values, err);
    CT_TRY(ct_uvh5_view_frequencies(&of->view, of->frequency, err));
out:
    return status;
}

static void free_rooms(visibilities *of)
{
    ct_uvh5_view_close(&of->view);
    ct_plot_grid_free(&of->grid);
    ct_memory_free(of->base);
    ct_memory_free(of->ant[0]);
    ct_memory_free(of->ant[1]);
    ct_memory_free(of->time);
    ct_memory_free(of->uvw);
    ct_memory_free(of->frequency);
    ct_memory_free(of->value);
    ct_memory_free(of->flag);
}

/* ---- baselines */

static bool is_of(const baseline *base, int64_t a, int64_t b)
{
    return base->ant[0] == a && base->ant[1] == b;
}

/* Mostly they come in one order again and again: the next one is tried first. -1: none. */
static int64_t find_base(visibilities *of, int64_t a, int64_t b)
{
    const int64_t next = of->last + 1 < of->bases ? of->last + 1 : 0;
    if (of->bases > 0 && is_of(&of->base[next], a, b)) return of->last = next;
    for (int64_t i = 0; i < of->bases; i++)
        if (is_of(&of->base[i], a, b)) return of->last = i;
    return -1;
}

static ct_status add_base(visibilities *of, int64_t a, int64_t b, ct_error *err)
{
    ct_status status = CT_OK;
    if (of->bases == MOST_BASELINES)
        CT_TRY(ct_error_add(err, CT_DATA, "%s: expected at most %d baselines", of->view.file,
                            MOST_BASELINES));
    if ((of->bases & (of->bases - 1)) == 0) /* its room is a power of two */
        CT_TRY(ct_memory_grow(&of->base, (size_t)(of->bases ? 2 * of->bases : 1) * sizeof *of->base,
                              err));
    of->base[of->bases] = (baseline){.ant = {a, b}, .cell = {.low = INFINITY, .high = -INFINITY}};
    of->last = of->bases++;
out:
    return status;
}

static ct_status read_heads(visibilities *of, int64_t first, int64_t count, ct_error *err)
{
    return ct_uvh5_view_rows(&of->view, first, count, of->ant[0], of->ant[1], of->time, of->uvw,
                             err);
}

/* All baselines, in the order in which they come first. */
static ct_status list_bases(visibilities *of, ct_error *err)
{
    ct_status status = CT_OK;
    for (int64_t first = 0; first < of->view.rows; first += CHUNK_ROWS) {
        const int64_t left = of->view.rows - first, count = left < CHUNK_ROWS ? left : CHUNK_ROWS;
        CT_TRY(read_heads(of, first, count, err));
        for (int64_t r = 0; r < count; r++) {
            int64_t at = find_base(of, of->ant[0][r], of->ant[1][r]);
            if (at < 0) CT_TRY(add_base(of, of->ant[0][r], of->ant[1][r], err));
            at = of->last;
            if (at == 0 && of->base[at].rows == 0) of->first_jd = of->time[r];
            if (at == 0 && of->base[at].rows == 1) of->second_jd = of->time[r];
            const double *uvw = of->uvw[r];
            of->base[at].rows++;
            of->base[at].length += sqrt(uvw[0] * uvw[0] + uvw[1] * uvw[1] + uvw[2] * uvw[2]);
        }
    }
out:
    return status;
}

static double length_of(const baseline *base)
{
    return base->rows ? base->length / (double)base->rows : NAN;
}

/* ---- what is shown */

static void set_array(ct_array *array, const visibilities *of, int64_t samples)
{
    *array = (ct_array){.type = CT_CF32};
    (void)ct_array_add(array, 'T', samples);
    (void)ct_array_add(array, 'L', of->bases);
    (void)ct_array_add(array, 'C', of->view.channels);
    (void)ct_array_add(array, 'Q', of->view.products);
    array->meta.frequency_hz = of->frequency;
    array->meta.frequencies = of->view.channels;
    array->meta.total = samples;
    array->meta.products = of->view.names.count ? &of->view.names : NULL;
    array->meta.sample_time_s = fmax((of->second_jd - of->first_jd) * 86400, 0);
    array->meta.start_mjd = of->first_jd > 2400000.5 ? of->first_jd - 2400000.5 : 0;
}

static ct_status choose(visibilities *of, const ct_plot *plot, ct_error *err)
{
    ct_array *array = &of->shown.array;
    set_array(array, of, of->base[0].rows);
    const ct_status status = ct_plot_choose(&of->choice, array, plot, err);
    if (status != CT_OK) return status;
    of->chosen = of->choice.index[1];
    of->product = of->choice.index[3];
    array->extent[0] = array->meta.total = of->base[of->chosen].rows;
    if (of->choice.up == 'C' || of->view.channels == 1) return CT_OK;
    return ct_error_add(err, CT_USAGE,
                        "%s: --dim: expected a baseline (L=N) or a product (Q=N): channels go up",
                        plot->file);
}

static void take_row(visibilities *of, int64_t base, const float (*value)[2], const uint8_t *flag)
{
    for (int64_t c = 0; c < of->view.channels; c++) {
        const ct_complex one = {(double)value[c][0], (double)value[c][1]};
        ct_plot_cell *cell = &of->base[base].cell;
        if (!flag[c]) ct_plot_cell_add(cell, true, one);
        if (base != of->chosen) continue;
        cell = ct_plot_grid_at(&of->grid, of->seen, c);
        const int64_t before = cell->not_numbers;
        if (flag[c])
            cell->missing++, of->grid.missing++;
        else
            ct_plot_cell_add(cell, true, one);
        of->grid.not_numbers += cell->not_numbers - before;
    }
}

/* Of a file that is too large for that, one of every so many parts. */
static ct_status read_all(visibilities *of, ct_error *err)
{
    ct_status status = CT_OK;
    of->every = 1 + (int64_t)((double)of->view.rows * (double)of->view.channels / MOST_VALUES);
    for (int64_t first = 0, part = 0; first < of->view.rows; first += of->chunk, part++) {
        const int64_t left = of->view.rows - first, count = left < of->chunk ? left : of->chunk;
        const bool read = part % of->every == 0;
        CT_TRY(read_heads(of, first, count, err));
        if (read)
            CT_TRY(
                ct_uvh5_view_data(&of->view, first, count, of->product, of->value, of->flag, err));
        for (int64_t r = 0; r < count; r++) {
            const int64_t base = find_base(of, of->ant[0][r], of->ant[1][r]);
            if (base < 0) continue;
            if (read)
                take_row(of, base, (const float(*)[2])(of->value + r * of->view.channels),
                         of->flag + r * of->view.channels);
            if (base == of->chosen && of->seen + 1 < of->grid.samples) of->seen++;
        }
    }
out:
    return status;
}

/* ---- all baselines over their length */

static void draw_points(ct_canvas *canvas, const visibilities *of, ct_box box, bool phase)
{
    ct_axis along = {0, 0, "length of the baseline, m"},
            up = {-180, 180, "phase of the mean, degrees"};
    double high = 0;
    for (int64_t i = 0; i < of->bases; i++) {
        along.high = fmax(along.high, length_of(&of->base[i]));
        if (of->base[i].cell.count)
            high = fmax(high, ct_plot_cell_value(&of->grid, &of->base[i].cell));
    }
    along.high = along.high > 0 ? along.high * 1.05 : 1;
    if (!phase) up = (ct_axis){0, high > 0 ? high * 1.05 : 1, "mean amplitude"};
    ct_canvas_box(canvas, box, CT_COLOUR_NONE, CT_COLOUR_GREY);
    for (int64_t i = 0; i < of->bases; i++) {
        const baseline *base = &of->base[i];
        const double value =
            phase ? ct_plot_cell_phase(&base->cell) : ct_plot_cell_value(&of->grid, &base->cell);
        char title[96];
        ct_number_print(title, sizeof title, "stations %lld and %lld, %.6g m",
                        (long long)base->ant[0], (long long)base->ant[1], length_of(base));
        ct_canvas_disc(canvas, box.x + box.width * ct_axis_place(&along, length_of(base)),
                       box.y + box.height * (1 - ct_axis_place(&up, value)),
                       i == of->chosen ? 4.5 : 2,
                       i == of->chosen ? CT_COLOUR_SECOND : CT_COLOUR_LINE, CT_COLOUR_NONE, title);
    }
    ct_axis_bottom(canvas, box, &along);
    ct_axis_left(canvas, box, &up);
}

static void draw_lengths(const void *given, ct_canvas *canvas, double top)
{
    const visibilities *of = given;
    ct_canvas_print(canvas, 92, top + 4, CT_ANCHOR_START, CT_COLOUR_INK,
                    "all %lld baselines, over time and channels (orange: the one above)",
                    (long long)of->bases);
    draw_points(canvas, of, (ct_box){92, top + 14, PANEL_WIDTH, PANEL}, false);
    draw_points(canvas, of, (ct_box){92 + PANEL_WIDTH + 80, top + 14, PANEL_WIDTH, PANEL}, true);
}

ct_status ct_plot_visibilities(ct_plot *plot, ct_error *err)
{
    ct_status status = CT_OK;
    char name[160];
    visibilities *of = ct_memory_get(sizeof *of);
    CT_NEED(of, sizeof *of, err);
    of->last = -1;
    CT_TRY(ct_uvh5_view_open(&of->view, plot->file, err));
    CT_TRY(make_rooms(of, err));
    CT_TRY(list_bases(of, err));
    CT_TRY(choose(of, plot, err));
    const baseline *base = &of->base[of->chosen];
    CT_TRY(ct_plot_grid_new(&of->grid, base->rows, of->view.channels, CT_PLOT_COLUMNS, CT_PLOT_ROWS,
                            err));
    of->grid.complex = true;
    of->grid.largest = plot->options->largest;
    of->last = -1;
    CT_TRY(read_all(of, err));
    ct_number_print(name, sizeof name, "stations %lld and %lld, %.6g m", (long long)base->ant[0],
                    (long long)base->ant[1], length_of(base));
    of->shown.array.meta.source_name = name;
    of->shown.array.meta.telescope = of->view.telescope;
    if (of->every > 1)
        ct_text_add(&plot->said, "one of every %lld parts of the rows was read; the rest is grey\n",
                    (long long)of->every);
    plot->extra = draw_lengths;
    plot->extra_of = of;
    plot->extra_height = PANEL + 70;
    if (of->grid.columns > 1 && of->grid.rows > 1)
        CT_TRY(ct_plot_waterfall(plot, &of->shown, &of->choice, &of->grid, err));
    else
        CT_TRY(ct_plot_profile(plot, &of->shown, &of->choice, &of->grid, err));
out:
    if (of) free_rooms(of);
    ct_memory_free(of);
    return status;
}

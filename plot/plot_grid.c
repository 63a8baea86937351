/* plot_grid.c: an array as cells of a picture, reduced while it is read, so that memory does not
 * depend on its length. Of a file that is too long for that, a part of each column's samples is
 * read. Room: plot. Knows blocks and flags. Does not know pictures. */
#include <math.h>
#include <string.h>

#include "plot_inner.h"
#include "step_range.h"

#define BLOCK_BYTES 16777216.0
#define MOST_NUMBERS 268435456.0 /* that are looked at: some seconds */
#define MOST_BYTES 2147483648.0  /* that are read */
#define MOST_SERIES 4194304      /* along what goes up */
#define MOST_SAMPLE 1073741824.0 /* bytes of one sample */

ct_status ct_plot_grid_new(ct_plot_grid *out, int64_t samples, int64_t series, int columns,
                           int rows, ct_error *err)
{
    ct_status status = CT_OK;
    *out = (ct_plot_grid){.samples = samples,
                          .series = series,
                          .most_numbers = MOST_NUMBERS,
                          .most_bytes = MOST_BYTES};
    out->columns = samples < columns ? (int)samples : columns;
    out->rows = series < rows ? (int)series : rows;
    const size_t cells = (size_t)out->columns * (size_t)out->rows;
    out->cell = ct_memory_get(cells * sizeof *out->cell);
    CT_NEED(out->cell, cells * sizeof *out->cell, err);
    for (size_t i = 0; i < cells; i++) {
        out->cell[i].low = INFINITY;
        out->cell[i].high = -INFINITY;
    }
out:
    return status;
}

void ct_plot_grid_free(ct_plot_grid *grid)
{
    ct_memory_free(grid->cell);
    grid->cell = NULL;
}

/* Without a product that overflows: the cell of index `i` of `whole` in `parts`. */
static int64_t part_of(int64_t i, int64_t whole, int64_t parts)
{
    const int64_t each = whole / parts, more = whole % parts; /* the first `more` have one more */
    const int64_t long_end = more * (each + 1);
    return i < long_end ? i / (each + 1) : more + (i - long_end) / each;
}

static int64_t part_start(int64_t part, int64_t whole, int64_t parts)
{
    const int64_t each = whole / parts, more = whole % parts;
    return part * each + (part < more ? part : more);
}

ct_plot_cell *ct_plot_grid_at(const ct_plot_grid *grid, int64_t sample, int64_t one)
{
    const int64_t column = part_of(sample, grid->samples, grid->columns);
    return &grid->cell[part_of(one, grid->series, grid->rows) * grid->columns + column];
}

void ct_plot_cell_add(ct_plot_cell *cell, bool complex, ct_complex value)
{
    const double size = complex ? hypot(value.re, value.im) : value.re;
    if (!isfinite(size)) {
        cell->not_numbers++;
        return;
    }
    cell->sum += size;
    cell->re += value.re;
    cell->im += value.im;
    cell->low = fminf(cell->low, (float)size);
    cell->high = fmaxf(cell->high, (float)size);
    cell->count++;
}

double ct_plot_cell_value(const ct_plot_grid *grid, const ct_plot_cell *cell)
{
    if (cell->count == 0) return NAN;
    return grid->largest ? (double)cell->high : cell->sum / (double)cell->count;
}

double ct_plot_cell_phase(const ct_plot_cell *cell)
{
    return cell->count > 0 ? atan2(cell->im, cell->re) * (180 / 3.14159265358979323846) : NAN;
}

static ct_plot_cell grid_sum(const ct_plot_grid *grid, int first, int step, int count)
{
    ct_plot_cell sum = {.low = INFINITY, .high = -INFINITY};
    for (int i = 0; i < count; i++) {
        const ct_plot_cell *one = &grid->cell[first + (ptrdiff_t)i * step];
        sum.sum += one->sum, sum.re += one->re, sum.im += one->im;
        sum.low = fminf(sum.low, one->low);
        sum.high = fmaxf(sum.high, one->high);
        sum.count += one->count;
        sum.not_numbers += one->not_numbers;
        sum.missing += one->missing;
    }
    return sum;
}

ct_plot_cell ct_plot_grid_row(const ct_plot_grid *grid, int row)
{
    return grid_sum(grid, row * grid->columns, 1, grid->columns);
}

ct_plot_cell ct_plot_grid_column(const ct_plot_grid *grid, int column)
{
    return grid_sum(grid, column, grid->columns, grid->rows);
}

/* ---- reading */

/* A block, and where in it the chosen series are. */
typedef struct grid_block {
    ct_array array;
    size_t bytes, flag_bytes;
    uint8_t *flags; /* [S][group][T] */
    int64_t *place; /* [series]: element of T index 0 */
    int64_t *group; /* [series]: row of flags */
    int64_t *cells; /* [series]: its first cell */
} grid_block;

/* The index that a series has along a dimension. */
static int64_t index_of(const ct_plot_choice *choice, const ct_array *block, int d, int64_t one)
{
    const int64_t each = choice->slower ? ct_array_extent(block, choice->up) : 1;
    if (block->dim[d] == choice->slower) return one / each;
    if (block->dim[d] == choice->up) return choice->slower ? one % each : one;
    return block->extent[d] > 1 ? choice->index[d] : 0; /* 1: a range was set */
}

static void block_places(grid_block *block, const ct_plot_grid *grid, const ct_plot_choice *choice)
{
    const ct_array *array = &block->array;
    const int64_t groups = ct_array_groups(array);
    for (int64_t one = 0; one < grid->series; one++) {
        int64_t station = 0, channel = 0, place = array->offset;
        for (int d = 0; d < array->rank; d++) {
            if (array->dim[d] == 'T') continue;
            const int64_t index = index_of(choice, array, d, one);
            place += index * array->stride[d];
            if (array->dim[d] == 'S') station = index;
            if (array->dim[d] == 'C') channel += index;
            if (array->dim[d] == 'F') channel += index * ct_array_extent(array, 'C');
        }
        block->place[one] = place;
        block->cells[one] = part_of(one, grid->series, grid->rows) * grid->columns;
        block->group[one] = station * groups + (groups > 1 ? ct_array_group(array, channel) : 0);
    }
}

static ct_status block_new(grid_block *out, const ct_plot_source *source, const ct_plot_grid *grid,
                           int64_t samples, ct_error *err)
{
    ct_status status = CT_OK;
    out->array = source->step->port[0];
    out->array.extent[ct_array_find(&out->array, 'T')] = samples;
    const ct_layout *file = out->array.layout.rank > 0 ? &out->array.layout : NULL;
    if (!file || !ct_array_dense(&out->array, file)) (void)ct_array_dense(&out->array, NULL);
    out->bytes = ct_array_bytes(&out->array);
    out->array.data = ct_memory_pages(out->bytes);
    CT_NEED(out->array.data, out->bytes, err);
    const int64_t rows = ct_array_extent(&out->array, 'S') * ct_array_groups(&out->array);
    out->flag_bytes = (size_t)(rows * samples);
    out->flags = ct_memory_get(out->flag_bytes);
    CT_NEED(out->flags, out->flag_bytes, err);
    const size_t list = (size_t)grid->series * sizeof(int64_t);
    out->place = ct_memory_get(list);
    CT_NEED(out->place, list, err);
    out->group = ct_memory_get(list);
    CT_NEED(out->group, list, err);
    out->cells = ct_memory_get(list);
    CT_NEED(out->cells, list, err);
out:
    return status;
}

static void block_free(grid_block *block)
{
    if (block->array.data) ct_memory_pages_free(block->array.data, block->bytes);
    ct_memory_free(block->flags);
    ct_memory_free(block->place);
    ct_memory_free(block->group);
    ct_memory_free(block->cells);
}

static void grid_take(ct_plot_grid *grid, const grid_block *block, int64_t first, int64_t count)
{
    const int64_t samples = ct_array_extent(&block->array, 'T');
    const int64_t stride = ct_array_stride(&block->array, 'T');
    for (int64_t t = 0; t < count; t++) {
        ct_plot_cell *column = grid->cell + part_of(first + t, grid->samples, grid->columns);
        for (int64_t one = 0; one < grid->series; one++) {
            ct_plot_cell *cell = column + block->cells[one];
            const int64_t before = cell->not_numbers;
            if (block->flags[block->group[one] * samples + t]) {
                cell->missing++;
                grid->missing++;
                continue;
            }
            ct_plot_cell_add(cell, grid->complex,
                             ct_array_load(&block->array, block->place[one] + t * stride));
            grid->not_numbers += cell->not_numbers - before;
        }
    }
}

/* Samples from `first` on. Flags that a source does not set are none. */
static ct_status grid_read(ct_plot_grid *grid, ct_plot_source *source, grid_block *block,
                           int64_t first, int64_t count, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_stage_io *io = &source->step->stage->io;
    const int64_t room = ct_array_extent(&block->array, 'T');
    for (int64_t done = 0, got = 0; done < count && status == CT_OK; done += got) {
        memset(block->flags, 0, block->flag_bytes);
        status = io->read(source->state, &block->array, block->flags, &got, err);
        if (status == CT_OK && got == 0) break;
        if (status == CT_OK)
            grid_take(grid, block, first + done, got < count - done ? got : count - done);
        if (got < room) break;
    }
    return status == CT_EOF ? CT_OK : status;
}

/* A sample of a source that divides itself has only the indices that are shown. */
static void grid_set_ranges(ct_plot_source *source, const ct_plot_choice *choice)
{
    for (int d = 0; d < source->array.rank; d++) {
        const char dim = source->array.dim[d];
        const bool shown = dim == 'T' || dim == choice->up || dim == choice->slower;
        if (!shown && source->array.extent[d] > 1 && ct_step_reads_range(source->step, dim))
            ct_step_set_range(source->step, dim, choice->index[d], 1);
    }
}

static double bytes_of_a_sample(const ct_array *array)
{
    ct_array one = *array;
    one.extent[ct_array_find(&one, 'T')] = 1;
    return fmax((double)ct_array_count(&one) * ct_type_bits(one.type) / 8, 1);
}

static ct_status grid_fits(const ct_plot_grid *grid, const ct_plot_source *source, ct_error *err)
{
    const double bytes = bytes_of_a_sample(&source->step->port[0]);
    if (grid->series <= MOST_SERIES && bytes <= MOST_SAMPLE) return CT_OK;
    return ct_error_add(err, CT_DATA,
                        "plot: one sample has %lld values and %.3g bytes: expected at most %d, and "
                        "%.3g",
                        (long long)grid->series, bytes, MOST_SERIES, MOST_SAMPLE);
}

/* How many samples of each column are read: all, where the whole is not too much. */
static int64_t grid_samples(const ct_plot_grid *grid, const ct_plot_source *source)
{
    const double bytes = bytes_of_a_sample(&source->step->port[0]) * (double)grid->samples;
    const double part = fmin(grid->most_numbers / ((double)grid->series * (double)grid->samples),
                             grid->most_bytes / bytes);
    const int64_t all = (grid->samples + grid->columns - 1) / grid->columns;
    if (part >= 1 || !source->step->stage->io.seek) return all;
    const int64_t some = (int64_t)(part * (double)all);
    return some < 1 ? 1 : some;
}

static ct_status grid_read_columns(ct_plot_grid *grid, ct_plot_source *source, grid_block *block,
                                   ct_error *err)
{
    ct_status status = CT_OK;
    const ct_stage_io *io = &source->step->stage->io;
    for (int column = 0; status == CT_OK && column < grid->columns; column++) {
        const int64_t first = part_start(column, grid->samples, grid->columns);
        status = io->seek(source->state, first, err);
        if (status == CT_OK) status = grid_read(grid, source, block, first, grid->taken, err);
    }
    return status;
}

ct_status ct_plot_grid_read(ct_plot_grid *grid, ct_plot_source *source,
                            const ct_plot_choice *choice, ct_error *err)
{
    ct_status status = CT_OK;
    grid_block block = {0};
    grid->complex = ct_type_complex(source->array.type);
    grid_set_ranges(source, choice);
    CT_TRY(grid_fits(grid, source, err));
    grid->of = (grid->samples + grid->columns - 1) / grid->columns;
    grid->taken = grid_samples(grid, source);
    const bool whole = grid->taken == grid->of;
    double room = BLOCK_BYTES / bytes_of_a_sample(&source->step->port[0]);
    room = fmin(fmax(room, 1), (double)(whole ? grid->samples : grid->taken));
    CT_TRY(block_new(&block, source, grid, (int64_t)room, err));
    block_places(&block, grid, choice);
    CT_TRY(ct_plot_source_open(source, err));
    if (whole)
        CT_TRY(grid_read(grid, source, &block, 0, grid->samples, err));
    else
        CT_TRY(grid_read_columns(grid, source, &block, err));
out:
    block_free(&block);
    return status;
}

static void print_each(ct_text *text, int64_t whole, int parts, const char *name)
{
    const int64_t each = whole / parts;
    if (whole % parts)
        ct_text_add(text, "%lld or %lld %ss", (long long)each, (long long)each + 1, name);
    else
        ct_text_add(text, "%lld %s%s", (long long)each, name, each == 1 ? "" : "s");
}

void ct_plot_grid_print(const ct_plot_grid *grid, const char *series, ct_text *text)
{
    if (grid->samples == grid->columns && grid->series == grid->rows && grid->taken == grid->of)
        return;
    ct_text_add(text, "a cell is the %s of ", grid->largest ? "largest" : "mean");
    print_each(text, grid->samples, grid->columns, "sample");
    if (grid->rows > 1) {
        ct_text_add(text, " x ");
        print_each(text, grid->series, grid->rows, series);
    }
    if (grid->taken < grid->of)
        ct_text_add(text, ", of which the first %lld sample%s %s read", (long long)grid->taken,
                    grid->taken == 1 ? "" : "s", grid->taken == 1 ? "was" : "were");
}

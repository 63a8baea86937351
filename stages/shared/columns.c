/* columns.c: see columns.h.
 * Room: stages/shared. Knows strides and tunables. Does not know what is made of columns. */
#include "columns.h"

#include <math.h>

#include "columns_cl.h"

char ct_columns_dim(const ct_step *step)
{
    return ct_array_find(&step->port[0], 'D') >= 0 ? 'D' : 'C';
}

ct_status ct_columns_check(const ct_step *step, ct_error *err)
{
    const ct_array *x = &step->port[0];
    if ((ct_array_find(x, 'D') >= 0) != (ct_array_find(x, 'C') >= 0)) return CT_OK;
    return ct_step_fail(step, NULL, err,
                        "expected an input with channels or with trials, found dimensions %s",
                        x->dim);
}

int64_t ct_columns_series(const ct_step *step)
{
    const ct_array *x = &step->port[0];
    return ct_array_count(x) / ct_array_extent(x, 'T') / ct_array_extent(x, ct_columns_dim(step));
}

void ct_columns_emit(const ct_step *step, ct_text *text)
{
    ct_text_add(text, "#define BY_TRIAL %d\n#line 1 \"stages/shared/columns.cl\"\n%s\n",
                ct_columns_dim(step) == 'D', columns_cl);
}

static void below(ct_step *step, const char *tunable)
{
    const int64_t less = ct_step_next_below(step, tunable);
    if (less > 0) ct_step_suggest(step, tunable, less);
}

void ct_columns_suggest(ct_step *step, int64_t unit)
{
    const int64_t columns = ct_array_extent(&step->port[0], ct_columns_dim(step));
    if (step->gpu) return;
    if (ct_step_holds(step, "X_FASTEST == DIM_T")) {
        ct_step_suggest(step, "TILE_T", 256);
        ct_step_suggest(step, "TILE_C", 16);
    }
    while (ct_step_tunable(step, "TILE_C") >= 2 * columns && ct_step_next_below(step, "TILE_C") > 0)
        below(step, "TILE_C");
    while (unit % ct_step_tunable(step, "TILE_T") != 0 && ct_step_next_below(step, "TILE_T") > 0)
        below(step, "TILE_T");
}

ct_launch ct_columns_launch(const ct_step *step, int64_t unit)
{
    const ct_array *x = &step->port[0];
    const size_t group = (size_t)ct_step_tunable(step, "WG");
    const int64_t columns = ct_array_extent(x, ct_columns_dim(step));
    return (ct_launch){
        .global = {(size_t)ct_divide_up(columns, ct_step_tunable(step, "TILE_C")) * group,
                   (size_t)ct_divide_up(ct_array_extent(x, 'T'), unit),
                   (size_t)ct_columns_series(step)},
        .local = {group, 1, 1}};
}

ct_columns_view ct_columns_of(const ct_step *step, const ct_array ports[], int flags)
{
    const ct_array *x = &ports[0];
    const char dim = ct_columns_dim(step);
    return (ct_columns_view){.x = x,
                             .flags = &ports[flags],
                             .series = ct_columns_series(step),
                             .times = ct_array_extent(x, 'T'),
                             .columns = ct_array_extent(x, dim),
                             .time_stride = ct_array_stride(x, 'T'),
                             .column_stride = ct_array_stride(x, dim)};
}

/* In natural order trials come before times, and channels after them. */
int64_t ct_columns_at(const ct_columns_view *view, int64_t series, int64_t t, int64_t column)
{
    return series * view->times * view->columns + t * view->time_stride +
           column * view->column_stride;
}

double ct_columns_value(const ct_columns_view *view, int64_t series, int64_t t, int64_t column)
{
    const ct_array *m = view->flags;
    const double x = ct_array_load(view->x, ct_columns_at(view, series, t, column)).re;
    if (m->type == CT_NONE) return isfinite(x) ? x : NAN;
    const int64_t stations = ct_array_extent(m, 'S'), channels = ct_array_extent(m, 'C');
    const int64_t s = stations > 1 ? series / (view->series / stations) : 0;
    const int64_t at = (s * view->times + t) * channels + (channels > 1 ? column : 0);
    return (int)ct_array_load(m, at).re & 1 || !isfinite(x) ? NAN : x;
}

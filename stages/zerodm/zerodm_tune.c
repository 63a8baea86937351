/* zerodm_tune.c: tiles for these shapes and layouts. How long a block is has no say, so that sums
 * are the same in each. Room: stages/zerodm. Knows strides and tunables. Does not know the kernel's
 * text. */
#include "zerodm.h"

static void below(ct_step *step, const char *tunable)
{
    const int64_t less = ct_step_next_below(step, tunable);
    if (less > 0) ct_step_suggest(step, tunable, less);
}

/* Long along what is fastest in memory. */
void ct_zerodm_suggest(ct_step *step)
{
    const ct_array *x = &step->port[CT_ZERODM_X];
    if (step->gpu) return;
    if (ct_step_holds(step, "X_FASTEST == DIM_T")) {
        ct_step_suggest(step, "TILE_T", 256);
        ct_step_suggest(step, "TILE_C", 16);
    }
    while (ct_step_tunable(step, "TILE_C") >= 2 * ct_array_extent(x, 'C') &&
           ct_step_next_below(step, "TILE_C") > 0)
        below(step, "TILE_C");
    while (ct_zerodm_fits(step) &&
           ct_step_int(step, "window") % ct_step_tunable(step, "TILE_T") != 0)
        below(step, "TILE_T");
}

/* A group for some times of all channels; then one for a window, and one for a window of some
 * channels. */
int ct_zerodm_launch(const ct_step *step, ct_launch *out)
{
    const ct_array *x = &step->port[CT_ZERODM_X];
    const size_t group = (size_t)ct_step_tunable(step, "WG");
    const size_t series = (size_t)ct_zerodm_series(x);
    const int64_t samples = ct_array_extent(x, 'T');
    const int64_t times = ct_divide_up(samples, ct_step_tunable(step, "TILE_T"));
    int64_t channels = 1;
    (void)ct_step_evaluate(step, "FIT_C", &channels, NULL); /* it has a value */
    out[0] = (ct_launch){.global = {(size_t)times * group, series, 1}, .local = {group, 1, 1}};
    if (!ct_zerodm_fits(step)) return 1;
    const int64_t columns = ct_divide_up(ct_array_extent(x, 'C'), channels);
    const size_t windows = (size_t)(samples / ct_step_int(step, "window"));
    out[1] = (ct_launch){
        .entry = "zerodm_common", .global = {windows * group, series, 1}, .local = {group, 1, 1}};
    out[2] = (ct_launch){.entry = "zerodm_fit",
                         .global = {(size_t)columns * group, windows, series},
                         .local = {group, 1, 1}};
    return 3;
}

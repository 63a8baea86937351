/* shift_tune.c: how the shift's work is cut: into runs that lie alike on both sides, else into
 * tiles. Room: stages/delay. Knows layouts and tunables. Does not know delays. */
#include "shift.h"

enum { LINE = 64, COPIED = 16384 /* bytes */, IN_CACHE = 4096 };

static int64_t stride(const ct_step *step, int port, char dim)
{
    return ct_array_stride(&step->port[port], dim);
}

static int64_t extent(const ct_step *step, char dim)
{
    const int64_t n = ct_array_extent(&step->port[CT_SHIFT_Y], dim);
    return n > 1 ? n : 1;
}

/* Whether what is faster than time lies in the same order on both sides, and without gaps. */
static bool is_within(const ct_step *step, char dim, int64_t run)
{
    const int64_t from = stride(step, CT_SHIFT_X, dim);
    return extent(step, dim) > 1 && from < run && from == stride(step, CT_SHIFT_Y, dim);
}

/* Elements of a time that lie together on both sides with those of the next, all shifted alike; 0
 * where there are none. */
static int64_t run_of(const ct_step *step)
{
    const int64_t run = stride(step, CT_SHIFT_X, 'T');
    const bool pols_alike = ct_array_extent(&step->port[CT_SHIFT_H], 'P') == 1;
    const bool with_p = pols_alike && is_within(step, 'P', run), with_c = is_within(step, 'C', run);
    const int64_t inside = (with_p ? extent(step, 'P') : 1) * (with_c ? extent(step, 'C') : 1);
    return run == stride(step, CT_SHIFT_Y, 'T') && run == inside ? run : 0;
}

/* Runs beside each other along a dimension: 1 where it is part of the run. */
static int64_t apart(const ct_step *step, char dim, int64_t run)
{
    return is_within(step, dim, run) ? 1 : extent(step, dim);
}

static int64_t bytes_of(const ct_step *step)
{
    return ct_type_bits(step->port[CT_SHIFT_Y].type) / 8;
}

static void suggest_below(ct_step *step, const char *tunable, int64_t most)
{
    int64_t below;
    while (ct_step_tunable(step, tunable) > most && (below = ct_step_next_below(step, tunable)) > 0)
        ct_step_suggest(step, tunable, below);
}

/* Stations of which a cache line has some, on either side. */
static int64_t stations_of_line(const ct_step *step)
{
    const int64_t x = stride(step, CT_SHIFT_X, 'S'), y = stride(step, CT_SHIFT_Y, 'S');
    const int64_t line = LINE / bytes_of(step), near = x < y ? x : y;
    const int64_t some = near < line ? line / near : 1;
    return some < extent(step, 'S') ? some : extent(step, 'S');
}

/* The longest that is declared, or less. */
static void suggest_most(ct_step *step, const char *tunable, int64_t longest, int64_t most)
{
    ct_step_suggest(step, tunable, longest);
    suggest_below(step, tunable, most);
}

/* Runs of some pages; tiles not much larger than the array, which stay in the cache. */
void ct_shift_suggest(ct_step *step)
{
    const int64_t run = run_of(step), c = extent(step, 'C'), bytes = bytes_of(step);
    suggest_below(step, "TILE_C", run || c == 1 ? 1 : 2 * c - 1);
    if (step->gpu) {
        if (run) ct_step_suggest(step, "TILE_T", 1);
        return;
    }
    suggest_most(step, "TILE_S", 32, run ? 1 : stations_of_line(step));
    if (run) {
        suggest_most(step, "TILE_T", 4096, COPIED / (run * bytes));
        return;
    }
    const int64_t row =
        ct_step_tunable(step, "TILE_S") * extent(step, 'P') * ct_step_tunable(step, "TILE_C");
    suggest_below(step, "TILE_T", IN_CACHE / (row * bytes));
}

ct_status ct_shift_emit(const ct_step *step, ct_text *text, ct_error *err)
{
    (void)err;
    const int64_t run = run_of(step);
    ct_text_add(text, "#define SHIFT_RUN %lld\n#define SHIFT_POLS %lld\n", (long long)run,
                (long long)apart(step, 'P', run));
    return CT_OK;
}

int ct_shift_launch(const ct_step *step, ct_launch *out)
{
    const int64_t run = run_of(step), c = extent(step, 'C'), s = extent(step, 'S');
    const int64_t times = ct_divide_up(extent(step, 'T'), ct_step_tunable(step, "TILE_T"));
    out->global[0] = (size_t)(run ? times : ct_divide_up(c, ct_step_tunable(step, "TILE_C")));
    out->global[1] = (size_t)(run ? apart(step, 'C', run) : times);
    out->global[2] = (size_t)(run ? s * apart(step, 'P', run)
                                  : ct_divide_up(s, ct_step_tunable(step, "TILE_S")));
    out->local[0] = out->local[1] = out->local[2] =
        step->gpu ? 0 : 1; /* its driver knows how many run together */
    return 1;
}

/* pulses_group.c: where work-groups share the search: how many trials and bins a group takes,
 * whether that fits, what pulses_group.cl is told of it, and its launches. Room: stages/pulses.
 * Knows lengths, tunables, which dimension is fastest. Does not know the kernel's text. */
#include "pulses.h"
#include "pulses_group_cl.h"
#include "pulses_group_noise_cl.h"

enum { RUN = 16 };   /* samples of a work-item, as in pulses_group.cl */
enum { UNITS = 64 }; /* of a group that takes means and variances, as in pulses_group_noise.cl */
enum { SIDE_BY_SIDE = 8 }; /* trials, where neighbours in memory are trials: 32 bytes */
enum { MOST_SHARES = 8 };  /* work-items that search a bin */

/* What a group takes. */
typedef struct pulses_tile {
    int64_t trials, runs, before; /* runs of a trial; of these before the first bin */
    int64_t bins, tiles;          /* and how many make a group of parts, which has one noise */
    int64_t shares;
} pulses_tile;

bool ct_pulses_in_groups(const ct_step *step)
{
    return ct_step_tunable(step, "WG") > 1;
}

/* Runs before a bin whose sums of 16 go into wider ones. */
static int64_t runs_before(const ct_step *step)
{
    int64_t widest = 1;
    while (2 * widest <= ct_step_int(step, "widest"))
        widest *= 2;
    return widest < 2 * RUN ? 0 : widest / RUN - 1;
}

static int64_t trials_of_tile(const ct_step *step, int64_t runs)
{
    const ct_array *x = &step->port[PORT_X], *y = &step->port[PORT_Y];
    const bool beside = ct_array_stride(x, 'D') == 1 || ct_array_stride(y, 'D') == 1;
    int64_t trials = beside ? SIDE_BY_SIDE : 1;
    while (trials > 1 &&
           (trials / 2 >= ct_array_extent(x, 'D') || ct_step_tunable(step, "WG") / trials < runs))
        trials /= 2;
    return trials;
}

/* No bins: a group is too small for one. */
static pulses_tile tile_of(const ct_step *step)
{
    const pulses_cut *cut = step->state;
    const int64_t group = ct_step_tunable(step, "WG"), all = PULSES_WINDOW * cut->part / cut->bin;
    pulses_tile tile = {.before = runs_before(step), .shares = MOST_SHARES};
    tile.trials = trials_of_tile(step, tile.before + ct_divide_up(cut->bin, RUN));
    tile.runs = group / tile.trials;
    tile.bins = (tile.runs - tile.before) * RUN / cut->bin;
    if (tile.bins < 1) return (pulses_tile){0};
    tile.tiles = ct_divide_up(all, tile.bins);
    tile.bins = ct_divide_up(all, tile.tiles);
    while (tile.trials * tile.bins * tile.shares > group)
        tile.shares /= 2;
    return tile;
}

/* Levels, with a gap after each run; for each work-item five words; for each bin and trial a few.
 */
static int64_t local_bytes(const ct_step *step, const pulses_tile *tile)
{
    const int64_t words = tile->trials * (RUN + 1) * (tile->runs + 1) +
                          5 * ct_step_tunable(step, "WG") + tile->trials * (tile->bins + 3);
    return words * 4;
}

bool ct_pulses_legal(const ct_step *step)
{
    int64_t local = 0;
    if (!ct_pulses_in_groups(step)) return true;
    const pulses_tile tile = tile_of(step);
    (void)ct_step_evaluate(step, "LOCAL_BYTES", &local, NULL);
    if (!ct_step_holds(step, "WORK_GROUP == 0 || WG <= WORK_GROUP")) return false;
    return tile.bins > 0 && (local == 0 || local_bytes(step, &tile) <= local);
}

/* The smallest group of which the half at least has bins; else the largest that fits. */
void ct_pulses_suggest(ct_step *step)
{
    static const int64_t groups[] = {64, 128, 256, 512};
    int64_t best = 0;
    if (!step->gpu) return;
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++) {
        ct_step_suggest(step, "WG", groups[k]);
        if (!ct_pulses_legal(step)) continue;
        const pulses_tile tile = tile_of(step);
        best = groups[k];
        if (2 * tile.before <= tile.runs) break;
    }
    ct_step_suggest(step, "WG", best > 0 ? best : 1);
}

void ct_pulses_group_emit(const ct_step *step, ct_text *text)
{
    const pulses_cut *cut = step->state;
    const pulses_tile tile = tile_of(step);
    ct_text_add(text, "#define COARSE %lld\n#define TRIALS %lld\n#define RUNS_BEFORE %lld\n",
                (long long)cut->coarse, (long long)tile.trials, (long long)tile.before);
    ct_text_add(text, "#define BINS %lld\n#define TILES %lld\n#define SHARES %lld\n",
                (long long)tile.bins, (long long)tile.tiles, (long long)tile.shares);
    ct_text_add(text, "#line 1 \"stages/pulses/pulses_group_noise.cl\"\n%s", pulses_group_noise_cl);
    ct_text_add(text, "#line 1 \"stages/pulses/pulses_group.cl\"\n%s", pulses_group_cl);
}

int ct_pulses_group_launch(const ct_step *step, ct_launch *out)
{
    const pulses_cut *cut = step->state;
    const ct_array *x = &step->port[PORT_X];
    const pulses_tile tile = tile_of(step);
    const size_t planes = (size_t)ct_pulses_planes(x), group = (size_t)ct_step_tunable(step, "WG");
    const int64_t trials = ct_array_extent(x, 'D'), parts = ct_array_extent(x, 'T') / cut->part;
    const int64_t beside = ct_array_stride(x, 'D') == 1 ? UNITS / 2 : SIDE_BY_SIDE;
    const size_t groups = (size_t)(parts / PULSES_WINDOW - (PULSES_GROUPS - 1));
    const size_t side = (size_t)ct_divide_up(trials, UNITS) * UNITS;
    out[0] = (ct_launch){"pulses_parts",
                         {(size_t)ct_divide_up(parts, UNITS / beside) * UNITS,
                          (size_t)ct_divide_up(trials, beside), planes},
                         {UNITS, 1, 1}};
    out[1] = (ct_launch){"pulses_noise", {side, groups, planes}, {UNITS, 1, 1}};
    out[2] = (ct_launch){"pulses_scale", {side, groups, planes}, {UNITS, 1, 1}};
    out[3] = (ct_launch){
        NULL,
        {groups * (size_t)tile.tiles * group, (size_t)ct_divide_up(trials, tile.trials), planes},
        {group, 1, 1}};
    return 4;
}

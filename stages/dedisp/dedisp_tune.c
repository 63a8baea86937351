/* dedisp_tune.c: which tunables suit and fit, and the launches.
 * Room: stages/dedisp. Knows trials and tiles. Does not know the kernel's text. */
#include "dedisp.h"

enum { PANEL_BYTES = 1 << 18 }; /* of a panel's sums: a part of the second-level cache */
enum { PANEL_GAP = 48 };        /* elements between its rows: see ROW_STRIDE in dedisp_sweep.cl */

/* ---- a work-item's cells: CELLS_D*CELL_D trials of one range, VECTOR_T*VECTORS_T of its samples
 */

int64_t ct_dedisp_panel_trials(const ct_step *step)
{
    return ct_step_tunable(step, "CELL_D") * ct_step_tunable(step, "CELLS_D");
}

int64_t ct_dedisp_shortest(const ct_step *step)
{
    const dedisp_trials *trials = step->state;
    int64_t shortest = INT64_MAX;
    for (int64_t r = 0; r < trials->ranges; r++) {
        int64_t samples = ct_dedisp_samples(step, &trials->range[r]);
        if (samples < shortest) shortest = samples;
    }
    return shortest;
}

/* What VECTOR_T=32 needs of a compiler: vectors beyond those of OpenCL C. */
static const char clang_vectors[] =
    "// needs clang_vectors\n"
    "typedef uchar uchar32 __attribute__((ext_vector_type(32)));\n"
    "typedef ushort ushort32 __attribute__((ext_vector_type(32)));\n"
    "kernel void probe(global int *answer)\n"
    "{\n"
    "    const uchar16 half16 = (uchar16)(*answer + 1);\n"
    "    const uchar32 whole = __builtin_shufflevector(half16, half16, 0, 1, 2, 3, 4, 5, 6, 7, 8, "
    "9,\n"
    "        10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, "
    "31);\n"
    "    *answer = __builtin_convertvector(whole, ushort32).hi.sf;\n"
    "}\n";

/* Of the sums of a panel's trials, see dedisp_sweep.cl: so many that these stay in the second-level
 * cache, in panels of about one length. */
static int64_t panel_samples(const ct_step *step)
{
    const dedisp_trials *trials = step->state;
    const bool widened = trials->channels > ct_step_tunable(step, "TILE_C");
    const int64_t bytes = ct_dedisp_panel_trials(step) * (ct_dedisp_sum_bytes(step) + 4 * widened);
    const int64_t vectors = ct_step_tunable(step, "VECTOR_T") * ct_step_tunable(step, "VECTORS_T");
    const int64_t shortest = ct_dedisp_shortest(step);
    int64_t room = PANEL_BYTES, local = 0;
    (void)ct_step_evaluate(step, "LOCAL_BYTES", &local, NULL);
    if (local > 0 && local < 2 * room) room = local / 2;
    if (local > 0 && room > local - PANEL_GAP * bytes) room = local - PANEL_GAP * bytes;
    if (room < vectors * bytes) return 0;
    const int64_t panels = ct_divide_up(shortest, room / bytes / vectors * vectors);
    const int64_t samples = ct_divide_up(shortest, panels * vectors) * vectors;
    return samples <= shortest ? samples : shortest / vectors * vectors;
}

/* Of a group's tiles, which lie beside each other. */
int64_t ct_dedisp_group_samples(const ct_step *step)
{
    if (ct_step_tunable(step, "SHARE")) return ct_dedisp_share_tile(step);
    if (ct_step_tunable(step, "TILE_T")) return panel_samples(step);
    if (ct_dedisp_in_groups(step)) return ct_dedisp_tile_samples(step);
    return ct_step_tunable(step, "VECTOR_T") * ct_step_tunable(step, "VECTORS_T") *
           ct_step_tunable(step, "WG");
}

/* Tiles at the end move back to stay inside, so those of a group have to fit. */
bool ct_dedisp_legal(const ct_step *step)
{
    const dedisp_trials *trials = step->state;
    const int64_t samples = ct_dedisp_group_samples(step);
    if (ct_step_tunable(step, "SHARE") && trials->sums.words == 0) return false;
    if (ct_dedisp_in_groups(step) ? !ct_dedisp_tile_fits(step)
                                  : ct_step_tunable(step, "VECTORS_T") == 2)
        return false;
    return samples > 0 && samples <= ct_dedisp_shortest(step);
}

/* Eight-bit input is added in 16-bit lanes, of which a register has 32. */
static void suggest_vectors(ct_step *step, bool wide)
{
    const dedisp_trials *trials = step->state;
    if (!wide || trials->coarsest > 1 || ct_type_bits(step->port[PORT_X].type) != 8) return;
    ct_step_suggest(step, "VECTOR_T", 32);
    ct_step_suggest(step, "VECTORS_T", 4);
}

static void shorten(ct_step *step, const char *vectors)
{
    int64_t below;
    while (!ct_dedisp_legal(step) && (below = ct_step_next_below(step, vectors)) > 0)
        ct_step_suggest(step, vectors, below);
}

static bool suggest_share(ct_step *step)
{
    if (!ct_dedisp_share_pays(step)) return false;
    ct_step_suggest(step, "SHARE", 1);
    shorten(step, "VECTORS_T"); /* for a short block */
    shorten(step, "VECTOR_T");
    return true;
}

/* Sums are taken up and left again in each pass: few of them in registers are enough. Panels of the
 * next trials read nearly the same samples. */
static void suggest_sweep(ct_step *step)
{
    ct_step_suggest(step, "VECTORS_T", 4);
    ct_step_suggest(step, "GROUPS_T", 1);
}

/* Tiles in local memory where trials have most of their samples in common, else cells. Of eight
 * bits two words have as many samples in registers as of floats eight have. */
static void suggest_group(ct_step *step)
{
    static const int64_t groups[] = {256, 128};
    ct_step_suggest(step, "CELLS_D", 4);
    for (int k = 0; k < 2; k++) {
        ct_step_suggest(step, "WG", groups[k]);
        ct_step_suggest(step, "VECTORS_T", ct_dedisp_packed(step) > 2 ? 2 : 4);
        shorten(step, "VECTORS_T");
        if (ct_dedisp_legal(step) && ct_dedisp_tile_pays(step)) return;
    }
    ct_step_suggest(step, "CELLS_D", 1);
    ct_step_suggest(step, "WG", 64);
    ct_step_suggest(step, "VECTORS_T", 4);
    shorten(step, "VECTORS_T");
}

void ct_dedisp_suggest(ct_step *step)
{
    if (step->gpu) {
        suggest_group(step);
        return;
    }
    const bool wide = ct_step_device_accepts(step, clang_vectors);
    suggest_vectors(step, wide);
    if (suggest_share(step)) return;
    suggest_sweep(step);
    shorten(step, "VECTORS_T"); /* for a short block */
    shorten(step, "VECTOR_T");
}

int ct_dedisp_launch(const ct_step *step, ct_launch *out)
{
    const dedisp_trials *trials = step->state;
    const ct_array *z = &step->port[PORT_Z], *counts = &step->port[PORT_COUNTS];
    size_t group = (size_t)ct_step_tunable(step, "WG");
    int64_t tiles = 0, most = 0;
    int64_t series = ct_dedisp_series(&step->port[PORT_X]);
    int count = 0;

    if (step->port[PORT_R].type != CT_NONE) ct_dedisp_transpose_launch(step, &out[count++]);
    if (z->type != CT_NONE) {
        int64_t pieces = ct_divide_up(ct_array_extent(z, 'T'), ct_dedisp_sum_samples(step));
        size_t along = (size_t)ct_divide_up(pieces, (int64_t)group) * group;
        out[count++] = (ct_launch){
            "dedisp_downsample", {(size_t)trials->channels, along, (size_t)series}, {1, group, 1}};
    }
    for (int64_t r = 0; r < trials->ranges; r++) {
        int64_t samples = ct_dedisp_samples(step, &trials->range[r]);
        tiles += ct_dedisp_tiles(step, &trials->range[r]);
        if (samples > most) most = samples;
    }
    size_t together = (size_t)ct_step_tunable(step, "GROUPS_T");
    size_t along =
        (size_t)ct_divide_up(most, ct_dedisp_group_samples(step) * (int64_t)together) * group;
    out[count++] =
        (ct_launch){NULL, {(size_t)tiles * together, along, (size_t)series}, {1, group, 1}};
    if (counts->type != CT_NONE)
        out[count++] = (ct_launch){
            .entry = "dedisp_count",
            .global = {(size_t)ct_array_extent(counts, 'T'), (size_t)trials->count,
                       (size_t)(ct_array_extent(counts, 'B') * ct_array_extent(counts, 'S'))}};
    return count;
}

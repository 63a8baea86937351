/* ppf_tune.c: which tunables suit these shapes and layouts, and how many work-items there are.
 * Room: stages/ppf. Knows strides. Does not know the kernel's text. */
#include "fft_group.h"
#include "fir.h"
#include "ppf.h"

enum { SLIDING = 8 }; /* most taps whose samples stay in registers */
/* On GPUs: spectra along T that share their samples, bytes that memory moves together. */
enum { GROUP_T = 16, SECTOR_BYTES = 32 };

const ppf_side ct_ppf_sides[PPF_SIDES] = {
    {'P', "TILE_P", 2}, {'S', "TILE_S", 32}, {'T', "TILE_T", 32}};

int64_t ct_ppf_reach(const ct_step *step, int side)
{
    const int64_t tiles = ct_ppf_sides[side].dim == 'T' ? ct_step_tunable(step, "TILES_T") : 1;
    return tiles * ct_step_tunable(step, ct_ppf_sides[side].tile);
}

void ct_ppf_order(const ct_array *array, int order[PPF_SIDES])
{
    for (int k = 0; k < PPF_SIDES; k++) {
        int faster = 0;
        const bool one = ct_array_extent(array, ct_ppf_sides[k].dim) == 1;
        const int64_t stride = ct_array_stride(array, ct_ppf_sides[k].dim);
        for (int j = 0; j < PPF_SIDES; j++) {
            const bool other = ct_array_extent(array, ct_ppf_sides[j].dim) == 1;
            const int64_t of = ct_array_stride(array, ct_ppf_sides[j].dim);
            faster += j != k && (other != one ? one : of != stride ? of < stride : j < k);
        }
        order[faster] = k;
    }
}

static int64_t tune_rows(const ct_step *step)
{
    int64_t rows = 1;
    ct_step_evaluate(step, "ROWS", &rows, NULL);
    return rows;
}

/* The smallest power of two from n on. */
static int64_t tune_power(int64_t n)
{
    int64_t power = 1;
    while (power < n)
        power *= 2;
    return power;
}

/* Lengthens the tile along the sides that are faster than dimension `until` in this array, until so
 * many elements lie together. */
static void tune_grow(ct_step *step, const ct_array *array, char until, int64_t wanted)
{
    int order[PPF_SIDES];
    int64_t together = 1;
    ct_ppf_order(array, order);
    for (int k = 0; k < PPF_SIDES && together < wanted; k++) {
        const ppf_side *side = &ct_ppf_sides[order[k]];
        const int64_t extent = ct_array_extent(array, side->dim);
        int64_t tile = tune_power(extent < wanted / together ? extent : wanted / together);
        if (side->dim == until || ct_array_stride(array, side->dim) > ct_array_stride(array, until))
            return;
        if (tile > side->most) tile = side->most;
        if (ct_step_tunable(step, side->tile) < tile) ct_step_suggest(step, side->tile, tile);
        together *= ct_step_tunable(step, side->tile);
    }
}

/* Whole vectors of spectra, where lanes are spectra when they leave. */
static void tune_fill(ct_step *step)
{
    if (ct_step_holds(step, "WHOLE")) return;
    while (tune_rows(step) % PPF_LANES != 0)
        ct_step_suggest(step, "TILE_T", 2 * ct_step_tunable(step, "TILE_T"));
}

/* Halves the tile until it may be that large. */
static void tune_shrink(ct_step *step, int64_t channels)
{
    static const int order[PPF_SIDES] = {1, 0, 2}; /* S, P, T */
    for (int k = 0; k < PPF_SIDES; k++) {
        const char *tile = ct_ppf_sides[order[k]].tile;
        while (tune_rows(step) * channels > FFT_TILE && ct_step_tunable(step, tile) > 1)
            ct_step_suggest(step, tile, ct_step_tunable(step, tile) / 2);
    }
}

static void tune_tile(ct_step *step)
{
    const ct_array *x = &step->port[CT_PPF_X], *y = &step->port[CT_PPF_Y];
    ct_step_suggest(step, "TILE_T", 8);
    if (ct_array_stride(x, 'T') != 1)
        tune_grow(step, x, 'T', 512 / ct_type_bits(x->type)); /* a line of samples */
    if (ct_array_stride(y, 'C') != 1) tune_grow(step, y, 'C', PPF_LANES);
    if (ct_array_stride(x, 'T') == 1 &&
        ct_step_tunable(step, "TILE_S") * ct_step_tunable(step, "TILE_P") > 1)
        ct_step_suggest(step, "TILES_T", 1); /* history of many series is no longer near */
    tune_shrink(step, ct_step_int(step, "channels"));
    tune_fill(step);
}

/* Samples that lie apart: of a whole row where they are not far apart, else of some lines. */
static void tune_packed(ct_step *step)
{
    const int64_t most = ct_step_int(step, "channels");
    int64_t channels = ct_array_stride(&step->port[CT_PPF_X], 'T') <= 4 ? 256 : 64;
    while (channels > most)
        channels /= 4;
    ct_step_suggest(step, "TILE_C", channels);
    ct_step_suggest(step, "PREFETCH", 0);
}

static void tune_channels(ct_step *step)
{
    if (ct_step_int(step, "taps") > SLIDING) {
        ct_step_suggest(step, "SLIDE", 0);
        ct_step_suggest(step, "TILES_T", 1);
    }
    if (ct_array_stride(&step->port[CT_PPF_X], 'T') != 1) tune_packed(step);
    tune_tile(step);
    while (ct_step_tunable(step, "CELL_T") > ct_step_tunable(step, "TILE_T"))
        ct_step_suggest(step, "CELL_T", ct_step_tunable(step, "CELL_T") / 2);
}

static void tune_simple(ct_step *step)
{
    static const struct {
        const char *tunable;
        int64_t value;
    } simple[] = {{"VECTOR_C", 1}, {"TILE_C", 16},  {"CELL_T", 1},     {"SLIDE", 0},
                  {"TILES_T", 1},  {"PREFETCH", 0}, {"VECTOR_SPT", 16}};
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
        ct_step_suggest(step, simple[i].tunable, simple[i].value);
}

static void tune_plain(ct_step *step)
{
    for (int k = 0; k < PPF_SIDES; k++)
        ct_step_suggest(step, ct_ppf_sides[k].tile, 1);
    ct_step_suggest(step, "VECTOR_C", 1);
    ct_step_suggest(step, "VECTOR_SPT", 1);
    ct_step_suggest(step, "NONTEMPORAL", 0);
}

fft_group ct_ppf_group_of(const ct_step *step)
{
    const ct_array *x = &step->port[CT_PPF_X];
    const char band = ct_fir_dim(x);
    return (fft_group){.length = ct_step_int(step, "channels"),
                       .x = x,
                       .y = &step->port[CT_PPF_Y],
                       .along = 'T',
                       .band = band ? band : 'F',
                       .subbands = ct_fir_subbands(x)};
}

/* Samples that lie together in part of a line, channels likewise, and spectra one after the other,
 * which share samples. */
static void tune_group_tile(ct_step *step, int64_t numbers)
{
    const ct_array *x = &step->port[CT_PPF_X], *y = &step->port[CT_PPF_Y];
    const int64_t channels = ct_step_int(step, "channels");
    const int64_t most = ct_fft_group_most(channels, numbers);
    const int64_t samples = 8 * SECTOR_BYTES / ct_type_bits(x->type);
    ct_fft_group_single(step);
    ct_fft_group_lengthen(step, x, 'T', samples, most > 2 ? most / 2 : most);
    ct_fft_group_lengthen(step, y, 'C', SECTOR_BYTES / 8, most);
    ct_fft_group_side(step, y, 'T', GROUP_T, most);
    ct_fft_group_fill(step, y, ct_fft_group_most(channels, numbers / 2));
}

static void tune_group(ct_step *step)
{
    const int64_t channels = ct_step_int(step, "channels"), taps = ct_step_int(step, "taps");
    int64_t numbers = FFT_GROUP_MOST;
    do
        tune_group_tile(step, numbers);
    while (!ct_step_holds(step, FFT_GROUP_FITS) && (numbers /= 2) >= channels);
    ct_fft_group_items(step, channels);
    ct_step_suggest(step, "CELL_T", taps > GROUP_T ? GROUP_T / 2 : GROUP_T);
    while (ct_step_tunable(step, "CELL_T") > ct_step_tunable(step, "TILE_T"))
        ct_step_suggest(step, "CELL_T", ct_step_tunable(step, "CELL_T") / 2);
}

void ct_ppf_suggest(ct_step *step)
{
    if (step->gpu) {
        tune_group(step);
        return;
    }
    if (ct_step_holds(step, "W_N_C >= 16 && 4096 % W_N_C == 0")) {
        tune_channels(step);
        if (ct_step_holds(step, PPF_FITS)) return;
    }
    tune_simple(step);
    tune_tile(step);
    if (!ct_step_holds(step, PPF_FITS)) tune_plain(step);
}

int ct_ppf_launch(const ct_step *step, ct_launch *out)
{
    static const int axes[PPF_SIDES] = {1, 2, 0}; /* of P, S, T */
    const fft_group of_group = ct_ppf_group_of(step);
    if (step->gpu) return ct_fft_group_start(step, &of_group, out);
    const int64_t group = ct_step_tunable(step, "WG");
    for (int k = 0; k < PPF_SIDES; k++) {
        const int64_t extent = ct_array_extent(&step->port[CT_PPF_Y], ct_ppf_sides[k].dim);
        out->global[axes[k]] = (size_t)ct_divide_up(extent, ct_ppf_reach(step, k));
        out->local[axes[k]] = 1;
    }
    out->global[2] *= (size_t)ct_fir_subbands(&step->port[CT_PPF_X]);
    out->global[0] = (size_t)(ct_divide_up((int64_t)out->global[0], group) * group);
    out->local[0] = (size_t)group;
    return 1;
}

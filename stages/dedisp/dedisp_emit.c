/* dedisp_emit.c: what dedisp.cl is told of ranges, and how its input is read, from the strides.
 * Room: stages. Knows tiles, shifts and strides. Does not know parameters or the kernel's text.
 * Called by dedisp.c: the definitions before the source, and the sizes of the launch. */
#include "dedisp.h"

/* Packed rows of a block of channels lie in private memory: this many bytes still fit a
 * second-level cache, and a row packed by groups may be so much longer than one packed for its
 * channel alone. */
#define MOST_PACKED (1 << 18)
#define MOST_LONGER 6
#define GROUP 16

int64_t ct_dedisp_ceil(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

int64_t ct_dedisp_samples(const ct_step *step, const dedisp_range *range)
{
    const dedisp_trials *trials = step->state;
    return ct_dedisp_ceil(ct_array_extent(&step->port[PORT_Y], 'T') * trials->finest,
                          range->downsample);
}

static int64_t trials_per_tile(const ct_step *step)
{
    return ct_step_tunable(step, "DB") * ct_step_tunable(step, "DP");
}

int64_t ct_dedisp_tiles(const ct_step *step, const dedisp_range *range)
{
    return ct_dedisp_ceil(range->count, trials_per_tile(step));
}

/* ---- how far apart the trials of a tile read */

typedef struct reach {
    int64_t low, high;
} reach;

/* Of all trials of the tile that starts at `first`, in the channels from c on. */
static reach tile_reach(const dedisp_trials *trials, const dedisp_range *range, int64_t first,
                        int64_t last, int64_t c, int64_t channels)
{
    reach found = {INT64_MAX, INT64_MIN};
    for (int64_t end = c + channels; c < end && c < trials->channels; c++)
        for (int k = 0; k < 2; k++) {
            int64_t shift = ct_trials_shift(trials, range->first + (k ? last : first), c);
            if (shift == DEDISP_MASKED) continue;
            if (shift < found.low) found.low = shift;
            if (shift > found.high) found.high = shift;
        }
    return found;
}

/* The widest of all tiles, for rows that hold `channels` channels. */
static int64_t widest_span(const ct_step *step, int64_t channels)
{
    const dedisp_trials *trials = step->state;
    int64_t widest = 0, most = trials_per_tile(step);
    for (int64_t r = 0; r < trials->ranges; r++) {
        const dedisp_range *range = &trials->range[r];
        for (int64_t d = 0; d < range->count; d += most)
            for (int64_t c = 0; c < trials->channels; c += channels) {
                int64_t last = d + most < range->count ? d + most - 1 : range->count - 1;
                reach one = tile_reach(trials, range, d, last, c, channels);
                if (one.high < one.low) continue; /* all masked */
                if (one.high - one.low > widest) widest = one.high - one.low;
            }
    }
    return widest;
}

/* ---- definitions */

static void emit_ranges(const ct_step *step, ct_text *text)
{
    const dedisp_trials *trials = step->state;
    ct_text_add(text, "#define RANGES %lld\n", (long long)trials->ranges);
    ct_text_add(text, "constant int RANGE[RANGES][7] = {\n"
                      "    /* first, last trial, tiles, samples, hold, downsample, level */\n");
    for (int64_t r = 0; r < trials->ranges; r++) {
        const dedisp_range *range = &trials->range[r];
        ct_text_add(text, "    {%lld, %lld, %lld, %lld, %lld, %lld, %lld},\n",
                    (long long)range->first, (long long)(range->first + range->count - 1),
                    (long long)ct_dedisp_tiles(step, range),
                    (long long)ct_dedisp_samples(step, range),
                    (long long)(range->downsample / trials->finest), (long long)range->downsample,
                    (long long)range->level);
    }
    ct_text_add(text, "};\n#define HOLDS %d\n", trials->coarsest != trials->finest);
}

/* Elements of a packed row; 0: too long to be packed. An odd number of lines, against aliasing. */
static int64_t row_length(const ct_step *step, int64_t span)
{
    int64_t tile = ct_step_tunable(step, "VW") * ct_step_tunable(step, "TV");
    int64_t length = (ct_dedisp_ceil(tile + span, GROUP) | 1) * GROUP;
    int64_t bytes = length * ct_step_tunable(step, "CB") * ct_type_bits(step->port[0].type) / 8;
    return bytes <= MOST_PACKED ? length : 0;
}

/* Downsampling: a work-item's block, or where a group shares the work a sample each. */
dedisp_pack ct_dedisp_pack(const ct_step *step)
{
    int64_t group = ct_step_tunable(step, "WG");
    return group > 1 ? (dedisp_pack){1, 1, group} : (dedisp_pack){64, 16, 1};
}

ct_status ct_dedisp_emit(const ct_step *step, ct_text *text, ct_error *err)
{
    const ct_array *x = &step->port[PORT_X];
    bool rows = step->port[PORT_Z].type != CT_NONE || ct_array_stride(x, 'T') == 1, groups = false;
    int64_t window = 0;
    (void)err;
    emit_ranges(step, text);
    ct_text_add(text, "#define PACK_SAMPLES %lld\n#define PACK_CHANNELS %lld\n",
                (long long)ct_dedisp_pack(step).samples, (long long)ct_dedisp_pack(step).channels);
    if (!rows && !step->gpu && ct_step_tunable(step, "WG") == 1) {
        window = row_length(step, widest_span(step, 1));
        if (ct_array_stride(x, 'C') == 1 && ct_array_extent(x, 'C') >= GROUP) {
            int64_t longer = row_length(step, widest_span(step, GROUP));
            groups = longer > 0 && longer <= MOST_LONGER * window;
            if (groups) window = longer;
        }
    }
    ct_text_add(text, "#define ROWS %d\n#define WINDOW %lld\n#define GROUPS %d\n", rows,
                (long long)window, groups);
    return CT_OK;
}

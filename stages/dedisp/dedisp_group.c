/* dedisp_group.c: a work-group's tile in local memory: how many samples its trials' sweeps take,
 * whether that fits and is worth it, and what dedisp_group.cl is told of it.
 * Room: stages/dedisp. Knows shifts and tunables. Does not know the kernel's text. */
#include "dedisp.h"

enum { MOST_ROWS = 8 };        /* channels at a time: their loads are under way together */
enum { EASY_BYTES = 1 << 14 }; /* so that a compute unit has several groups */
enum { WORD_BYTES = 4 };

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

bool ct_dedisp_in_groups(const ct_step *step)
{
    return ct_step_tunable(step, "WG") > 1 && ct_step_tunable(step, "CELLS_D") > 1;
}

/* ---- spans */

/* How far a trial between the first and the last of a tile is outside of their shifts: by rounding,
 * where the shifts are those of subbands. */
static int64_t find_slack(const dedisp_trials *trials, int64_t first, int64_t last, int64_t c)
{
    const int64_t one = ct_trials_shift(trials, first, c), two = ct_trials_shift(trials, last, c);
    int64_t slack = 0;
    if (trials->subbands.count == 0) return 0;
    for (int64_t d = first; d <= last; d++) {
        const int64_t shift = ct_trials_shift(trials, d, c);
        slack = most(slack, most(least(one, two) - shift, shift - most(one, two)));
    }
    return slack;
}

/* Of all tiles of a range and all channels. */
static void look_at_range(const dedisp_trials *trials, const dedisp_range *range, dedisp_sweep *to)
{
    const int64_t end = range->first + range->count;
    for (int64_t d = range->first; d < end; d += to->trials)
        for (int64_t c = 0; c < trials->channels; c++) {
            const int64_t last = least(d + to->trials, end) - 1;
            if (ct_trials_shift(trials, d, c) == DEDISP_MASKED) continue;
            const int64_t by = ct_trials_shift(trials, last, c) - ct_trials_shift(trials, d, c);
            to->spread = most(to->spread, by < 0 ? -by : by);
            to->slack = most(to->slack, find_slack(trials, d, last, c));
        }
}

/* Looked at once for each number of trials. */
static const dedisp_sweep *sweep_of(const ct_step *step)
{
    dedisp_trials *trials = step->state;
    const int64_t tile = ct_dedisp_panel_trials(step);
    dedisp_sweep *to = trials->sweep;
    while (to->trials != 0 && to->trials != tile && to < trials->sweep + DEDISP_SWEEPS - 1)
        to++;
    if (to->trials == tile) return to;
    *to = (dedisp_sweep){.trials = tile};
    for (int64_t r = 0; r < trials->ranges; r++)
        look_at_range(trials, &trials->range[r], to);
    return to;
}

/* ---- a tile */

/* Samples of a word: as many as 32 bits hold. */
int64_t ct_dedisp_packed(const ct_step *step)
{
    const ct_type z = step->port[PORT_Z].type;
    return 32 / ct_type_bits(z != CT_NONE ? z : step->port[PORT_X].type);
}

static int64_t row_words(const ct_step *step)
{
    return ct_step_tunable(step, "WG") / ct_step_tunable(step, "CELLS_D") *
           ct_step_tunable(step, "VECTORS_T");
}

static int64_t span_words(const ct_step *step)
{
    const dedisp_sweep *sweep = sweep_of(step);
    return row_words(step) + sweep->spread + 2 * sweep->slack;
}

static int64_t local_bytes(const ct_step *step, int64_t rows)
{
    return rows * (span_words(step) + ct_dedisp_panel_trials(step) + 2) * WORD_BYTES;
}

/* Channels at a time; 0: not even one fits. */
static int64_t row_count(const ct_step *step)
{
    int64_t rows = MOST_ROWS, local = 0;
    (void)ct_step_evaluate(step, "LOCAL_BYTES", &local, NULL);
    while (rows > 1 && local_bytes(step, rows) > EASY_BYTES)
        rows /= 2;
    return local > 0 && local_bytes(step, rows) > local ? 0 : rows;
}

int64_t ct_dedisp_tile_samples(const ct_step *step)
{
    return row_words(step) * ct_dedisp_packed(step);
}

bool ct_dedisp_tile_fits(const ct_step *step)
{
    return ct_step_tunable(step, "WG") % ct_step_tunable(step, "CELLS_D") == 0 &&
           row_count(step) > 0;
}

/* Where words are brought close for a quarter of their uses or fewer. */
bool ct_dedisp_tile_pays(const ct_step *step)
{
    return 4 * span_words(step) <= row_words(step) * ct_dedisp_panel_trials(step);
}

void ct_dedisp_tile_emit(const ct_step *step, ct_text *text)
{
    const dedisp_trials *trials = step->state;
    const ct_array *z = &step->port[PORT_Z], *r = &step->port[PORT_R];
    const ct_array *stored = z->type != CT_NONE ? z : r->type != CT_NONE ? r : &step->port[PORT_X];
    ct_text_add(text, "#define PACKED %lld\n#define SPAN %lld\n#define SLACK %lld\n",
                (long long)ct_dedisp_packed(step), (long long)span_words(step),
                (long long)sweep_of(step)->slack);
    ct_text_add(text, "#define ROWS_C %lld\n#define CHANNELS_USED %lld\n#define STORED_N %lld\n",
                (long long)row_count(step), (long long)trials->used,
                (long long)ct_array_extent(stored, 'T'));
}

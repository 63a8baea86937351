/* dedisp_share.c: the table of sums that several trials have in common, and what these take.
 * Room: stages/dedisp. Knows rows and subbands. Does not know layouts or the kernel's text.
 *
 * A group of channels becomes rows (dedisp_rows.h), of which each trial adds one: eight channels
 * or, where the user allows an error, a subband, or a part of one. A tile is eight groups, a panel
 * some trials. Rows that a group's last rows are made of give their room to the next group.
 *
 * The table SUMS, in the words of the kernel's enum. For each panel of trials and tile of channels:
 * its groups, its sections, where these begin, where its trials, the panel's first trial, how many.
 *
 * Sections, for each: how many rows of quads, how many of pairs; then of a quad: place (beyond,
 * samples), spread, first channel, a shift for each channel (-1: none); of a pair: place, spread,
 * places of the two that it adds. Trials, for each one: for each group the place where it begins.
 */
#include "dedisp_rows.h"

#include <math.h>

enum { OCTET = 2 * DEDISP_QUAD, GROUPS = 8, LINE = 32 };
enum { ROW_BYTES = 2048 };     /* of a tile's samples: many enough to be worth their overlap */
enum { ROOM_BYTES = 1 << 19 }; /* of a work-item, where they are not: in the second-level cache */
/* Words of what SUMS consists of. */
enum { HEAD = 6, QUAD_ENTRY = 4 + DEDISP_QUAD, PAIR_ENTRY = 7, PLACE = 2 };

#define MOST_WORDS (INT64_C(1) << 24) /* more: a table that nothing repeats in */
#define WORTH 0.97 /* of the additions: what twice the tile's samples must come down to */

/* Where the next row lies, and the table's next word. */
typedef struct sum_walk {
    const dedisp_trials *trials;
    ct_array *table; /* NULL: only counted */
    int64_t words;
    row_place free, peak;
    int64_t first, count; /* the panel's trials */
    int64_t nodes;
    sum_rows node[DEDISP_NODES]; /* of a group: each after those that it adds */
    row_place begin[DEDISP_PANEL][GROUPS];
    int64_t groups, sections;         /* of the tile, as far as it is known */
    double sums_beyond, sums_samples; /* additions of the panel */
} sum_walk;

static void put(sum_walk *walk, int64_t word)
{
    if (walk->table) ct_array_save(walk->table, walk->table->offset + walk->words, (double)word, 0);
    walk->words++;
}

static void put_place(sum_walk *walk, row_place place)
{
    put(walk, place.beyond);
    put(walk, place.samples);
}

static void keep_most(int64_t *most, int64_t value)
{
    if (value > *most) *most = value;
}

/* ---- rows of a group */

/* The rows of all channels from c to before `end`; NULL where all are masked. Where half of them
 * are, the others' rows are all. */
static sum_rows *note_group(sum_walk *walk, int64_t c, int64_t end, int64_t width)
{
    if (c >= end) return NULL;
    if (width > DEDISP_QUAD) {
        sum_rows *one = note_group(walk, c, end, width / 2);
        sum_rows *two = note_group(walk, c + width / 2, end, width / 2);
        if (!one || !two) return one ? one : two;
        sum_rows *both = &walk->node[walk->nodes++];
        ct_rows_note_pair(both, one, two, walk->count);
        return both;
    }
    sum_rows *quad = &walk->node[walk->nodes];
    ct_rows_note_quad(quad, walk->trials, walk->first, walk->count, c, end);
    if (quad->count == 0) return NULL;
    walk->nodes++;
    return quad;
}

/* Additions for each sample of a row. */
static int row_adds(const sum_rows *rows, const sum_row *row)
{
    int adds = -1;
    for (int k = 0; k < DEDISP_QUAD; k++)
        adds += row->pattern[k] != DEDISP_MASKED;
    return rows->one ? 1 : adds;
}

/* Rows begin at cache lines and lie a line apart, so that not all of them share a cache's set. */
static void place_rows(sum_walk *walk, sum_rows *rows)
{
    for (int64_t n = 0; n < rows->count; n++) {
        sum_row *row = &rows->row[n];
        const int64_t spread = ct_rows_spread(row);
        const int adds = row_adds(rows, row);
        row->place = walk->free;
        walk->free.samples++;
        walk->free.beyond += ct_divide_up(spread, LINE) * LINE + LINE;
        walk->sums_samples += adds;
        walk->sums_beyond += (double)(adds * spread);
    }
}

static void put_row(sum_walk *walk, const sum_rows *rows, const sum_row *row)
{
    put_place(walk, row->place);
    put(walk, ct_rows_spread(row));
    if (rows->one) {
        put_place(walk, ct_rows_part_place(rows->one, rows, row));
        put_place(walk, ct_rows_part_place(rows->two, rows, row));
        return;
    }
    put(walk, rows->channel);
    for (int k = 0; k < DEDISP_QUAD; k++)
        put(walk, row->pattern[k] == DEDISP_MASKED ? DEDISP_MASKED : row->pattern[k] + row->least);
}

/* ---- sections: quads, and the pairs that they make while they are still in the cache */

/* After the last of the nodes from n on that are quads, or that are not. */
static int64_t nodes_end(const sum_walk *walk, int64_t n, bool quads)
{
    while (n < walk->nodes && (walk->node[n].one == NULL) == quads)
        n++;
    return n;
}

static int64_t count_rows(const sum_walk *walk, int64_t first, int64_t end)
{
    int64_t rows = 0;
    for (; first < end; first++)
        rows += walk->node[first].count;
    return rows;
}

static void put_sections(sum_walk *walk)
{
    for (int64_t n = 0; n < walk->nodes; walk->sections++) {
        const int64_t pairs = nodes_end(walk, n, true), end = nodes_end(walk, pairs, false);
        put(walk, count_rows(walk, n, pairs));
        put(walk, count_rows(walk, pairs, end));
        for (; n < end; n++)
            for (int64_t k = 0; k < walk->node[n].count; k++)
                put_row(walk, &walk->node[n], &walk->node[n].row[k]);
    }
}

static void walk_group(sum_walk *walk, int64_t c, int64_t end)
{
    int64_t width = OCTET;
    while (width < end - c)
        width *= 2;
    walk->nodes = 0;
    sum_rows *whole = note_group(walk, c, end, width);
    if (!whole) return;
    place_rows(walk, whole);
    const row_place kept = walk->free;
    for (int64_t n = 0; n < walk->nodes; n++)
        if (&walk->node[n] != whole) place_rows(walk, &walk->node[n]);
    keep_most(&walk->peak.samples, walk->free.samples);
    keep_most(&walk->peak.beyond, walk->free.beyond);
    walk->free = kept;
    put_sections(walk);
    for (int64_t d = 0; d < walk->count; d++)
        walk->begin[d][walk->groups] = ct_rows_trial_place(whole, d);
    walk->groups++;
}

/* ---- tiles of channels */

/* After the channels of the group that begins at c. */
static int64_t group_end(const dedisp_trials *trials, int64_t c)
{
    if (trials->subbands.count > 0) return ct_subbands_part_end(trials, c, DEDISP_WIDEST);
    return c + OCTET < trials->channels ? c + OCTET : trials->channels;
}

static int64_t count_tiles(const dedisp_trials *trials)
{
    int64_t groups = 0;
    for (int64_t c = 0; c < trials->channels; c = group_end(trials, c))
        groups++;
    return ct_divide_up(groups, GROUPS);
}

static void put_head(sum_walk *walk, int64_t *head, int64_t sections, int64_t trials)
{
    const int64_t now = walk->words, word[HEAD] = {walk->groups, walk->sections, sections,
                                                   trials,       walk->first,    walk->count};
    walk->words = *head;
    for (int k = 0; k < HEAD; k++)
        put(walk, word[k]);
    *head = walk->words;
    walk->words = now;
}

/* From channel c on; gives the channel after it. */
static int64_t walk_tile(sum_walk *walk, int64_t c, int64_t *head)
{
    const int64_t sections = walk->words;
    walk->groups = walk->sections = 0;
    walk->free = (row_place){0};
    for (int n = 0; n < GROUPS && c < walk->trials->channels; n++) {
        const int64_t end = group_end(walk->trials, c);
        walk_group(walk, c, end);
        c = end;
    }
    const int64_t trials = walk->words;
    for (int64_t d = 0; d < walk->count; d++)
        for (int64_t k = 0; k < walk->groups; k++)
            put_place(walk, walk->begin[d][k]);
    walk->sums_samples += (double)(walk->count * walk->groups);
    put_head(walk, head, sections, trials);
    return c;
}

/* ---- panels of trials */

/* After the panel that begins at `first`: whole runs of subbands, at least one. */
static int64_t panel_end(const dedisp_trials *trials, const dedisp_range *range, int64_t first,
                         int64_t limit)
{
    const int64_t last = range->first + range->count;
    if (trials->subbands.count == 0) return first + limit < last ? first + limit : last;
    int64_t end = ct_subbands_run_end(trials, first);
    while (end < last && ct_subbands_run_end(trials, end) - first <= limit)
        end = ct_subbands_run_end(trials, end);
    return end;
}

static int64_t count_panels(const dedisp_trials *trials, const dedisp_range *range, int64_t limit)
{
    const int64_t last = range->first + range->count;
    int64_t panels = 0;
    for (int64_t d = range->first; d < last; d = panel_end(trials, range, d, limit))
        panels++;
    return panels;
}

/* Counts: a range has a sample for `downsample` of the input's. */
static void count_panel(const sum_walk *walk, dedisp_sums *sums, double weight)
{
    sums->beyond += weight * walk->sums_beyond;
    sums->samples += weight * walk->sums_samples;
    sums->brute += weight * (double)(walk->count * walk->trials->used);
    keep_most(&sums->panel, walk->count);
    keep_most(&sums->rows, walk->peak.samples);
    keep_most(&sums->rows_beyond, walk->peak.beyond);
}

static void walk_panel(sum_walk *walk, int64_t *head)
{
    walk->sums_beyond = walk->sums_samples = 0;
    for (int64_t c = 0; c < walk->trials->channels;)
        c = walk_tile(walk, c, head);
}

/* Walks through all panels of trials; `table` is filled where it is not NULL. */
static dedisp_sums walk_all(const dedisp_trials *trials, ct_array *table, int64_t limit)
{
    dedisp_sums sums = {.limit = limit, .tiles = count_tiles(trials)};
    sum_walk walk = {.trials = trials, .table = table};
    int64_t head = 0;
    for (int64_t r = 0; r < trials->ranges; r++)
        walk.words += HEAD * sums.tiles * count_panels(trials, &trials->range[r], limit);
    for (int64_t r = 0; r < trials->ranges; r++) {
        const dedisp_range *range = &trials->range[r];
        const int64_t last = range->first + range->count;
        for (walk.first = range->first; walk.first < last; walk.first += walk.count) {
            walk.count = panel_end(trials, range, walk.first, limit) - walk.first;
            walk_panel(&walk, &head);
            if (walk.words > MOST_WORDS) return (dedisp_sums){0};
            count_panel(&walk, &sums, 1.0 / (double)range->downsample);
        }
    }
    sums.words = walk.words;
    return sums;
}

/* The more trials a panel has, the more rows, and the shorter the tile. */
double ct_dedisp_share_usual(const dedisp_sums *sums)
{
    enum { LEAST = 128, MOST = 1 << 14 };
    double part = HUGE_VAL;
    for (int64_t tile = LEAST; tile <= MOST; tile *= 2)
        if (sums->words > 0 &&
            ct_dedisp_share_size(sums, tile) + sums->panel * tile <= ROOM_BYTES / 4)
            part = ct_dedisp_share_of(sums, tile);
    return part;
}

/* Subbands' rows may be long: then fewer trials at a time take less. */
dedisp_sums ct_dedisp_share_count(const dedisp_trials *trials)
{
    dedisp_sums best = walk_all(trials, NULL, DEDISP_PANEL);
    for (int64_t limit = DEDISP_PANEL / 2; trials->subbands.count > 0 && limit > 0; limit /= 2) {
        const dedisp_sums next = walk_all(trials, NULL, limit);
        if (ct_dedisp_share_usual(&next) < ct_dedisp_share_usual(&best))
            best = next;
        else if (ct_dedisp_share_usual(&best) < HUGE_VAL)
            break;
    }
    return best;
}

void ct_dedisp_share_table(const dedisp_trials *trials, ct_array *table)
{
    (void)walk_all(trials, table, trials->sums.limit);
}

int64_t ct_dedisp_share_panels(const dedisp_trials *trials, const dedisp_range *range)
{
    return trials->sums.words > 0 ? count_panels(trials, range, trials->sums.limit) : 0;
}

double ct_dedisp_share_of(const dedisp_sums *sums, int64_t tile)
{
    return sums->brute > 0 ? (sums->samples + sums->beyond / (double)tile) / sums->brute : 1;
}

int64_t ct_dedisp_share_size(const dedisp_sums *sums, int64_t tile)
{
    return sums->rows_beyond + sums->rows * tile;
}

/* ---- a work-item's memory */

/* Sums of 64 channels: see NARROW in dedisp.cl. */
int64_t ct_dedisp_sum_bytes(const ct_step *step)
{
    const bool narrow = step->port[PORT_Z].type == CT_NONE &&
                        ct_type_bits(step->port[PORT_X].type) == 8 &&
                        ct_step_tunable(step, "VECTOR_T") > 1;
    return narrow ? 2 : 4;
}

/* Rows, and a tile of the panel's trials. */
static int64_t tile_bytes(const ct_step *step, int64_t tile)
{
    const dedisp_sums *sums = &((const dedisp_trials *)step->state)->sums;
    return ct_dedisp_share_size(sums, tile) * ct_dedisp_sum_bytes(step) + sums->panel * tile * 4;
}

static bool tile_fits(const ct_step *step, int64_t tile)
{
    int64_t local = 0;
    (void)ct_step_evaluate(step, "LOCAL_BYTES", &local, NULL);
    return local == 0 || tile_bytes(step, tile) <= local;
}

/* Rows of subbands may be many times as long as usual tiles. */
static bool is_better(const ct_step *step, int64_t tile)
{
    const dedisp_trials *trials = step->state;
    const double part = ct_dedisp_share_of(&trials->sums, tile);
    return trials->subbands.count > 0 && tile_bytes(step, 2 * tile) <= ROOM_BYTES &&
           ct_dedisp_share_of(&trials->sums, 2 * tile) < WORTH * part;
}

/* Of ranges with so many samples. */
static int64_t tile_within(const ct_step *step, int64_t samples)
{
    int64_t tile = ct_step_tunable(step, "VECTOR_T") * ct_step_tunable(step, "VECTORS_T");
    if (tile > samples || !tile_fits(step, tile)) return 0;
    while (2 * tile <= samples && tile_fits(step, 2 * tile) &&
           (2 * tile <= ROW_BYTES / ct_dedisp_sum_bytes(step) || is_better(step, tile)))
        tile *= 2;
    return tile;
}

int64_t ct_dedisp_share_tile(const ct_step *step)
{
    return tile_within(step, ct_dedisp_shortest(step));
}

/* Where sharing takes this part of the additions or less, it is faster: its additions take longer.
 * Of floats the block has no say: sharing adds them in another order. */
bool ct_dedisp_share_pays(const ct_step *step)
{
    const dedisp_trials *trials = step->state;
    const bool exact = step->port[PORT_X].type != CT_F32;
    const int64_t tile = tile_within(step, exact ? ct_dedisp_shortest(step) : INT64_MAX / 2);
    const bool slow = tile * ct_dedisp_sum_bytes(step) > ROW_BYTES;
    return tile > 0 && ct_dedisp_share_of(&trials->sums, tile) <= (slow ? 0.25 : 0.6);
}

/* ---- definitions */

void ct_dedisp_share_emit(const ct_step *step, ct_text *text)
{
    const dedisp_trials *trials = step->state;
    const int64_t tile = ct_dedisp_share_tile(step);
    ct_text_add(text, "#define PANEL_T %lld\n#define ROWS_SIZE %lld\n", (long long)tile,
                (long long)ct_dedisp_share_size(&trials->sums, tile));
    ct_text_add(text, "enum { HEAD = %d, QUAD_ENTRY = %d, PAIR_ENTRY = %d, PLACE = %d };\n", HEAD,
                QUAD_ENTRY, PAIR_ENTRY, PLACE);
    ct_text_add(text, "#define QUAD %d\n#define PANEL_D %lld\n#define TILES_C %lld\n", DEDISP_QUAD,
                (long long)trials->sums.panel, (long long)trials->sums.tiles);
}

/* dedisp_share.c: sums of neighbouring channels that several trials have in common.
 * Room: stages/dedisp. Knows shifts. Does not know layouts or the kernel's text.
 *
 * Neighbouring channels keep their shifts relative to each other, their pattern, over many trials.
 * So for each pattern of four channels (a quad) that occurs in a panel of trials there is one row
 * of sums, as long as a tile and the spread of the pattern's places; likewise for eight (an octet),
 * of two quads' rows; and a trial adds one row per octet. Where rows lie follows from a tile's
 * samples, which are chosen later: `samples` * tile + `beyond`.
 *
 * The table SUMS, in the words of the kernel's enum. For each panel of trials and tile of channels:
 * its octets, where its rows begin, where its trials.
 *
 * Rows, for each octet: how many of quads, how many of pairs.
 *
 * Then of a quad: place (beyond, samples), spread, first channel, a shift for each channel (-1: none).
 *
 * Of a pair: place, spread, places of the two that it adds.
 *
 * Trials, for each one: for each octet the place where it begins to add. */
#include "dedisp.h"

enum { QUAD = 4, OCTET = 2 * QUAD, OCTETS = DEDISP_TILE / OCTET, LINE = 32 };
enum { ROW_BYTES = 2048 }; /* of a tile's samples: many enough to be worth their overlap */
/* Words of what SUMS consists of. */
enum { HEAD = 3, QUAD_ENTRY = 4 + QUAD, PAIR_ENTRY = 7, PLACE = 2 };

/* More can only be a table that nothing repeats in. */
#define MOST_WORDS (INT64_C(1) << 24)

/* An element of a work-item's rows. */
typedef struct row_place {
    int64_t beyond, samples;
} row_place;

typedef struct sum_row {
    int64_t pattern[OCTET]; /* relative to the earliest; DEDISP_MASKED */
    int64_t least, most;    /* the earliest's shift, over the trials that have this pattern */
    int64_t trial;          /* the first of these */
    row_place place;
} sum_row;

/* The patterns of some channels, and what each trial has of them. */
typedef struct sum_rows {
    int64_t count;
    sum_row row[DEDISP_PANEL];
    const sum_row *of[DEDISP_PANEL];
    int64_t base[DEDISP_PANEL];
} sum_rows;

/* Where the next row lies, and the table's next word. */
typedef struct sum_walk {
    const dedisp_trials *trials;
    ct_array *table; /* NULL: only counted */
    int64_t words;
    row_place free;
    int64_t first, count; /* the panel's trials */
    row_place begin[DEDISP_PANEL][OCTETS];
    int64_t octets;                   /* of the tile, as far as it is known */
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

static row_place later(row_place place, int64_t samples)
{
    place.beyond += samples;
    return place;
}

static int64_t spread(const sum_row *row)
{
    return row->most - row->least;
}

/* ---- patterns */

/* Makes shifts relative to the earliest, which it gives; DEDISP_MASKED where there is none. */
static int64_t take_base(int64_t shift[], int channels)
{
    int64_t base = DEDISP_MASKED;
    for (int c = 0; c < channels; c++)
        if (shift[c] != DEDISP_MASKED && (base == DEDISP_MASKED || shift[c] < base))
            base = shift[c];
    for (int c = 0; c < channels; c++)
        if (shift[c] != DEDISP_MASKED) shift[c] -= base;
    return base;
}

static bool same_pattern(const sum_row *row, const int64_t pattern[], int channels)
{
    for (int c = 0; c < channels; c++)
        if (row->pattern[c] != pattern[c]) return false;
    return true;
}

/* The row of this pattern, a new one where no trial before had it. */
static sum_row *find_row(sum_rows *rows, const int64_t pattern[], int channels)
{
    for (int64_t n = rows->count; n-- > 0;)
        if (same_pattern(&rows->row[n], pattern, channels)) return &rows->row[n];
    sum_row *row = &rows->row[rows->count++];
    *row = (sum_row){.least = INT64_MAX, .most = INT64_MIN, .trial = -1};
    for (int c = 0; c < channels; c++)
        row->pattern[c] = pattern[c];
    return row;
}

/* Notes what trial d of the panel has; nothing where all channels are masked. */
static void note_trial(sum_rows *rows, int64_t d, const int64_t shifts[], int channels)
{
    int64_t pattern[OCTET];
    for (int c = 0; c < channels; c++)
        pattern[c] = shifts[c];
    const int64_t base = take_base(pattern, channels);
    if (base == DEDISP_MASKED) return;
    sum_row *row = find_row(rows, pattern, channels);
    if (row->trial < 0) row->trial = d;
    if (base < row->least) row->least = base;
    if (base > row->most) row->most = base;
    rows->of[d] = row;
    rows->base[d] = base;
}

/* The row's place at which a trial that has it begins. */
static row_place trial_place(const sum_rows *rows, int64_t d)
{
    return later(rows->of[d]->place, rows->base[d] - rows->of[d]->least);
}

/* ---- rows */

/* Rows begin at cache lines and lie a line apart, so that not all of them share a cache's set. */
static void place_row(sum_walk *walk, sum_row *row, int adds)
{
    row->place = walk->free;
    walk->free.samples++;
    walk->free.beyond += ct_divide_up(spread(row), LINE) * LINE + LINE;
    walk->sums_samples += adds;
    walk->sums_beyond += (double)(adds * spread(row));
}

static void put_quads(sum_walk *walk, sum_rows *quads, int64_t c)
{
    for (int64_t n = 0; n < quads->count; n++) {
        sum_row *row = &quads->row[n];
        int adds = -1;
        for (int k = 0; k < QUAD; k++)
            adds += row->pattern[k] != DEDISP_MASKED;
        place_row(walk, row, adds);
        put_place(walk, row->place);
        put(walk, spread(row));
        put(walk, c);
        for (int k = 0; k < QUAD; k++)
            put(walk,
                row->pattern[k] == DEDISP_MASKED ? DEDISP_MASKED : row->pattern[k] + row->least);
    }
}

/* Where a row of an octet takes its first sample from one of its quads. */
static row_place part_place(const sum_rows *quads, const sum_rows *octet, const sum_row *row)
{
    return later(trial_place(quads, row->trial), row->least - octet->base[row->trial]);
}

static void put_pairs(sum_walk *walk, const sum_rows quads[2], sum_rows *octet)
{
    for (int64_t n = 0; n < octet->count; n++) {
        sum_row *row = &octet->row[n];
        place_row(walk, row, 1);
        put_place(walk, row->place);
        put(walk, spread(row));
        put_place(walk, part_place(&quads[0], octet, row));
        put_place(walk, part_place(&quads[1], octet, row));
    }
}

/* ---- channels */

static void note_octet(const sum_walk *walk, int64_t c, sum_rows quads[2], sum_rows *octet)
{
    int64_t shifts[OCTET];
    quads[0].count = quads[1].count = octet->count = 0;
    for (int64_t d = 0; d < walk->count; d++) {
        for (int k = 0; k < OCTET; k++)
            shifts[k] = c + k < walk->trials->channels
                            ? ct_trials_shift(walk->trials, walk->first + d, c + k)
                            : DEDISP_MASKED;
        note_trial(&quads[0], d, shifts, QUAD);
        note_trial(&quads[1], d, shifts + QUAD, QUAD);
        note_trial(octet, d, shifts, OCTET);
    }
}

/* Of eight channels; where four of them are masked, the others' rows are all. */
static void walk_octet(sum_walk *walk, int64_t c)
{
    sum_rows quads[2], octet;
    note_octet(walk, c, quads, &octet);
    if (octet.count == 0) return;
    const bool pairs = quads[0].count > 0 && quads[1].count > 0;
    const sum_rows *whole = pairs ? &octet : &quads[quads[0].count > 0 ? 0 : 1];
    put(walk, quads[0].count + quads[1].count);
    put(walk, pairs ? octet.count : 0);
    put_quads(walk, &quads[0], c);
    put_quads(walk, &quads[1], c + QUAD);
    if (pairs) put_pairs(walk, quads, &octet);
    for (int64_t d = 0; d < walk->count; d++)
        walk->begin[d][walk->octets] = trial_place(whole, d);
    walk->octets++;
}

static void put_head(sum_walk *walk, int64_t *head, int64_t rows, int64_t trials)
{
    const int64_t now = walk->words;
    walk->words = *head;
    put(walk, walk->octets);
    put(walk, rows);
    put(walk, trials);
    *head = walk->words;
    walk->words = now;
}

static void walk_tile(sum_walk *walk, int64_t c, int64_t *head)
{
    const int64_t rows = walk->words;
    const int64_t end =
        c + DEDISP_TILE < walk->trials->channels ? c + DEDISP_TILE : walk->trials->channels;
    walk->octets = 0;
    walk->free = (row_place){0};
    for (; c < end; c += OCTET)
        walk_octet(walk, c);
    const int64_t trials = walk->words;
    for (int64_t d = 0; d < walk->count; d++)
        for (int64_t k = 0; k < walk->octets; k++)
            put_place(walk, walk->begin[d][k]);
    walk->sums_samples += (double)(walk->count * walk->octets);
    put_head(walk, head, rows, trials);
}

/* ---- all of them */

static int64_t count_panels(const dedisp_trials *trials)
{
    int64_t panels = 0;
    for (int64_t r = 0; r < trials->ranges; r++)
        panels += ct_divide_up(trials->range[r].count, DEDISP_PANEL);
    return panels;
}

static void keep_most(int64_t *most, int64_t value)
{
    if (value > *most) *most = value;
}

/* Counts: a range has a sample for `downsample` of the input's. */
static void count_panel(const sum_walk *walk, dedisp_sums *sums, double weight)
{
    sums->beyond += weight * walk->sums_beyond;
    sums->samples += weight * walk->sums_samples;
    sums->brute += weight * (double)(walk->count * walk->trials->used);
}

static void walk_panel(sum_walk *walk, dedisp_sums *sums, int64_t *head)
{
    walk->sums_beyond = walk->sums_samples = 0;
    for (int64_t c = 0; c < walk->trials->channels; c += DEDISP_TILE) {
        walk_tile(walk, c, head);
        keep_most(&sums->rows, walk->free.samples);
        keep_most(&sums->rows_beyond, walk->free.beyond);
    }
}

/* Walks through all panels of trials; `table` is filled where it is not NULL. */
static dedisp_sums walk_all(const dedisp_trials *trials, ct_array *table)
{
    dedisp_sums sums = {0};
    sum_walk walk = {.trials = trials, .table = table};
    int64_t head = 0;
    walk.words = HEAD * count_panels(trials) * ct_divide_up(trials->channels, DEDISP_TILE);
    for (int64_t r = 0; r < trials->ranges; r++) {
        const dedisp_range *range = &trials->range[r];
        const int64_t end = range->first + range->count;
        for (walk.first = range->first; walk.first < end; walk.first += DEDISP_PANEL) {
            walk.count = end - walk.first < DEDISP_PANEL ? end - walk.first : DEDISP_PANEL;
            walk_panel(&walk, &sums, &head);
            if (walk.words > MOST_WORDS) return (dedisp_sums){0};
            count_panel(&walk, &sums, 1.0 / (double)range->downsample);
        }
    }
    sums.words = walk.words;
    return sums;
}

dedisp_sums ct_dedisp_share_count(const dedisp_trials *trials)
{
    return walk_all(trials, NULL);
}

void ct_dedisp_share_table(const dedisp_trials *trials, ct_array *table)
{
    (void)walk_all(trials, table);
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
static int64_t row_bytes(const ct_step *step)
{
    const bool narrow = step->port[PORT_Z].type == CT_NONE &&
                        ct_type_bits(step->port[PORT_X].type) == 8 &&
                        ct_step_tunable(step, "VECTOR_T") > 1;
    return narrow ? 2 : 4;
}

/* Rows, and a tile of the panel's trials. */
static bool tile_fits(const ct_step *step, int64_t tile)
{
    const dedisp_trials *trials = step->state;
    int64_t local = 0;
    if (ct_step_evaluate(step, "LOCAL_BYTES", &local, NULL) != CT_OK || local == 0) return true;
    return ct_dedisp_share_size(&trials->sums, tile) * row_bytes(step) + DEDISP_PANEL * tile * 4 <=
           local;
}

int64_t ct_dedisp_share_tile(const ct_step *step)
{
    const int64_t shortest = ct_dedisp_shortest(step), usual = ROW_BYTES / row_bytes(step);
    int64_t tile = ct_step_tunable(step, "VECTOR_T") * ct_step_tunable(step, "VECTORS_T");
    if (tile > shortest || !tile_fits(step, tile)) return 0;
    while (2 * tile <= shortest && 2 * tile <= usual && tile_fits(step, 2 * tile))
        tile *= 2;
    return tile;
}

/* ---- definitions */

void ct_dedisp_share_emit(const ct_step *step, ct_text *text)
{
    const dedisp_trials *trials = step->state;
    const int64_t tile = ct_dedisp_share_tile(step);
    ct_text_add(text, "#define TILE_T %lld\n#define ROWS_SIZE %lld\n", (long long)tile,
                (long long)ct_dedisp_share_size(&trials->sums, tile));
    ct_text_add(text, "enum { HEAD = %d, QUAD_ENTRY = %d, PAIR_ENTRY = %d, PLACE = %d };\n", HEAD,
                QUAD_ENTRY, PAIR_ENTRY, PLACE);
    ct_text_add(text, "#define QUAD %d\n#define PANEL_D %d\n#define TILE_C %d\n", QUAD,
                DEDISP_PANEL, DEDISP_TILE);
}

/* dedisp_rows.c: which patterns of shifts occur; see dedisp_rows.h.
 * Room: stages/dedisp. Knows shifts. Does not know layouts, tables or the kernel's text. */
#include "dedisp_rows.h"

#include <string.h>

/* Makes shifts relative to the earliest, which it gives; DEDISP_MASKED where there is none. */
static int64_t take_base(int64_t shift[DEDISP_QUAD])
{
    int64_t base = DEDISP_MASKED;
    for (int k = 0; k < DEDISP_QUAD; k++)
        if (shift[k] != DEDISP_MASKED && (base == DEDISP_MASKED || shift[k] < base))
            base = shift[k];
    for (int k = 0; k < DEDISP_QUAD; k++)
        if (shift[k] != DEDISP_MASKED) shift[k] -= base;
    return base;
}

/* The row of this pattern, a new one where no trial before had it. */
static int64_t find_row(sum_rows *rows, const int64_t pattern[DEDISP_QUAD], int64_t d)
{
    for (int64_t n = rows->count; n-- > 0;)
        if (memcmp(rows->row[n].pattern, pattern, sizeof rows->row[n].pattern) == 0) return n;
    sum_row *row = &rows->row[rows->count];
    *row = (sum_row){.least = INT64_MAX, .most = INT64_MIN, .trial = d};
    memcpy(row->pattern, pattern, sizeof row->pattern);
    return rows->count++;
}

static void note_trial(sum_rows *rows, int64_t d, const int64_t pattern[DEDISP_QUAD], int64_t base)
{
    rows->of[d] = find_row(rows, pattern, d);
    rows->base[d] = base;
    sum_row *row = &rows->row[rows->of[d]];
    if (base < row->least) row->least = base;
    if (base > row->most) row->most = base;
}

void ct_rows_note_quad(sum_rows *rows, const dedisp_trials *trials, int64_t first, int64_t count,
                       int64_t c, int64_t end)
{
    rows->one = rows->two = NULL;
    rows->channel = c;
    rows->count = 0;
    for (int64_t d = 0; d < count; d++) {
        int64_t shift[DEDISP_QUAD];
        for (int k = 0; k < DEDISP_QUAD; k++)
            shift[k] = c + k < end ? ct_trials_shift(trials, first + d, c + k) : DEDISP_MASKED;
        const int64_t base = take_base(shift);
        if (base != DEDISP_MASKED) note_trial(rows, d, shift, base);
    }
}

void ct_rows_note_pair(sum_rows *rows, const sum_rows *one, const sum_rows *two, int64_t count)
{
    rows->one = one;
    rows->two = two;
    rows->count = 0;
    for (int64_t d = 0; d < count; d++) {
        const int64_t pattern[DEDISP_QUAD] = {one->of[d], two->of[d], two->base[d] - one->base[d]};
        note_trial(rows, d, pattern, one->base[d] < two->base[d] ? one->base[d] : two->base[d]);
    }
}

static row_place later(row_place place, int64_t samples)
{
    place.beyond += samples;
    return place;
}

row_place ct_rows_trial_place(const sum_rows *rows, int64_t d)
{
    const sum_row *row = &rows->row[rows->of[d]];
    return later(row->place, rows->base[d] - row->least);
}

row_place ct_rows_part_place(const sum_rows *part, const sum_rows *rows, const sum_row *row)
{
    return later(ct_rows_trial_place(part, row->trial), row->least - rows->base[row->trial]);
}

/* dedisp_rows.h: rows of sums that several trials have in common.
 * Room: stages/dedisp. Knows shifts. Does not know layouts, tables or the kernel's text.
 *
 * Neighbouring channels keep their shifts relative to each other, their pattern, over many trials.
 * So for each pattern of four channels (a quad) that occurs in a panel of trials there is one row
 * of sums, as long as a tile and the spread of the pattern's places; and so on for eight, of two
 * quads' rows, sixteen and thirty-two, of two of these. */
#ifndef CT_STAGES_DEDISP_ROWS_H
#define CT_STAGES_DEDISP_ROWS_H
#include "dedisp.h"

enum { DEDISP_QUAD = 4, DEDISP_WIDEST = 32, DEDISP_NODES = 2 * DEDISP_WIDEST / DEDISP_QUAD - 1 };

/* An element of a work-item's rows: `samples` times a tile's samples, which are chosen later, and
 * `beyond`. */
typedef struct row_place {
    int64_t beyond, samples;
} row_place;

typedef struct sum_row {
    int64_t pattern[DEDISP_QUAD]; /* of a quad: relative to the earliest; DEDISP_MASKED. Else: which
                                     rows of the two, and how much later the second begins */
    int64_t least, most; /* the earliest channel's shift, over the trials that have this pattern */
    int64_t trial;       /* the first of these */
    row_place place;
} sum_row;

/* The patterns of some channels, and what each trial of a panel has of them. */
typedef struct sum_rows {
    const struct sum_rows *one, *two; /* whose rows are added; NULL: it is a quad, of channels */
    int64_t channel;                  /* the quad's first */
    int64_t count;
    sum_row row[DEDISP_PANEL];
    int64_t of[DEDISP_PANEL], base[DEDISP_PANEL]; /* of a trial: its row, the earliest's shift */
} sum_rows;

/* Notes what `trials` trials from `first` on have of the channels from c to before `end`, of four
 * at most. */
void ct_rows_note_quad(sum_rows *rows, const dedisp_trials *trials, int64_t first, int64_t count,
                       int64_t c, int64_t end);
/* Likewise of what two have. */
void ct_rows_note_pair(sum_rows *rows, const sum_rows *one, const sum_rows *two, int64_t count);

static inline int64_t ct_rows_spread(const sum_row *row)
{
    return row->most - row->least;
}

/* The row's place at which a trial that has it begins. */
row_place ct_rows_trial_place(const sum_rows *rows, int64_t d);
/* Where a row takes its first sample from one of the two that it adds. */
row_place ct_rows_part_place(const sum_rows *part, const sum_rows *rows, const sum_row *row);

#endif

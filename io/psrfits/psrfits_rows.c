/* psrfits_rows.c: see psrfits_rows.h. A row's time is that of its middle, OFFS_SUB; where these are
 * 0 or missing rows follow each other. Room: io/psrfits. Knows samples and rows. Does not know what
 * is in them. */
#include "psrfits_rows.h"
#include <math.h>

#define ROWS_EVEN 0.1 /* samples: as near to a whole number as times are given */
#define ROWS_HOLE 1e9 /* samples of a hole, at most */

/* While rows are looked through. */
typedef struct rows_walk {
    const ct_psrfits *file;
    double max_gap_s, begin_s; /* begin_s: the middle of the first row */
    int64_t next;              /* the sample at which a row follows the one before */
} rows_walk;

static ct_status rows_too_long(const rows_walk *walk, int64_t row, double gap, ct_error *err)
{
    return ct_error_add(
        err, CT_DATA,
        "%s: OFFS_SUB: row %lld begins %.6g s after the row before it ends, expected at "
        "most %g; a larger \"max_gap_s\" fills that with zeros",
        walk->file->file, (long long)row + 1, gap * walk->file->sample_time_s, walk->max_gap_s);
}

/* By how many samples a row is later than if it followed the one before. */
static ct_status rows_gap(rows_walk *walk, int64_t row, double *gap, ct_error *err)
{
    double middle_s = 0;
    *gap = 0;
    const ct_status status = ct_psrfits_middle(walk->file, row, &middle_s, err);
    if (status != CT_OK) return status;
    if (row == 0) {
        walk->begin_s = middle_s;
    } else if (middle_s != 0) {
        *gap = (middle_s - walk->begin_s) / walk->file->sample_time_s - (double)walk->next;
    }
    if (*gap > ROWS_HOLE || *gap * walk->file->sample_time_s > walk->max_gap_s)
        return rows_too_long(walk, row, *gap, err);
    return CT_OK;
}

/* Less than a sample is how times are rounded; what is early cannot be put right. */
static void rows_add(ct_psrfits_rows *out, int64_t row, double gap, rows_walk *walk)
{
    const int64_t hole = gap >= 1 - ROWS_EVEN ? llround(gap) : 0;
    if (!(gap > -1) && out->early == 0) out->early = row;
    if (hole > 0 && fabs(gap - (double)hole) > ROWS_EVEN && out->uneven == 0) {
        out->uneven = row;
        out->uneven_samples = gap;
    }
    walk->next += hole;
    out->holes += hole;
    if (row > 0 && hole == 0) return;
    if (out->stretch)
        out->stretch[out->stretches] = (ct_psrfits_stretch){.row = row, .first = walk->next};
    out->stretches++;
}

static ct_status rows_walk_all(ct_psrfits_rows *out, const ct_psrfits *file, double max_gap_s,
                               ct_error *err)
{
    rows_walk walk = {.file = file, .max_gap_s = max_gap_s};
    double gap = 0;
    ct_status status = CT_OK;
    *out = (ct_psrfits_rows){.stretch = out->stretch};
    for (int64_t row = 0; status == CT_OK && row < file->rows; row++) {
        status = rows_gap(&walk, row, &gap, err);
        if (status == CT_OK) rows_add(out, row, gap, &walk);
        walk.next += file->row_samples;
    }
    out->samples = file->samples + out->holes;
    const double before_s = walk.begin_s - 0.5 * (double)file->row_samples * file->sample_time_s;
    if (walk.begin_s > 0 && fabs(before_s - file->before_s) >= file->sample_time_s)
        out->later_s = before_s - file->before_s;
    return status;
}

/* Once to count, and once to fill. */
ct_status ct_psrfits_rows_find(ct_psrfits_rows *out, ct_step *step, const ct_psrfits *file,
                               double max_gap_s, ct_error *err)
{
    *out = (ct_psrfits_rows){0};
    const ct_status status = rows_walk_all(out, file, max_gap_s, err);
    if (status != CT_OK) return status;
    out->stretch = ct_step_alloc(step, (size_t)out->stretches * sizeof *out->stretch);
    if (!out->stretch) return CT_FAILED;
    return rows_walk_all(out, file, max_gap_s, err);
}

ct_psrfits_place ct_psrfits_rows_at(const ct_psrfits_rows *rows, const ct_psrfits *file,
                                    int64_t sample)
{
    int64_t low = 0, high = rows->stretches;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        *(rows->stretch[middle].first <= sample ? &low : &high) = middle;
    }
    const ct_psrfits_stretch *at = &rows->stretch[low];
    const int64_t beyond = high < rows->stretches ? at[1].row : file->rows;
    const int64_t row = at->row + (sample - at->first) / file->row_samples;
    if (row >= beyond) /* only before another stretch */
        return (ct_psrfits_place){.row = -1, .left = at[1].first - sample};
    const int64_t within = (sample - at->first) % file->row_samples;
    return (ct_psrfits_place){row, within, file->row_samples - within};
}

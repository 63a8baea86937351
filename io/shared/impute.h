/* impute.h: what a file without flags has where samples are missing: the running median of their
 * channel, or 0.
 * Room: io/shared. */
#ifndef CT_IO_IMPUTE_H
#define CT_IO_IMPUTE_H
#include "beam_names.h"

#define CT_IMPUTATIONS(ROW) ROW(median, true) ROW(zero, false)

enum { CT_IMPUTE_WINDOW = 64 }; /* samples before a gap, of which the median is taken */

typedef struct ct_impute_past ct_impute_past;

/* For a sink whose port 1 takes flags; `files` as ct_beam_names_count. CT_FAILED: no memory. */
ct_status ct_impute_new(ct_impute_past **out, ct_step *step, int64_t files);
/* The part of a block that goes to one file, T from `first` on, `count` samples: as it is, or where
 * something is flagged a copy without gaps in `*out`, whose T begins at `*from`. It lives until the
 * next call. CT_FAILED: no memory. */
ct_status ct_impute_part(ct_impute_past *past, int64_t file, const ct_array *part, int64_t first,
                         int64_t count, ct_array *out, int64_t *from);
/* What must be remembered between blocks, and its bytes; to be written into when that is restored.
 */
void *ct_impute_state(ct_impute_past *past, size_t *bytes);

#endif

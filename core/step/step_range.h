/* step_range.h: what a step may be split along, and a step that computes a range of it only.
 * Room: core/step. Knows `split` of a stage and the shapes of a step. Does not know ranks, or why a
 * step is split. Order: ct_step_infer, ct_step_set_range for each dimension, then layouts and
 * tunables.
 */
#ifndef CT_CORE_STEP_RANGE_H
#define CT_CORE_STEP_RANGE_H
#include "step.h"

typedef enum ct_split {
    CT_SPLIT_NOT,
    CT_SPLIT_FREE, /* each range by itself */
    CT_SPLIT_SUM   /* what ranges give is to be added */
} ct_split;

/* How the step may be split along this dimension, a letter of its arrays. `why` (NULL: not wanted):
 * where it may not, the reason in a few words. */
enum { CT_SPLIT_WHY = 192 };
ct_split ct_step_split(const ct_step *step, char dim, char why[CT_SPLIT_WHY]);
/* How many ranges the dimension has at most: the indices of the port that has the fewest of them; a
 * range has so many times more of others. */
int64_t ct_step_split_extent(const ct_step *step, char dim);
/* "S, P", or "C, and T by adding": all that the step may be split along, for a sentence. */
const char *ct_step_split_list(const ct_step *step, char out[CT_SPLIT_WHY]);

/* Whether a source reads a range of this dimension by itself. */
bool ct_step_reads_range(const ct_step *step, char dim);

/* From now on the step has the indices `first` to `first + count - 1` (of ct_step_split_extent)
 * along a dimension that it may be split along: its ports and tables shrink. */
void ct_step_set_range(ct_step *step, char dim, int64_t first, int64_t count);
/* Of a port of a step that has a range: where that begins, and the extent of the whole. */
int64_t ct_step_port_first(const ct_step *step, int port, char dim);
int64_t ct_step_port_whole(const ct_step *step, int port, char dim);
/* The stage's table(), reduced to the step's range. `fill` has its meta. */
ct_status ct_step_table(const ct_step *step, int port, ct_array *fill, ct_error *err);

/* Reads `split`: the n-th letter (CT_SPLIT_NOT: there is none); "*" has none. */
ct_split ct_step_split_letter(const char *split, int n, char *letter);

#endif

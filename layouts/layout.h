/* layout.h: orders of dimensions as small values.
 * Room: layouts. Knows permutations and patterns. Does not know JSON, OpenCL calls or files.
 * ct_layout_parse, ct_layout_equal and ct_array_* are public, in cornerturn.h. */
#ifndef CT_LAYOUTS_LAYOUT_H
#define CT_LAYOUTS_LAYOUT_H
#include "cornerturn_stage.h"

/* (ct_dim_name is public.) */
char ct_dim_letter(const char *name);          /* 'S' for "S" and "station"; '\0' unknown */
const char *ct_dim_nearest(const char *wrong); /* the name that was perhaps meant; NULL none */

ct_layout ct_layout_natural(const ct_array *array);           /* the array's own order of names */
int64_t ct_layout_permutations(int rank);                     /* rank! */
ct_layout ct_layout_permutation(const char *dims, int64_t n); /* the n-th in lexicographic order */
bool ct_layout_covers(const ct_layout *layout, const ct_array *array); /* same set of letters */

/* Patterns: "*" any, "*C" C fastest, "T*" T slowest, "T*C" both, "CTSP" fixed; letters that the
 * layout lacks are left out of the pattern first. ("=X" is resolved by the caller.) */
bool ct_layout_matches(const ct_layout *layout, const char *pattern);
/* The layout nearest to `wish` (rank 0: natural order of `array`) that matches. */
ct_layout ct_layout_fit(const ct_array *array, const char *pattern, const ct_layout *wish);

/* "s=1 p=0 t=3 c=5": an element by its place in natural order. */
enum { CT_ARRAY_COORDINATE = 192 };
void ct_array_coordinate(char out[CT_ARRAY_COORDINATE], const ct_array *array, int64_t natural);

/* As ct_layout_parse reads it, in letters; returns `out`. */
#define CT_LAYOUT_TEXT (2 * CT_DIMS + 1)
const char *ct_layout_print(char out[CT_LAYOUT_TEXT], const ct_layout *layout);
bool ct_layout_equal(const ct_layout *a,
                     const ct_layout *b); /* the same order and the same splits */

/* Of ct_copy (cornerturn_stage.h): a fastest dimension that both sides share is taken into the
 * word, of up to `most` bytes; words of more than `most` bytes become several, along a new fastest
 * dimension. */
void ct_copy_widen(ct_copy *copy, int most);
void ct_copy_split(ct_copy *copy, int most);

#endif

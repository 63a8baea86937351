/* beam_names.h: sinks with a file for each beam, station and trial: which is which, what it is
 * called, and which part of a block goes there.
 * Room: io/shared. Knows dimensions. Does not know formats. */
#ifndef CT_IO_BEAM_NAMES_H
#define CT_IO_BEAM_NAMES_H
#include "cornerturn_stage.h"

typedef struct ct_beam_index {
    int64_t b, s, d;
} ct_beam_index;

/* How many files an array makes. */
int64_t ct_beam_names_count(const ct_array *array);
ct_beam_index ct_beam_names_index(const ct_array *array, int64_t file);
/* "name_B001_S002_DM12.250.fil", if there are several; `ext` NULL: that of parameter "file". */
const char *ct_beam_names_file(ct_step *step, int64_t file, const char *ext);
/* Says of each of the files that it will be written. */
void ct_beam_names_declare(ct_step *step, const char *ext);
/* The file's part of a block, a view of the same data. */
ct_array ct_beam_names_part(const ct_array *block, int64_t file);
/* Copies `count` samples of such a part, T from `first` on, to `data`, by T, Q, C without gaps; and
 * what is there. */
ct_array ct_beam_names_take(const ct_array *part, int64_t first, int64_t count, void *data);

#endif

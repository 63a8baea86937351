/* places.h: sinks with a file for each beam, station and trial: which is which, what it is called,
 * and which part of a block goes there.
 * Room: io/shared. Knows dimensions. Does not know formats. */
#ifndef CT_IO_PLACES_H
#define CT_IO_PLACES_H
#include "cornerturn_stage.h"

typedef struct ct_place {
    int64_t b, s, d;
} ct_place;

/* How many files an array makes. */
int64_t ct_places_count(const ct_array *array);
ct_place ct_places_of(const ct_array *array, int64_t file);
/* "name_B001_S002_DM12.250.fil", where there are several; `ext` NULL: that of parameter "file". */
const char *ct_places_name(ct_step *step, int64_t file, const char *ext);
/* Says of each of the files that it will be written. */
void ct_places_claim(ct_step *step, const char *ext);
/* The file's part of a block, a view of the same data. */
ct_array ct_places_part(const ct_array *block, int64_t file);

#endif

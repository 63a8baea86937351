/* hdf5_attributes.h: attributes of groups and data sets: numbers and texts, one or a list.
 * Room: io/hdf5. Knows HDF5. Does not know formats. Between ct_hdf5_enter and ct_hdf5_leave. */
#ifndef CT_IO_HDF5_ATTRIBUTES_H
#define CT_IO_HDF5_ATTRIBUTES_H
#ifdef CT_HAVE_HDF5
#include "cornerturn_stage.h"

#include <hdf5.h>

/* Makes an attribute; false: HDF5 failed. Texts are ASCII; other bytes become '?'. count 0: one, no
 * list. */
bool ct_hdf5_put_texts(hid_t at, const char *name, const char *const *texts, size_t count);
bool ct_hdf5_put_text(hid_t at, const char *name, const char *text);
bool ct_hdf5_put_reals(hid_t at, const char *name, const double *reals, size_t count);
bool ct_hdf5_put_wholes(hid_t at, const char *name, const uint32_t *wholes, size_t count);
/* Of 32 bits where it fits, as most programs expect, else of 64. */
bool ct_hdf5_put_whole(hid_t at, const char *name, int64_t whole);

/* Whether it is a number as machines have them, or a list of names for such; libhdf5 believes what
 * a damaged file says of another one's bits. */
bool ct_hdf5_type_is_number(hid_t type);
/* How many numbers; -1: there is no such attribute, or it has none, or more than `most`. */
int64_t ct_hdf5_count_reals(hid_t at, const char *name, int64_t most);
/* All of them, of which there are `count`. */
bool ct_hdf5_get_reals(hid_t at, const char *name, double *out, int64_t count);
/* The one number; otherwise false, and `out` as it was. */
bool ct_hdf5_get_real(hid_t at, const char *name, double *out);
/* The first text, without spaces at its end, as much as there is room for; false: there is none,
 * and `out` is empty. */
bool ct_hdf5_get_text(hid_t at, const char *name, char *out, size_t size);

#endif
#endif

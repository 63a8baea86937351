/* hdf5_text.h: texts of variable length, which are in heaps of the file. libhdf5 believes what
 * these say of themselves, up to reading and writing elsewhere in memory; so they are looked up
 * here. Room: io/hdf5. Knows HDF5's global heaps. Does not know formats. */
#ifndef CT_IO_HDF5_TEXT_H
#define CT_IO_HDF5_TEXT_H
#ifdef CT_HAVE_HDF5
#include "cornerturn_stage.h"

#include <hdf5.h>

/* The first text of an open attribute of such texts, of which there are `count`: its letters, as
 * many as there is room for; *length of them. False: there is none, or the heap is damaged. */
bool ct_hdf5_text_read(hid_t attribute, int64_t count, char *out, size_t size, size_t *length);

#endif
#endif

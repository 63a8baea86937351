/* beam_files.h: what a sink writes into a file for each beam, station and trial, block by block,
 * after a header of its own. Of many files no more than one is open.
 * Room: io/shared. Knows strides. Does not know formats. */
#ifndef CT_IO_BEAM_FILES_H
#define CT_IO_BEAM_FILES_H
#include "beam_names.h"
#include "impute.h"
#include "region.h"

typedef struct ct_beam_files {
    ct_step *step;
    int64_t count;
    ct_output *output;    /* one for each file */
    ct_layout layout;     /* of a file's samples */
    int64_t *header;      /* bytes before the first sample of each */
    int64_t written;      /* samples along T */
    bool torn;            /* a block could not be written: some files may have a part of it */
    bool backwards;       /* the last channel comes first */
    uint8_t *window;      /* all of them share it */
    ct_impute_past *past; /* of what was written before gaps; NULL: these are written as they are */
} ct_beam_files;

/* `order`: the dimensions of a file, slowest first, T first; those that the array lacks are left
 * out. `ext` NULL: that of parameter "file". On failure what is open is closed. */
ct_status ct_beam_files_open(ct_beam_files *files, ct_step *step, const char *order,
                             const char *ext, ct_error *err);
/* The bytes before the first sample of one file. */
ct_status ct_beam_files_put(ct_beam_files *files, int64_t file, const void *header, size_t bytes,
                            ct_error *err);
/* Room in each for a text that is put at the end: see ct_output_reserve. */
ct_status ct_beam_files_reserve(ct_beam_files *files, int64_t bytes, ct_error *err);
/* A sink's, whose state begins with a ct_beam_files. */
ct_status ct_beam_files_write(void *state, const ct_array *block, int64_t first, int64_t count,
                              ct_error *err);
ct_status ct_beam_files_save(void *state, const void **data, size_t *bytes, ct_error *err);
ct_status ct_beam_files_restore(void *state, int64_t position, const void *data, size_t bytes,
                                ct_error *err);
ct_status ct_beam_files_close(void *state, bool complete, ct_error *err);

#endif

/* files.h: what a sink writes into a file for each beam, station and trial, block by block, behind
 * a head of its own. Of many files no more than one is open.
 * Room: io/shared. Knows strides. Does not know formats. */
#ifndef CT_IO_FILES_H
#define CT_IO_FILES_H
#include "beam_names.h"
#include "impute.h"
#include "region.h"

typedef struct ct_files {
    ct_step *step;
    int64_t count;
    ct_output *output;    /* one for each place */
    ct_layout layout;     /* of a file's samples */
    int64_t head;         /* bytes before the first sample */
    int64_t written;      /* samples along T */
    bool torn;            /* a block could not be written: some files may have a part of it */
    uint8_t *window;      /* all of them share it */
    ct_impute_past *past; /* of what was written before gaps; NULL: these are written as they are */
} ct_files;

/* `order`: the dimensions of a file, slowest first, T first; those that the array lacks are left
 * out. `ext` NULL: that of parameter "file". On failure what is open is closed. */
ct_status ct_files_open(ct_files *files, ct_step *step, const char *order, const char *ext,
                        int64_t head, ct_error *err);
/* A sink's write, save, restore and close. */
ct_status ct_files_write(ct_files *files, const ct_array *block, int64_t first, int64_t count,
                         ct_error *err);
ct_status ct_files_save(ct_files *files, ct_error *err);
ct_status ct_files_close(ct_files *files, bool complete, ct_error *err);
/* Bytes at the start of one file. */
ct_status ct_files_put(ct_files *files, int64_t file, const void *head, size_t bytes,
                       ct_error *err);
/* Room in each for a text that is put at the end: see ct_output_reserve. */
ct_status ct_files_reserve(ct_files *files, int64_t bytes, ct_error *err);
/* Bytes of samples in each file. */
int64_t ct_files_bytes(const ct_files *files);

#endif

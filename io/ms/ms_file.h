/* ms_file.h: a Measurement Set in the making: the folder that the run gives its name, and the
 * module that writes tables into it. Room: io/ms. Knows the order of calls. Does not know casacore,
 * or blocks. Order: open, or open and restore; put, save; close. */
#ifndef CT_IO_MS_FILE_H
#define CT_IO_MS_FILE_H
#include "ms_keep.h"
#include "ms_tables.h"
#include "visibility.h"

typedef struct ct_ms_file {
    ct_step *step;
    double start_s, interval_s; /* the first integration's middle; given before it is opened */
    const ct_ms_tables *tables;
    ct_ms *ms; /* NULL: not made yet, or not found again */
    ct_ms_header header;
    ct_output_file folder;
    ct_ms_keep keep;
    int64_t reserve; /* bytes */
    bool again;      /* the folder is one of an earlier run */
} ct_ms_file;

/* In infer(), too: CT_INVALID where this build has no such module, or it cannot be loaded. */
ct_status ct_ms_tables_load(const ct_step *step, const ct_ms_tables **out, ct_error *err);

ct_status ct_ms_file_open(ct_ms_file *file, const ct_visibility *of,
                          const ct_visibility_order *order, ct_error *err);
ct_status ct_ms_file_put(ct_ms_file *file, const ct_ms_rows *rows, ct_error *err);
ct_status ct_ms_file_save(ct_ms_file *file, const void **data, size_t *bytes, ct_error *err);
ct_status ct_ms_file_restore(ct_ms_file *file, const void *data, size_t bytes, ct_error *err);
ct_status ct_ms_file_close(ct_ms_file *file, bool complete, int64_t integrations, ct_error *err);

/* What is said once; lives as the step. */
ct_status ct_ms_header_make(ct_ms_header *out, const ct_visibility *of,
                            const ct_visibility_order *order);

#endif

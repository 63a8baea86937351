/* format.h: what a folder of io/ says of its format, so that io/formats.c only lists the folders.
 * Room: io/shared. Does not know which formats there are. */
#ifndef CT_IO_FORMAT_H
#define CT_IO_FORMAT_H
#include "input.h"
#include <stdio.h>

enum { CT_FORMAT_START = 160 }; /* bytes at a file's start that tell its format, at most */

/* Every member may be NULL. */
typedef struct ct_format {
    const char *name; /* of files that can be described: "SIGPROC" */
    /* Whether a file that starts so is one of these; after a short file's bytes are zeros. */
    bool (*is)(const uint8_t *start, size_t bytes);
    /* Of formats that begin alike: whether the file is this one. They are asked before those that
     * do not say. */
    bool (*holds)(const char *file);
    const char *found; /* what a source of another format says that it found, and what to do */
    ct_status (*describe)(FILE *out, ct_input *in, ct_error *err);
    const ct_stage *source, *sink;
} ct_format;

/* io/formats.c; NULL at the end. */
extern const ct_format *const ct_formats[];

#endif

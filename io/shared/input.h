/* input.h: reading a file at any position, through a window that makes small reads cheap.
 * Room: io/shared. Knows files. Does not know formats. */
#ifndef CT_IO_INPUT_H
#define CT_IO_INPUT_H
#include "cornerturn_stage.h"

enum { CT_INPUT_WINDOW = 65536 };

typedef struct ct_input {
    const char *file; /* for messages; borrowed */
    int fd;           /* -1: not open */
    int64_t size;     /* bytes */
    int64_t at;       /* where the window starts */
    size_t have;      /* bytes in the window */
    uint8_t window[CT_INPUT_WINDOW];
} ct_input;

/* `file` must live as long as the input. On failure there is nothing to close. */
ct_status ct_input_open(ct_input *in, const char *file, ct_error *err);
/* Exactly `bytes` bytes; CT_DATA where the file ends before. */
ct_status ct_input_read(ct_input *in, int64_t position, void *to, size_t bytes, ct_error *err);
/* `rows` of `bytes` each, which follow each other in the file and are `stride` bytes apart in
 * memory. */
ct_status ct_input_read_rows(ct_input *in, int64_t position, void *to, int64_t stride, size_t bytes,
                             int64_t rows, ct_error *err);
/* A copy of a header's text that lives as long as the step; NULL if it is NULL or empty. */
const char *ct_input_text(ct_step *step, const char *text);
void ct_input_close(ct_input *in); /* closing twice is allowed */

#endif

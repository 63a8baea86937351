/* lofar_input.h: the bytes of a lane, from any source: files, one after the other, which can be
 * read anywhere; or a sequential input (a pipe, a socket), whose length is known at its end. What
 * is read in order passes through a buffer that stays in the processor's cache.
 * Room: io/lofar. Knows files and positions. Does not know packets. */
#ifndef CT_IO_LOFAR_INPUT_H
#define CT_IO_LOFAR_INPUT_H
#include "input.h"

/* Of a sequential input: at least one more byte to `to`, which has `room` bytes; none at the
 * end. */
typedef ct_status ct_lofar_input_pull(void *of, uint8_t *to, size_t room, size_t *got,
                                      ct_error *err);

typedef struct ct_lofar_input {
    ct_step *step;
    ct_lofar_input_pull *pull; /* NULL: files that can be read anywhere */
    void *of;                  /* pull's */
    const char *const *file;   /* names, borrowed */
    int64_t files;
    int64_t *begin;  /* position of each file's first byte, and the end of all; NULL: of one */
    int64_t size;    /* bytes of all; INT64_MAX: the end has not come */
    int64_t present; /* the file that is open */
    ct_input opened;
    int64_t at; /* position of the buffer's first byte */
    size_t have, room;
    size_t ahead;     /* bytes that are read at a time, at most; 0: as many as there is room for */
    uint8_t *buffer;  /* NULL: nothing is read in order */
    int64_t floor;    /* of a sequential input: nothing before it is needed any more */
    ct_status status; /* of pull */
    ct_error trouble;
} ct_lofar_input;

/* `step` has the memory; NULL: of a single file. An input must not be moved once it is open. */
ct_status ct_lofar_input_open(ct_lofar_input *input, ct_step *step, const char *const *file,
                              int64_t files, ct_error *err);
/* Of what comes once. */
void ct_lofar_input_open_pull(ct_lofar_input *input, ct_step *step, const char *name,
                              ct_lofar_input_pull *pull, void *of);
/* A buffer for packets of that many bytes. */
ct_status ct_lofar_input_make_buffer(ct_lofar_input *input, int64_t packet);
/* Whether there are this many bytes in all: waits for them. */
bool ct_lofar_input_reaches(ct_lofar_input *input, int64_t bytes);
/* Whether the buffer holds these bytes, or all of them that there are. */
bool ct_lofar_input_holds(const ct_lofar_input *input, int64_t at, int64_t bytes);
/* Fills the buffer from this position on; of a sequential input, as far as it has come, and what is
 * before is not needed any more. */
ct_status ct_lofar_input_load(ct_lofar_input *input, int64_t at, ct_error *err);
/* Of what the buffer holds. */
static inline const uint8_t *ct_lofar_input_at(const ct_lofar_input *input, int64_t at)
{
    return input->buffer + (at - input->at);
}
/* Anywhere; the buffer stays as it is. */
ct_status ct_lofar_input_read(ct_lofar_input *input, int64_t at, void *to, size_t bytes,
                              ct_error *err);
/* Which file has this byte, and its position there. */
const char *ct_lofar_input_file(const ct_lofar_input *input, int64_t at, int64_t *byte);
/* Whether pulling has failed. */
ct_status ct_lofar_input_check(const ct_lofar_input *input, ct_error *err);
void ct_lofar_input_close(ct_lofar_input *input); /* twice is allowed */

#endif

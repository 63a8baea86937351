/* lofar_input.c: see lofar_input.h.
 * Room: io/lofar. Knows files and positions. Does not know packets. */
#include "lofar_input.h"
#include <string.h>

enum { INPUT_BUFFER = 1 << 19, INPUT_PACKETS = 8 }; /* bytes, and packets at least */

static int64_t input_begin(const ct_lofar_input *input, int64_t file)
{
    if (input->begin) return input->begin[file];
    return file > 0 ? input->size : 0;
}

/* One file is open at a time. */
static ct_status input_turn_to(ct_lofar_input *input, int64_t file, ct_error *err)
{
    if (file == input->present && input->opened.fd >= 0) return CT_OK;
    ct_input_close(&input->opened);
    input->present = file;
    return ct_input_open(&input->opened, input->file[file], err);
}

static ct_status input_measure(ct_lofar_input *input, ct_error *err)
{
    ct_status status = CT_OK;
    for (int64_t i = input->files - 1; status == CT_OK && i >= 0; i--) {
        status = input_turn_to(input, i, err);
        if (input->begin) input->begin[i + 1] = input->opened.size;
        input->size += input->opened.size;
    }
    for (int64_t i = 0; input->begin && i < input->files; i++)
        input->begin[i + 1] += input->begin[i];
    return status;
}

ct_status ct_lofar_input_open(ct_lofar_input *input, ct_step *step, const char *const *file,
                              int64_t files, ct_error *err)
{
    input->step = step;
    input->file = file;
    input->files = files;
    input->opened.fd = -1;
    if (files > 1) input->begin = ct_step_alloc(step, (size_t)(files + 1) * sizeof *input->begin);
    if (files > 1 && !input->begin) return CT_FAILED;
    const ct_status status = input_measure(input, err);
    if (status != CT_OK) ct_lofar_input_close(input);
    return status;
}

void ct_lofar_input_open_pull(ct_lofar_input *input, ct_step *step, const char *name,
                              ct_lofar_input_pull *pull, void *of)
{
    input->step = step;
    input->files = 1;
    input->opened.file = name;
    input->opened.fd = -1;
    input->pull = pull;
    input->of = of;
    input->size = INT64_MAX;
}

ct_status ct_lofar_input_make_buffer(ct_lofar_input *input, int64_t packet)
{
    const size_t least = INPUT_PACKETS * (size_t)packet;
    input->room = least > INPUT_BUFFER ? least : INPUT_BUFFER;
    input->buffer = ct_step_alloc(input->step, input->room);
    return input->buffer ? CT_OK : CT_FAILED;
}

/* Reads more of a sequential input; false at its end, and if that fails. */
static bool input_pull(ct_lofar_input *input)
{
    size_t got = 0;
    if (input->status != CT_OK || input->size != INT64_MAX) return false;
    if (input->have == input->room) {
        const size_t gone = (size_t)(input->floor - input->at);
        input->have -= gone;
        input->at = input->floor;
        memmove(input->buffer, input->buffer + gone, input->have);
    }
    const size_t free = input->room - input->have, most = free < INPUT_BUFFER ? free : INPUT_BUFFER;
    if (most == 0)
        input->status = ct_error_add(&input->trouble, CT_DATA, "%s: a packet beyond %zu bytes",
                                     input->opened.file, input->room);
    else
        input->status =
            input->pull(input->of, input->buffer + input->have, most, &got, &input->trouble);
    input->have += got;
    if (input->status == CT_OK && got == 0) input->size = input->at + (int64_t)input->have;
    return got > 0;
}

bool ct_lofar_input_reaches(ct_lofar_input *input, int64_t bytes)
{
    if (!input->pull) return bytes <= input->size;
    while (input->at + (int64_t)input->have < bytes)
        if (!input_pull(input)) return false;
    return true;
}

bool ct_lofar_input_holds(const ct_lofar_input *input, int64_t at, int64_t bytes)
{
    const int64_t end = at + bytes < input->size ? at + bytes : input->size;
    return at >= input->at && end <= input->at + (int64_t)input->have;
}

/* Files that end in one another's packets are read across. */
static ct_status input_fetch(ct_lofar_input *input, int64_t at, uint8_t *to, size_t bytes,
                             ct_error *err)
{
    ct_status status = CT_OK;
    while (status == CT_OK && bytes > 0) {
        int64_t file = input->files > 1 ? input->present : 0;
        while (input->begin && file + 1 < input->files && input->begin[file + 1] <= at)
            file++;
        while (input->begin && input->begin[file] > at)
            file--;
        status = input_turn_to(input, file, err);
        const int64_t inside = at - input_begin(input, file), left = input->opened.size - inside;
        const bool last = file + 1 == input->files;
        const size_t now = last || (int64_t)bytes <= left ? bytes : (size_t)left;
        if (status == CT_OK) status = ct_input_read(&input->opened, inside, to, now, err);
        to += now, bytes -= now, at += (int64_t)now;
    }
    return status;
}

/* Moves what the buffer has from this position on to its front: how many bytes. */
static size_t input_keep(ct_lofar_input *input, int64_t at)
{
    const int64_t kept = input->at + (int64_t)input->have - at;
    if (at < input->at || kept <= 0) return 0;
    memmove(input->buffer, input->buffer + (at - input->at), (size_t)kept);
    return (size_t)kept;
}

ct_status ct_lofar_input_load(ct_lofar_input *input, int64_t at, ct_error *err)
{
    if (input->pull) {
        input->floor = at;
        (void)ct_lofar_input_reaches(input, at + 1);
        return ct_lofar_input_check(input, err);
    }
    const size_t kept = input_keep(input, at);
    const int64_t left = input->size - at - (int64_t)kept;
    size_t now = input->room - kept;
    if (input->ahead > 0 && input->ahead < now) now = input->ahead;
    if (left < (int64_t)now) now = (size_t)left;
    input->at = at;
    input->have = kept; /* so that a failure leaves nothing stale */
    const ct_status status = input_fetch(input, at + (int64_t)kept, input->buffer + kept, now, err);
    if (status == CT_OK) input->have += now;
    return status;
}

ct_status ct_lofar_input_check(const ct_lofar_input *input, ct_error *err)
{
    if (input->status == CT_OK || input->trouble.text[0] == 0) return input->status;
    return ct_error_add(err, input->status, "%s", input->trouble.text);
}

ct_status ct_lofar_input_read(ct_lofar_input *input, int64_t at, void *to, size_t bytes,
                              ct_error *err)
{
    if (input->pull) (void)ct_lofar_input_reaches(input, at + (int64_t)bytes);
    if (at >= input->at && at + (int64_t)bytes <= input->at + (int64_t)input->have) {
        memcpy(to, ct_lofar_input_at(input, at), bytes);
        return CT_OK;
    }
    if (input->pull) return CT_DATA;
    return input_fetch(input, at, to, bytes, err);
}

const char *ct_lofar_input_file(const ct_lofar_input *input, int64_t at, int64_t *byte)
{
    int64_t file = 0;
    while (input->begin && file + 1 < input->files && input->begin[file + 1] <= at)
        file++;
    *byte = at - input_begin(input, file);
    return input->file ? input->file[file] : input->opened.file;
}

void ct_lofar_input_close(ct_lofar_input *input)
{
    ct_input_close(&input->opened);
}

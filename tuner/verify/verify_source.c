/* verify_source.c: does a source that declares `split` read in parts what it reads as a whole?
 * Blocks of each half, by a step that is cut, are compared with that half of the whole's, to the
 * last bit, and so are the flags of its stations. Once per letter, in the first case that has two
 * or more along it. Room: tuner/verify. Knows cut steps. Does not know formats, or ranks. */
#include "fail.h"
#include "step_range.h"
#include "verify_inner.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCE_BLOCKS = 2 };

/* What a step has read. */
typedef struct source_tape {
    ct_array block[SOURCE_BLOCKS];
    uint8_t *flags[SOURCE_BLOCKS];
    int64_t got[SOURCE_BLOCKS];
    int64_t row; /* bytes of flags of a station */
} source_tape;

static void source_free(source_tape *tape)
{
    for (int i = 0; i < SOURCE_BLOCKS; i++) {
        ct_memory_free(tape->block[i].data);
        ct_memory_free(tape->flags[i]);
    }
}

/* Until the stream ends; samples after its end count as zero. */
static ct_status source_read_blocks(source_tape *tape, const ct_step *step, void *state,
                                    ct_error *err)
{
    ct_status status = CT_OK;
    const ct_array *port = &step->port[0];
    const int64_t samples = ct_array_extent(port, 'T');
    tape->row = ct_array_groups(port) * samples;
    for (int i = 0; i < SOURCE_BLOCKS; i++) {
        const size_t bytes = ct_array_bytes(port);
        const size_t flags = (size_t)(tape->row * ct_array_extent(port, 'S'));
        tape->block[i] = *port;
        tape->block[i].data = ct_memory_get(bytes);
        tape->flags[i] = ct_memory_get(flags);
        if (!tape->block[i].data || !tape->flags[i]) return ct_memory_fail(bytes + flags, err);
        if (i > 0 && tape->got[i - 1] < samples) continue;
        CT_TRY(ct_step_answer(
            step, step->stage->io.read(state, &tape->block[i], tape->flags[i], &tape->got[i], err),
            err));
    }
out:
    return status;
}

static ct_status source_read(source_tape *tape, ct_step *step, ct_error *err)
{
    ct_status status = CT_OK;
    void *state = NULL;
    *tape = (source_tape){0};
    CT_TRY(ct_step_plain(step, err));
    ct_array_dense(&step->port[0], NULL);
    if (step->stage->io.open)
        CT_TRY(ct_step_answer(step, step->stage->io.open(step, &state, err), err));
    status = source_read_blocks(tape, step, state, err);
    if (step->stage->io.close) (void)step->stage->io.close(state, false, NULL);
out:
    return status;
}

static ct_status source_differs(const ct_step *step, char dim, int64_t first, const char *what,
                                int block, ct_error *err)
{
    return ct_error_add(err, CT_MISMATCH,
                        "stage %s declares that it can be split along %c: part %lld.. by itself "
                        "gives other %s than as a part of the whole, in block %d",
                        step->stage->name, dim, (long long)first, what, block + 1);
}

static ct_status source_compare(const ct_step *step, const source_tape *whole,
                                const source_tape *part, char dim, int64_t first, ct_error *err)
{
    for (int i = 0; i < SOURCE_BLOCKS; i++) {
        const ct_array *own = &part->block[i];
        ct_array expected = *own;
        const size_t bytes = ct_array_bytes(own);
        const ct_array piece =
            ct_array_part(&whole->block[i], dim, first, ct_array_extent(own, dim));
        if (part->got[i] != whole->got[i])
            return source_differs(step, dim, first, "numbers of samples", i, err);
        expected.data = ct_memory_get(bytes);
        if (!expected.data) return ct_memory_fail(bytes, err);
        ct_copy_array(&expected, &piece);
        const bool same = memcmp(expected.data, own->data, bytes) == 0;
        ct_memory_free(expected.data);
        if (!same) return source_differs(step, dim, first, "samples", i, err);
        const int64_t rows = ct_array_extent(own, 'S');
        if (dim == 'S' && memcmp(whole->flags[i] + first * whole->row, part->flags[i],
                                 (size_t)(rows * part->row)) != 0)
            return source_differs(step, dim, first, "flags", i, err);
    }
    return CT_OK;
}

static ct_status source_try_part(verify_call *call, const ct_step *step, const source_tape *whole,
                                 char dim, int64_t first, int64_t count)
{
    ct_status status = CT_OK;
    ct_step *own = NULL;
    source_tape part = {0};
    CT_TRY(ct_step_copy(&own, step, call->err));
    ct_step_set_range(own, dim, first, count);
    CT_TRY(source_read(&part, own, call->err));
    call->report->others++;
    status = source_compare(step, whole, &part, dim, first, call->err);
    if (status == CT_MISMATCH) {
        call->report->wrong++;
        status = CT_OK;
    }
out:
    source_free(&part);
    ct_step_free(own);
    return status;
}

static ct_status source_try(verify_call *call, const ct_step *step, char dim)
{
    ct_status status = CT_OK;
    ct_step *copy = NULL;
    source_tape whole = {0};
    const int64_t all = ct_array_extent(&step->port[0], dim), cut = all / 2;
    CT_TRY(ct_step_copy(&copy, step, call->err));
    CT_TRY(source_read(&whole, copy, call->err));
    const int64_t wrong = call->report->wrong;
    CT_TRY(source_try_part(call, step, &whole, dim, cut, all - cut));
    if (call->report->wrong == wrong) CT_TRY(source_try_part(call, step, &whole, dim, 0, cut));
out:
    source_free(&whole);
    ct_step_free(copy);
    return status;
}

/* "T=64": samples of a block; the rest follows from the parameters. */
static ct_status source_block(ct_step *step, const ct_case *given, int number, ct_error *err)
{
    const int64_t samples =
        strncmp(given->extents, "T=", 2) == 0 ? strtoll(given->extents + 2, NULL, 10) : 0;
    const int place = ct_array_find(&step->port[0], 'T');
    if (samples < 1 || place < 0)
        return ct_error_add(err, CT_INVALID,
                            "stage %s: case %d: expected the samples of a source's block as "
                            "extents, such as \"T=64\"",
                            step->stage->name, number);
    step->port[0].extent[place] = samples;
    ct_array_dense(&step->port[0], NULL);
    return CT_OK;
}

static ct_status source_case(verify_call *call, int number)
{
    ct_status status = CT_OK;
    const ct_case *given = &call->stage->verify.cases[number - 1];
    ct_value *params = NULL;
    ct_step *step = NULL;
    CT_TRY(ct_value_parse(&params, given->params ? given->params : "{}", call->stage->name,
                          call->err));
    CT_TRY(ct_step_new(&step, call->stage, call->stage->name, params, NULL,
                       &(ct_source_location){0}, call->err));
    CT_TRY(ct_step_infer(step, call->err));
    CT_TRY(source_block(step, given, number, call->err));
    for (const char *dim = step->port[0].dim; *dim; dim++) {
        if (!ct_step_reads_range(step, *dim) || strchr(call->split, *dim)) continue;
        if (ct_array_extent(&step->port[0], *dim) < 2) continue;
        call->split[strlen(call->split)] = *dim;
        if (ct_verify_is_in_part(call)) CT_TRY(source_try(call, step, *dim));
    }
out:
    ct_step_free(step);
    ct_value_free(params);
    return status;
}

ct_status ct_verify_source(verify_call *call, int number)
{
    return call->stage->io.read ? source_case(call, number) : CT_OK;
}

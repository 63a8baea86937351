/* caller.h: what the tests of source.caller and sink.caller share: a program's own samples, in its
 * own order, and a place for what comes out.
 *
 * Room: tests. */
#ifndef CT_TESTS_CALLER_H
#define CT_TESTS_CALLER_H
#include "contract.h"

/* A program's array in natural order, along T as long as it gets. */
typedef struct caller_samples {
    const char *data; /* what read() gives, T slowest */
    char *taken;      /* what write() was given, T slowest */
    int64_t count;    /* samples along T that are there; room for so many in `taken` */
    int64_t at;       /* samples along T given or taken so far */
    int calls;
} caller_samples;

/* Bytes of one sample along T: all other dimensions. */
static inline int64_t caller_unit(const ct_array *block)
{
    const int64_t others = ct_array_count(block) / ct_array_extent(block, 'T');
    return others * (int64_t)(ct_type_bits(block->type) / 8);
}

/* Copies sample t of the block to or from dense bytes, in natural order but for T. */
static inline void caller_move(const ct_array *block, int64_t t, char *dense, bool out)
{
    const int64_t unit = (int64_t)(ct_type_bits(block->type) / 8), all = caller_unit(block) / unit;
    for (int64_t n = 0; n < all; n++) {
        int64_t rest = n, at = block->offset + t * ct_array_stride(block, 'T');
        for (int d = block->rank - 1; d >= 0; d--) {
            if (block->dim[d] == 'T') continue;
            at += rest % block->extent[d] * block->stride[d];
            rest /= block->extent[d];
        }
        char *there = (char *)block->data + at * unit, *here = dense + n * unit;
        memcpy(out ? here : there, out ? there : here, (size_t)unit);
    }
}

static inline ct_status caller_read(void *state, ct_array *block, uint8_t *flags, int64_t *got,
                                    ct_error *err)
{
    caller_samples *from = (caller_samples *)state;
    const int64_t all = ct_array_extent(block, 'T'), left = from->count - from->at;
    (void)flags, (void)err;
    from->calls++;
    *got = left < all ? left : all;
    for (int64_t t = 0; t < *got; t++)
        caller_move(block, t, (char *)from->data + (from->at + t) * caller_unit(block), false);
    from->at += *got;
    return CT_OK;
}

static inline ct_status caller_write(void *state, const ct_array *block, int64_t first,
                                     int64_t count, ct_error *err)
{
    caller_samples *to = (caller_samples *)state;
    to->calls++;
    if (count > to->count - to->at)
        return ct_error_add(err, CT_FAILED, "more samples came than there is room for");
    for (int64_t t = first; t < first + count; t++)
        caller_move(block, t, to->taken + to->at++ * caller_unit(block), true);
    return CT_OK;
}

static inline void caller_bind(ct_run *run, const char *node, caller_samples *samples)
{
    ct_error err = {0};
    const ct_io io = {sizeof io, samples, samples->data ? caller_read : NULL,
                      samples->data ? NULL : caller_write, NULL};
    contract_must(ct_run_bind(run, node, &io, &err), &err);
}

/* All blocks, and the end. */
static inline void caller_run(ct_run *run)
{
    ct_error err = {0};
    ct_status status = CT_OK;
    while (status == CT_OK)
        status = ct_run_block(run, &err);
    if (status != CT_EOF) fail_msg("status %d: %s", (int)status, err.text);
    contract_must(ct_run_finish(run, &err), &err);
}

/* What the file in the test's folder holds is this. */
static inline void caller_compare(const contract *c, const char *file, const char *expected,
                                  size_t bytes)
{
    char path[320], found[65536];
    snprintf(path, sizeof path, "%s/%s", c->folder, file);
    FILE *from = fopen(path, "r");
    if (!from) fail_msg("%s is not there", file);
    assert_int_equal(fread(found, 1, sizeof found, from), bytes);
    fclose(from);
    assert_memory_equal(found, expected, bytes);
}

#endif

/* fuzz_source.c: see fuzz_source.h.
 * Room: tests/fuzz. Knows core/step/step.h. Does not know formats. */
#include "fuzz_source.h"

#include "layout.h"
#include "step.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 3, SAMPLES = 50, MOST = 1 << 22 };

ct_step *fuzz_step(ct_value **value, const ct_stage *stage, const char *json, const ct_array *input)
{
    ct_step *step = NULL;
    ct_error err = {0};
    ct_source_location location = {.folder = fuzz_folder()};
    ct_status status = ct_value_parse(value, json, "fuzz", &err);
    if (status == CT_OK) status = ct_step_new(&step, stage, "node", *value, NULL, &location, &err);
    if (status == CT_OK && input) step->port[0] = *input;
    if (status == CT_OK) status = ct_step_infer(step, &err);
    fuzz_said(status, &err);
    if (status == CT_OK) return step;
    ct_step_free(step);
    return NULL;
}

static void read_blocks(const ct_stage *stage, void *state, ct_array *block, uint8_t *flags)
{
    int64_t got = 0;
    for (int i = 0; i < BLOCKS; i++) {
        ct_error err = {0};
        const ct_status status = stage->io.read(state, block, flags, &got, &err);
        fuzz_said(status, &err);
        if (status != CT_OK) return;
        if (got < 0 || got > SAMPLES) fuzz_fail("more samples than a block has");
    }
}

/* A block in the file's order or in the opposite one; NULL data where it would be a large one. */
static ct_array make_block(const ct_step *step)
{
    ct_array block = step->port[0];
    ct_layout layout = ct_layout_natural(&block);
    const int t = ct_array_find(&block, 'T');
    for (int i = 0; i < layout.rank && block.meta.total % 2; i++)
        layout.dim[i] = block.dim[block.rank - 1 - i];
    if (t < 0) fuzz_fail("a source without time");
    block.extent[t] = SAMPLES;
    for (int64_t count = 1, i = 0; i < block.rank; i++) {
        if (block.extent[i] < 1) fuzz_fail("a source without elements");
        if (__builtin_mul_overflow(count, block.extent[i], &count) || count > MOST / 16)
            return block;
    }
    ct_array_dense(&block, &layout);
    block.data = malloc(ct_array_bytes(&block));
    return block;
}

static void open_and_read(ct_step *step)
{
    void *state = NULL;
    ct_error err = {0};
    const ct_stage *stage = step->stage;
    ct_array block = make_block(step);
    ct_status status = stage->io.open(step, &state, &err);
    fuzz_said(status, &err);
    if (status == CT_OK && block.data) {
        const int64_t rows = ct_array_extent(&block, 'S') * ct_array_groups(&step->port[0]);
        uint8_t *flags = malloc((size_t)rows * SAMPLES);
        read_blocks(stage, state, &block, flags);
        free(flags);
    }
    if (status == CT_OK) (void)stage->io.close(state, false, &err);
    free(block.data);
}

void fuzz_source(const ct_stage *stage, const char *json, const char *file)
{
    ct_value *value = NULL;
    ct_error err = {0};
    char *text = NULL, *plain = fuzz_json(json);
    ct_step *step = fuzz_step(&value, stage, plain, NULL);
    if (step) open_and_read(step);
    ct_step_free(step);
    ct_value_free(value);
    if (file) fuzz_said(ct_describe_file(&text, file, &err), &err);
    free(text);
    free(plain);
}

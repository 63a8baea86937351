/* transpose.c: the data sheet of the transpose: the same array in another order.
 *
 * Room: stages/transpose. Knows strides. Does not know which layouts are worth a transpose.
 * Called by: the library through ct_stage_transpose: infer, emit, launch, reference. */
#include "transpose.h"

#include <inttypes.h>

#include "transpose_cl.h"

static ct_status infer(ct_step *step, ct_error *err)
{
    const ct_array *x = ct_step_array(step, "X");
    if (x->rank <= 6) return CT_OK;
    return ct_step_fail(step, "input", err, "the input has %d dimensions, expected at most 6",
                        x->rank);
}

static const char *word_of(ct_type type)
{
    switch (ct_type_bits(type)) {
    case 8:
        return "uchar";
    case 16:
        return "ushort";
    case 32:
        return "uint";
    default:
        return "ulong";
    }
}

/* Work-items are counted along the output's memory; a coordinate is a quotient and a remainder. */
static void emit_side(ct_text *text, const char *name, const ct_array *side, const ct_array *y)
{
    int64_t count = 1;
    ct_text_add(text, "#define %s(id) (%" PRId64 "L", name, side->offset);
    for (int k = y->layout.rank - 1; k >= 0; k--) {
        const char dim = y->layout.dim[k];
        const int64_t extent = ct_array_extent(y, dim);
        ct_text_add(text, " + (id) / %" PRId64 " %% %" PRId64 " * %" PRId64 "L", count, extent,
                    ct_array_stride(side, dim));
        count *= extent;
    }
    ct_text_add(text, ")\n");
}

static ct_status emit(const ct_step *step, ct_text *text, ct_error *err)
{
    const ct_array *x = ct_step_array(step, "X"), *y = ct_step_array(step, "Y");
    (void)err;
    ct_text_add(text, "#define TURN_WORD %s\n", word_of(x->type));
    emit_side(text, "TURN_FROM", x, y);
    emit_side(text, "TURN_TO", y, y);
    return CT_OK;
}

static int launch(const ct_step *step, ct_launch *out)
{
    out[0].global[0] = (size_t)ct_array_count(ct_step_array(step, "Y"));
    out[0].global[1] = out[0].global[2] = 1;
    return 1;
}

static const ct_case cases[] = {
    {NULL, "S=5 P=2 T=19 C=11", "cf32", NULL},
    {NULL, "S=3 T=17 C=7", "ci8", NULL},
    {NULL, "S=3 P=2 T=13", "u8", NULL},
    {0},
};

const ct_stage ct_stage_transpose = {
    .api = CT_API,
    .version = 1,
    .name = "transpose",
    .summary = "the same array in another order, bit by bit",
    .ports = {{"X", CT_IN, 0, "*", "ci4 ci8 ci16 ci32 u8 u16 u32 i8 i16 i32 f16 f32 cf16 cf32", "*",
               NULL, "any array of up to six dimensions"},
              {"Y", CT_OUT, 0, "*", "=X", "*", NULL, "the same array"}},
    .cases = cases,
    .source = transpose_cl,
    .source_name = "stages/transpose/transpose.cl",
    .entry = "transpose",
    .infer = infer,
    .emit = emit,
    .launch = launch,
    .reference = ct_transpose_reference,
};

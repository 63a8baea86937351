/* transpose.c: the data sheet of the transpose: the same array in another order.
 *
 * Room: stages/transpose. Knows strides. Does not know which layouts are worth a transpose. */
#include "transpose.h"

#include "transpose_cl.h"

static ct_status infer(ct_step *step, ct_error *err)
{
    const ct_array *x = ct_step_array(step, "X");
    if (x->rank <= 6) return CT_OK;
    return ct_step_fail(step, "input", err, "the input has %d dimensions, expected at most 6",
                        x->rank);
}

static const ct_tunable tunables[] = {
    {"WG", "1 64 256", "1", "256", "work-items of a work-group"},
    {"BOXES_X", "1 4 16", "16", "1",
     "boxes that a work-item moves, along the input's fastest dimension"},
    {"BOXES_Y", "1 2 4 8", "1", "1", "boxes that a work-item moves, along the output's"},
    {"LINES_Y", "1 2", "2", "1", "cache lines of a box, along the output's fastest dimension"},
    {"NONTEMPORAL", "0 1", "1", "0", "1: stores bypass the caches"},
    {"STAGED", "0 1", "0", "0", "1: boxes gather in a buffer, so that rows are long on both sides"},
    {0},
};

static const ct_case cases[] = {
    {NULL, "S=5 P=2 T=19 C=11", "cf32", NULL},
    {NULL, "S=3 T=17 C=7", "ci8", NULL},
    {NULL, "S=3 P=2 T=13", "u8", NULL},
    {NULL, "S=3 T=5 C=7", "ci64", NULL},
    {0},
};

const ct_stage ct_stage_transpose = {
    .api = CT_API,
    .version = 1,
    .name = "transpose",
    .summary = "the same array in another order, bit by bit",
    .ports = {[CT_TRANSPOSE_X] = {"X", CT_IN, 0, "*",
                                  "ci4 ci8 ci16 ci32 ci64 u8 u16 u32 i8 i16 i32 f16 f32 cf16 cf32",
                                  "*", NULL, "any array of up to six dimensions"},
              [CT_TRANSPOSE_Y] = {"Y", CT_OUT, 0, "*", "=X", "*", NULL, "the same array"}},
    .split = "*",
    .infer = infer,
    .tuning =
        {.tunables = tunables,
         .where =
             "(!STAGED || NONTEMPORAL == 1) && (!STAGED || LINES_Y == 1) && "
             "(WG == 1 || !STAGED) && (WG == 1 || BOXES_X == 1) && (WG == 1 || BOXES_Y == 1) && "
             "(WG == 1 || LINES_Y == 1) && (WG == 1 || NONTEMPORAL == 0)"},
    .kernel = {.text = transpose_cl,
               .name = "stages/transpose/transpose.cl",
               .entry = "transpose",
               .launch = ct_transpose_stage_launch,
               .emit = ct_transpose_stage_emit},
    .verify = {.cases = cases, .reference = ct_transpose_reference},
};

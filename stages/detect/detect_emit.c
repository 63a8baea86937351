/* detect_emit.c: definitions before the kernel: the walk through the arrays, as literals.
 * Room: stages/detect. Knows the walk. Does not know layouts beyond strides. */
#include "detect.h"
#include "detect_numbers_cl.h"
#include "stokes.h"

static void emit_numbers(ct_text *text)
{
    ct_text_add(text, "#line 1 \"stages/detect/detect_numbers.cl\"\n%s", detect_numbers_cl);
}

ct_status ct_detect_emit(const ct_step *step, ct_text *text, ct_error *err)
{
    static const char letters[] = "BTC";
    detect_walk walk = ct_detect_walk(step);
    (void)err;
    ct_stokes_emit(text);
    if (ct_step_tunable(step, "TILED")) {
        ct_text_add(text, "#define WIDTH 8\n");
        emit_numbers(text);
        return CT_OK;
    }
    for (int k = 0; k < DETECT_DIMS; k++) {
        int dim = walk.axis[k];
        ct_text_add(text, "#define FIRST_%c ((int)get_global_id(%d) * %lld)\n", letters[dim], k,
                    (long long)walk.box[dim]);
        ct_text_add(text, "#define BOX_%c %lld\n", letters[dim], (long long)walk.box[dim]);
        ct_text_add(text, "#define ALONG_%c %d\n", letters[dim], k == 0);
    }
    ct_text_add(text, "#define WIDTH %lld\n#define PAIRS %d\n#define UNIT %d\n#define WITHIN %d\n",
                (long long)walk.width, walk.pairs, walk.unit, walk.within);
    emit_numbers(text);
    return CT_OK;
}

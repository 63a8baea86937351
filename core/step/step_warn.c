/* step_warn.c: what a stage finds valid and hardly meant while shapes are inferred.
 * Room: core/step. Keeps sentences. Does not know who reads them. */
#include "step_inner.h"

enum { SENTENCE = 1024 };

void ct_step_warn(ct_step *step, const char *format, ...)
{
    ct_step_inner *inner = ct_step_in(step);
    char sentence[SENTENCE];
    va_list args;
    va_start(args, format);
    ct_number_print_args(sentence, sizeof sentence, format, args);
    va_end(args);
    inner->warned = ct_arena_print(inner->arena, "%s%s%s", inner->warned ? inner->warned : "",
                                   inner->warned ? "\n" : "", sentence);
}

const char *ct_step_warned(const ct_step *step)
{
    const char *warned = ct_step_in(step)->warned;
    return warned ? warned : "";
}

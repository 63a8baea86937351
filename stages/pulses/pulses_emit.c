/* pulses_emit.c: definitions before the kernel: how series are cut, as literals.
 * Room: stages/pulses. Knows lengths. Does not know layouts. */
#include "pulses.h"

ct_status ct_pulses_emit(const ct_step *step, ct_text *text, ct_error *err)
{
    const pulses_cut *cut = step->state;
    const double clip = ct_step_real(step, "clip");
    (void)err;
    ct_text_add(text, "#define BIN %lld\n#define PART %lld\n", (long long)cut->bin,
                (long long)cut->part);
    ct_text_add(text, "#define HALO %lld\n#define HALO_PARTS %lld\n", (long long)cut->halo,
                (long long)cut->halo_parts);
    ct_text_add(text, "#define CLIP %.9ef\n#define GAIN %.9ef\n", clip, ct_pulses_gain(clip));
    return CT_OK;
}

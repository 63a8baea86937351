/* beamformer_emit.c: what both stages put before beamformer.cl: detection, and the group's kernel.
 * Room: stages/beamformer. Knows the pieces of kernel text. Does not know which suits. */
#include "beamdetect_cl.h"
#include "beamdetect_count_cl.h"
#include "beamformer.h"
#include "beamformer_count_cl.h"
#include "beamformer_group_cl.h"
#include "stokes.h"

ct_status ct_beamformer_emit(const ct_step *step, ct_text *text, ct_error *err)
{
    (void)err;
    ct_text_add(text, "/* of beams that move: which weights */\n"
                      "#if HAVE_W && W_N_K > 1\n"
                      "#define SEGMENT(t) ((t) / (X_N_T / W_N_K))\n"
                      "#else\n"
                      "#define SEGMENT(t) 0\n"
                      "#endif\n");
    if (ct_beamformer_detects(step)) {
        ct_stokes_emit(text);
        ct_text_add(text, "#define FUSED 1\n#line 1 \"stages/beamformer/beamdetect.cl\"\n%s\n",
                    beamdetect_cl);
    }
    if (ct_step_tunable(step, "WG") > 1 && ct_beamformer_is_coherent(step))
        ct_text_add(text, "#line 1 \"stages/beamformer/beamformer_group.cl\"\n%s\n",
                    beamformer_group_cl);
    if (ct_beamformer_counts(step))
        ct_text_add(text, "#line 1 \"stages/beamformer/%s_count.cl\"\n%s\n", step->stage->name,
                    ct_beamformer_detects(step) ? beamdetect_count_cl : beamformer_count_cl);
    return CT_OK;
}

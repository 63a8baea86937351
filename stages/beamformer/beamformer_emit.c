/* beamformer_emit.c: what both stages put before beamformer.cl: detection, and the group's kernel.
 * Room: stages/beamformer. Knows the pieces of kernel text. Does not know which suits. */
#include "beamdetect_cl.h"
#include "beamdetect_count_cl.h"
#include "beamformer.h"
#include "beamformer_count_cl.h"
#include "beamformer_group_cl.h"
#include "beamformer_mma_cl.h"
#include "stokes.h"

/* Of beams that move: which weights. */
static void emit_segments(const ct_step *step, ct_text *text)
{
    const ct_beams *beams = step->state;
    if (ct_array_extent(&step->port[CT_BEAMFORMER_W], 'K') > 1)
        ct_text_add(text, "#define SEGMENT(t) (((t)%s) / %lld)\n",
                    step->port[CT_BEAMFORMER_N].type == CT_NONE ? "" : " - N(0)",
                    (long long)beams->segment);
    else
        ct_text_add(text, "#define SEGMENT(t) 0\n");
}

ct_status ct_beamformer_emit(const ct_step *step, ct_text *text, ct_error *err)
{
    (void)err;
    emit_segments(step, text);
    if (ct_beamformer_detects(step)) {
        ct_stokes_emit(text);
        ct_text_add(text, "#define FUSED 1\n#line 1 \"stages/beamformer/beamdetect.cl\"\n%s\n",
                    beamdetect_cl);
    }
    if (ct_step_tunable(step, "DOT") == 2)
        ct_text_add(text, "#define MMA %d\n#line 1 \"stages/beamformer/beamformer_mma.cl\"\n%s\n",
                    ct_beamformer_takes_mma(step), beamformer_mma_cl);
    if (ct_step_tunable(step, "WG") > 1 && ct_beamformer_is_coherent(step))
        ct_text_add(text, "#line 1 \"stages/beamformer/beamformer_group.cl\"\n%s\n",
                    beamformer_group_cl);
    if (ct_beamformer_counts(step))
        ct_text_add(text, "#line 1 \"stages/beamformer/%s_count.cl\"\n%s\n", step->stage->name,
                    ct_beamformer_detects(step) ? beamdetect_count_cl : beamformer_count_cl);
    return CT_OK;
}

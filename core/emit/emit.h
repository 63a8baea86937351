/* emit.h: a step -> its complete OpenCL source. A pure function: same step, same text.
 * Room: core/emit. */
#ifndef CT_CORE_EMIT_H
#define CT_CORE_EMIT_H
#include "cornerturn_stage.h"

/* Header comment, types, extents, tunables, accessors, ids, CT_ARGS, tiles, stage->emit(), then
 * #line 1 "stages/fir/fir.cl" and the stage's text. Adds nothing for stages without `source`. */
ct_status ct_emit_source(ct_text *out, const ct_step *step, ct_error *err);
/* The launches: from stage->launch or `parallel`. Returns how many; -1 with *err set. */
int ct_emit_launches(const ct_step *step, ct_launch out[CT_LAUNCHES], ct_error *err);

#endif

/* transpose_tune.c: the copy that the tunables describe, and its launch.
 * Room: stages/transpose. Knows the tunables' names. Does not know how a copy runs. */
#include "transpose.h"

ct_transpose ct_transpose_stage_copy(const ct_step *step)
{
    return (ct_transpose){
        .from = ct_step_array(step, "X"),
        .to = ct_step_array(step, "Y"),
        .along_from = ct_step_tunable(step, "BOXES_X"),
        .along_to = ct_step_tunable(step, "BOXES_Y"),
        .lines = ct_step_tunable(step, "LINES_Y"),
        .group = ct_step_tunable(step, "WG"),
        .nontemporal = ct_step_tunable(step, "NONTEMPORAL") != 0,
        .staged = ct_step_tunable(step, "STAGED") != 0,
    };
}

int ct_transpose_stage_launch(const ct_step *step, ct_launch *out)
{
    const ct_transpose transpose = ct_transpose_stage_copy(step);
    ct_transpose_launch(out, &transpose);
    return 1;
}

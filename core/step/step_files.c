/* step_files.c: the files that a sink makes.
 * Room: core/step. Knows drafts. Does not know when they are whole. */
#include "step_inner.h"

static bool step_is_stopped(const void *step)
{
    return ct_step_stopped(step);
}

ct_status ct_step_create(ct_step *step, const char *file, ct_draft *out, ct_error *err)
{
    ct_step_inner *inner = ct_step_in(step);
    if (!inner->drafts) inner->drafts = ct_drafts_new();
    return ct_drafts_add(inner->drafts, file, step_is_stopped, step, out, err);
}

ct_drafts *ct_step_drafts(const ct_step *step)
{
    return ct_step_in(step)->drafts;
}

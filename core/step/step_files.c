/* step_files.c: the files that a sink makes, and those that a source keeps open.
 * Room: core/step. Knows staged. Does not know when they are whole. */
#include "fail.h"
#include "step_inner.h"
#include <unistd.h>

typedef struct ct_step_open_file {
    int handle;
    struct ct_step_open_file *next;
} ct_step_open_file;

ct_status ct_step_keep_open(ct_step *step, int handle)
{
    if (!step) return CT_USAGE;
    ct_step_inner *inner = ct_step_in(step);
    ct_step_open_file *file = ct_arena_get(inner->arena, sizeof *file);
    if (!file) {
        close(handle);
        return CT_FAILED;
    }
    *file = (ct_step_open_file){handle, inner->open_files};
    inner->open_files = file;
    return CT_OK;
}

void ct_step_close_open(ct_step *step)
{
    for (ct_step_open_file *file = ct_step_in(step)->open_files; file; file = file->next)
        close(file->handle);
}

static bool step_is_stopped(const void *step)
{
    return ct_step_stopped(step);
}

ct_status ct_step_create(ct_step *step, const char *file, ct_output_file *out, ct_error *err)
{
    CT_GIVEN(err, step, file, out);
    ct_status status = CT_OK;
    ct_step_inner *inner = ct_step_in(step);
    *out = (ct_output_file){.handle = -1};
    if (!inner->staged) CT_TRY(ct_staged_new(&inner->staged, err));
    CT_TRY(ct_staged_add(inner->staged, file, step_is_stopped, step, out, err));
out:
    return status;
}

ct_status ct_step_create_folder(ct_step *step, const char *file, ct_output_file *out, ct_error *err)
{
    CT_GIVEN(err, step, file, out);
    ct_status status = CT_OK;
    ct_step_inner *inner = ct_step_in(step);
    *out = (ct_output_file){.handle = -1};
    if (!inner->staged) CT_TRY(ct_staged_new(&inner->staged, err));
    CT_TRY(ct_staged_add_folder(inner->staged, file, out, err));
out:
    return status;
}

ct_status ct_step_set_resumable(ct_step *step, ct_error *err)
{
    ct_status status = CT_OK;
    ct_step_inner *inner = ct_step_in(step);
    if (!inner->staged) CT_TRY(ct_staged_new(&inner->staged, err));
    ct_staged_set_resumable(inner->staged, true);
out:
    return status;
}

ct_status ct_step_join(ct_step *step, const ct_resumable *list, size_t count, ct_error *err)
{
    ct_status status = CT_OK;
    ct_step_inner *inner = ct_step_in(step);
    if (!inner->staged) CT_TRY(ct_staged_new(&inner->staged, err));
    ct_staged_join(inner->staged, list, count);
out:
    return status;
}

const char *ct_step_incomplete(const ct_step *step)
{
    if (!step) return NULL;
    return ct_step_in(step)->incomplete;
}

void ct_step_set_incomplete(ct_step *step, const char *why)
{
    ct_step_in(step)->incomplete = ct_arena_copy(ct_step_in(step)->arena, why);
}

ct_staged *ct_step_staged(const ct_step *step)
{
    return ct_step_in(step)->staged;
}

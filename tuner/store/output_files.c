/* output_files.c: see output_files.h.
 * Room: tuner/store. */
#include "output_files.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"

#include "fail.h"
#include "file.h"
#include "file_conflicts.h"
#include "memory.h"
#include "output_path.h"

static ct_status files_one(const ct_graph *graph, const char *file, const char *what, ct_error *err)
{
    if (!file) return CT_OK;
    const ct_status status = ct_file_conflicts_check_file(graph, file, what, true, err);
    const char *lacks = status == CT_OK ? ct_output_path_problem(file, false) : NULL;
    if (!lacks) return status;
    return ct_error_add(err, CT_DATA, "%s: %s cannot be written: %s", file, what, lacks);
}

/* Two of them that are one file. */
static ct_status files_apart(const ct_tune *o, ct_error *err)
{
    const char *const files[] = {o->plan, o->journal, o->costs};
    static const char *const what[] = {"the plan", "the journal", "the costs"};
    ct_status status = CT_OK;
    ct_arena *arena = ct_arena_new();
    ct_file_id id[3];
    CT_NEED(arena, 0, err);
    for (int i = 0; i < 3 && status == CT_OK; i++) {
        if (!files[i]) continue;
        ct_file_identify(&id[i], files[i], arena);
        for (int k = 0; k < i && status == CT_OK; k++)
            if (files[k] && id[i].any && ct_file_id_compare(&id[i], &id[k]) == 0)
                status = ct_error_add(err, CT_USAGE, "%s: cannot be both %s and %s", files[i],
                                      what[k], what[i]);
    }
    if (status == CT_OK) status = ct_arena_check(arena, err);
out:
    ct_arena_free(arena);
    return status;
}

ct_status ct_output_files_check(const ct_graph *graph, const ct_tune *options, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(files_apart(options, err));
    CT_TRY(files_one(graph, options->plan, "the plan", err));
    CT_TRY(files_one(graph, options->journal, "the journal", err));
out:
    return status;
}

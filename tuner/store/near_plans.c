/* near_plans.c: see near_plans.h.
 * Room: tuner/store. */
#include "near_plans.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "fail.h"
#include "plan_adapt.h"
#include "plan_key.h"
#include "store_folder.h"

enum { NEAR_MOST = 256, NEAR_BYTES = 16 << 20 };

bool ct_near_plans_is_whole(const ct_value *root)
{
    const ct_value *tuned = ct_value_get(root, "tuned");
    return ct_value_bool(ct_value_get(tuned, "complete"), false) && !ct_value_get(tuned, "only") &&
           !ct_value_get(tuned, "memory");
}

static ct_status near_differ(ct_near_plans *all, ct_near_plan *plan, const ct_device *device,
                             ct_error *err)
{
    ct_text why = {0};
    ct_status status = CT_OK;
    if (device) status = ct_plan_key_differs(&why, ct_value_get(plan->root, "key"), device, err);
    plan->device_why = ct_arena_copy(all->arena, why.data ? why.data : "");
    ct_text_free(&why);
    return status;
}

/* *fits: it is for as many ranks. */
static ct_status near_read(ct_near_plans *all, ct_near_plan *plan, const char *file,
                           const ct_graph *graph, const ct_device *device, bool *fits,
                           ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(ct_value_load(&plan->root, file, err));
    const int64_t ranks = ct_value_int(ct_value_get(ct_value_get(plan->root, "ranks"), "size"), 1);
    *fits = ranks == ct_ranks_size(graph->ranks);
    if (!*fits) goto out;
    CT_TRY(ct_graph_key_read(&plan->key, ct_value_get(plan->root, "key"), err));
    const size_t bytes = sizeof *plan->other * (size_t)(plan->key.count + 1);
    plan->other = ct_arena_get(all->arena, bytes);
    CT_NEED(plan->other, bytes, err);
    CT_TRY(ct_graph_key_compare(&plan->match, plan->other, &plan->key, &all->here, err));
    CT_TRY(near_differ(all, plan, device, err));
    plan->file = ct_arena_copy(all->arena, file);
    plan->whole = ct_near_plans_is_whole(plan->root);
    plan->ratio = ct_value_real(ct_value_get(ct_value_get(plan->root, "tuned"), "ratio"), 1);
    CT_TRY(ct_arena_check(all->arena, err));
out:
    return status;
}

static void near_forget(ct_near_plan *plan)
{
    ct_graph_key_free(&plan->key);
    ct_value_free(plan->root);
    *plan = (ct_near_plan){0};
}

static ct_status near_begin(ct_near_plans *out, const ct_graph *graph, ct_error *err)
{
    ct_status status = CT_OK;
    *out = (ct_near_plans){.unread = "", .arena = ct_arena_new()};
    CT_NEED(out->arena, 0, err);
    out->plan = ct_arena_get(out->arena, sizeof *out->plan * NEAR_MOST);
    CT_NEED(out->plan, sizeof *out->plan * NEAR_MOST, err);
    CT_TRY(ct_graph_key_make(&out->here, graph, err));
out:
    return status;
}

void ct_near_plans_free(ct_near_plans *plans)
{
    for (int i = 0; i < plans->count; i++)
        near_forget(&plans->plan[i]);
    ct_graph_key_free(&plans->here);
    ct_arena_free(plans->arena);
    *plans = (ct_near_plans){0};
}

ct_status ct_near_plans_read(ct_near_plans *out, const ct_graph *graph, const ct_device *device,
                             const char *file, ct_error *err)
{
    ct_status status = CT_OK;
    bool fits;
    CT_TRY(near_begin(out, graph, err));
    out->count = 1;
    CT_TRY(near_read(out, &out->plan[0], file, graph, device, &fits, err));
    if (!fits)
        CT_TRY(ct_error_add(err, CT_INVALID, "%s: it was tuned for another number of ranks", file));
out:
    if (status != CT_OK) ct_near_plans_free(out);
    return status;
}

/* ---- the folder */

/* What is no plain file of a sensible size nobody has stored: it is not even opened. */
static bool near_is_file(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= NEAR_BYTES;
}

static ct_status near_add(ct_near_plans *all, const char *path, const ct_graph *graph,
                          const ct_device *device, ct_error *err)
{
    ct_error why = {0};
    bool fits = false;
    ct_near_plan *plan = &all->plan[all->count];
    const ct_status status = near_is_file(path)
                                 ? near_read(all, plan, path, graph, device, &fits, &why)
                                 : ct_error_add(&why, CT_DATA, "it is no plan's file");
    if (status == CT_FAILED) return ct_error_pass(err, status, &why);
    if (status == CT_OK && fits) {
        all->count++;
        return CT_OK;
    }
    near_forget(plan);
    if (status != CT_OK && !*all->unread)
        all->unread = ct_arena_print(all->arena, "%s%s%.*s", strstr(why.text, path) ? "" : path,
                                     strstr(why.text, path) ? "" : ": ",
                                     (int)strcspn(why.text, "\n"), why.text);
    return CT_OK;
}

static int near_order(const void *a, const void *b)
{
    const ct_near_plan *one = a, *two = b;
    const bool here[2] = {!*one->device_why, !*two->device_why};
    if (here[0] != here[1]) return here[0] ? -1 : 1;
    if (one->match.same != two->match.same) return one->match.same ? -1 : 1;
    if (one->match.distance != two->match.distance)
        return one->match.distance < two->match.distance ? -1 : 1;
    if (one->whole != two->whole) return one->whole ? -1 : 1;
    if (one->ratio != two->ratio) return one->ratio < two->ratio ? -1 : 1;
    return strcmp(one->file, two->file);
}

ct_status ct_near_plans_list(ct_near_plans *out, const ct_graph *graph, const ct_device *device,
                             ct_error *err)
{
    ct_status status = CT_OK;
    char folder[CT_STORE_PATH], path[CT_STORE_PATH + 256];
    const struct dirent *entry;
    DIR *all = NULL;
    CT_TRY(near_begin(out, graph, err));
    if (ct_store_folder(folder, NULL) != CT_OK || !(all = opendir(folder))) goto out;
    while (out->count < NEAR_MOST && (entry = readdir(all))) {
        const size_t length = strlen(entry->d_name);
        if (strncmp(entry->d_name, out->here.stages, CT_GRAPH_KEY_WORD - 1) != 0 || length < 6 ||
            strcmp(entry->d_name + length - 5, ".json") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        CT_TRY(near_add(out, path, graph, device, err));
    }
    qsort(out->plan, (size_t)out->count, sizeof *out->plan, near_order);
    CT_TRY(ct_arena_check(out->arena, err));
out:
    if (all) closedir(all);
    if (status != CT_OK) ct_near_plans_free(out);
    return status;
}

ct_status ct_near_plans_text(ct_text *out, const ct_near_plans *plans, const ct_near_plan *plan,
                             const ct_graph *graph, const ct_device *device, ct_error *err)
{
    ct_plan *usual = NULL;
    ct_status status = ct_plan_default(&usual, graph, device, err);
    const ct_plan_adapt adapt = {&plan->key, &plans->here, plan->other, usual};
    if (status == CT_OK) status = ct_plan_adapt_text(out, plan->root, &adapt, err);
    ct_plan_free(usual);
    return status;
}

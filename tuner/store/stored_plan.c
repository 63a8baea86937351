/* stored_plan.c: which plan is taken, of those that are stored or from a file, as far as it fits.
 * Room: tuner/store. Order: near_plans.c lists them, the nearest first; each is tried until one may
 * be taken and fits; all ranks of a job take the same one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "fail.h"
#include "file.h"
#include "near_plans.h"
#include "plan_key.h"

typedef struct stored_plan {
    const ct_graph *graph;
    const ct_device *device;
    const char *file; /* that was named; NULL: the store is searched */
    ct_tune_match match;
    ct_near_plans near;
    ct_plan *plan;
    ct_text say; /* which one it is, and what it is not */
    ct_text why; /* why a nearer one is not taken */
} stored_plan;

/* ---- one plan */

/* What it is that it was not tuned for; nothing: it was tuned for exactly this. */
static void stored_differs(ct_text *out, const ct_near_plan *near)
{
    if (!near->match.same) ct_text_add(out, "tuned for %s", near->match.why);
    if (*near->device_why)
        ct_text_add(out, "%stuned elsewhere: %s", out->length ? ", and " : "", near->device_why);
}

/* Without a word of the user's a stored plan has to be of this device. */
static bool stored_allowed(const stored_plan *stored, const ct_near_plan *near, bool stale)
{
    const bool here = !*near->device_why, same = near->match.same && !stale;
    if (stored->match == CT_TUNE_MATCH_NEAREST) return true;
    return here && (same || stored->match != CT_TUNE_MATCH_EXACT);
}

static void stored_say_misfits(ct_text *out, int misfits)
{
    if (misfits > 0)
        ct_text_add(out, "; of its parts %d do%s not fit here and %s as by default", misfits,
                    misfits > 1 ? "" : "es", misfits > 1 ? "are" : "is");
}

/* ", 0.55 of the default plan's time, of 2026-11-23, tuned for C=16 of "fir", here C=8; 2 of its
 * parts do not fit". */
static void stored_say(ct_text *out, const ct_near_plan *near, const char *differs, int misfits)
{
    const ct_value *tuned = ct_value_get(near->root, "tuned");
    const char *date = ct_value_text(ct_value_get(tuned, "date"), "");
    ct_text_add(out, "%s", near->file);
    if (tuned) ct_text_add(out, ", %.2f of the default plan's time", near->ratio);
    if (*date) ct_text_add(out, ", of %.10s", date);
    if (tuned && !ct_value_bool(ct_value_get(tuned, "complete"), false))
        ct_text_add(out, ", by a search that was cut short");
    if (*differs) ct_text_add(out, ", %s", differs);
    stored_say_misfits(out, misfits);
}

static ct_status stored_load(stored_plan *stored, const ct_near_plan *near, ct_plan **plan,
                             int *misfits, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text text = {0};
    *misfits = 0;
    CT_TRY(ct_near_plans_text(&text, &stored->near, near, stored->graph, stored->device, err));
    CT_TRY(near->match.same
               ? ct_plan_parse(plan, stored->graph, text.data, near->file, stored->device, err)
               : ct_plan_parse_near(plan, stored->graph, text.data, near->file, stored->device,
                                    misfits, err));
out:
    ct_text_free(&text);
    return status;
}

static void stored_refuse(stored_plan *stored, const char *file, const char *why)
{
    if (stored->why.length) return;
    if (!strstr(why, file)) ct_text_add(&stored->why, "%s: ", file);
    ct_text_add(&stored->why, "%.*s", (int)strcspn(why, "\n"), why);
}

static ct_status stored_try(stored_plan *stored, const ct_near_plan *near, ct_error *err)
{
    ct_status status = CT_OK;
    ct_error inner = {0};
    ct_plan *plan = NULL;
    ct_text differs = {0}, stale = {0};
    int misfits = 0;
    stored_differs(&differs, near);
    if (stored_allowed(stored, near, false)) {
        status = stored_load(stored, near, &plan, &misfits, &inner);
        if (status == CT_FAILED) CT_TRY(ct_error_pass(err, status, &inner));
        if (status == CT_OK && near->match.same && stored->device &&
            ct_ranks_rank(stored->graph->ranks) == 0)
            CT_TRY(ct_plan_key_stale(&stale, ct_value_get(near->root, "key"), plan, stored->device,
                                     err));
    }
    status = CT_OK;
    if (stale.length) ct_text_add(&differs, "%s%s", differs.length ? ", and " : "", stale.data);
    CT_TRY(ct_text_check(&differs, err));
    if (plan && stored_allowed(stored, near, stale.length > 0)) {
        stored_say(&stored->say, near, differs.data ? differs.data : "", misfits);
        stored->plan = plan;
        plan = NULL;
    } else {
        stored_refuse(stored, near->file,
                      inner.count    ? inner.text
                      : differs.data ? differs.data
                                     : "");
    }
out:
    ct_plan_free(plan);
    ct_text_free(&differs);
    ct_text_free(&stale);
    return status;
}

/* Of those that are near, the first that fits and may be taken. */
static ct_status stored_take(stored_plan *stored, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(ct_near_plans_list(&stored->near, stored->graph, stored->device, err));
    for (int i = 0; i < stored->near.count && !stored->plan; i++)
        CT_TRY(stored_try(stored, &stored->near.plan[i], err));
    if (*stored->near.unread && !stored->why.length)
        ct_text_add(&stored->why, "%s", stored->near.unread);
out:
    return status;
}

/* ---- for all ranks of a job */

/* All ranks take the one that they all have found, or none. Kernels are compared by rank 0, whose
 * part of the work is the one that was tuned. */
static ct_status stored_agree(stored_plan *stored, ct_status found, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text text = {0};
    const ct_ranks *ranks = stored->graph->ranks;
    if (stored->plan) ct_plan_print_nodes(&text, stored->plan);
    if (found == CT_OK) found = ct_text_check(&text, err);
    CT_TRY(ct_ranks_agree(ranks, found, err));
    status = ct_ranks_same(ranks, "stored plan", text.data ? text.data : "", NULL, NULL);
    if (status != CT_INVALID) goto out;
    if (stored->plan) {
        ct_text_free(&stored->why);
        ct_text_add(&stored->why, "%s: not all ranks take it", stored->say.data);
    }
    ct_plan_free(stored->plan);
    stored->plan = NULL;
    status = CT_OK;
out:
    ct_text_free(&text);
    return status;
}

static void stored_end(stored_plan *stored)
{
    ct_plan_free(stored->plan);
    ct_near_plans_free(&stored->near);
    ct_text_free(&stored->say);
    ct_text_free(&stored->why);
}

static ct_status stored_search(stored_plan *stored, char **say, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text text = {0};
    const bool many = ct_ranks_size(stored->graph->ranks) > 1;
    status = stored_take(stored, err);
    if (many) status = stored_agree(stored, status, err);
    CT_TRY(status);
    if (stored->plan) ct_text_add(&text, "the stored plan %s", stored->say.data);
    if (stored->why.length)
        ct_text_add(&text, "%sa stored plan is not used: %s",
                    stored->plan ? "; " : "the default plan, ", stored->why.data);
    if (text.length) CT_TRY(ct_text_take(say, &text, err));
out:
    ct_text_free(&text);
    return status;
}

ct_status ct_tune_stored_as(ct_plan **out, const ct_graph *graph, const ct_device *device,
                            ct_tune_match match, char **say, ct_error *err)
{
    CT_GIVEN_OUT(err, out, graph, device, say);
    stored_plan stored = {.graph = graph, .device = device, .match = match};
    *say = NULL;
    const ct_status status = stored_search(&stored, say, err);
    if (status == CT_OK) *out = stored.plan;
    if (status == CT_OK) stored.plan = NULL;
    stored_end(&stored);
    return status;
}

/* ---- from a file */

/* What the plan says of its device and kernels, against those that there are. */
static ct_status named_differs(ct_text *out, const ct_plan *plan, const char *file,
                               const ct_device *device, ct_error *err)
{
    ct_status status = CT_OK;
    ct_value *key = NULL;
    ct_text stale = {0};
    if (!plan->about[0] || !device) return CT_OK;
    CT_TRY(ct_value_parse(&key, plan->about[0], file, err));
    CT_TRY(ct_plan_key_differs(out, key, device, err));
    if (out->length) goto out;
    CT_TRY(ct_plan_key_stale(&stale, key, plan, device, err));
    if (stale.length) ct_text_add(out, "%s", stale.data);
out:
    ct_text_free(&stale);
    ct_value_free(key);
    return status;
}

/* With its own sizes, as it is. */
static ct_status named_exact(stored_plan *stored, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text differs = {0};
    CT_TRY(ct_plan_load(&stored->plan, stored->graph, stored->file, stored->device, err));
    CT_TRY(named_differs(&differs, stored->plan, stored->file, stored->device, err));
    CT_TRY(ct_text_check(&differs, err));
    if (!differs.length) goto out;
    if (stored->match == CT_TUNE_MATCH_EXACT)
        CT_TRY(ct_error_add(err, CT_INVALID, "%s: it was tuned elsewhere: %s", stored->file,
                            differs.data));
    ct_text_add(&stored->say, "the plan %s was tuned elsewhere: %s", stored->file, differs.data);
out:
    ct_text_free(&differs);
    return status;
}

/* A plan that nobody has tuned says nothing of its graph: its names have to be those of this one.
 */
static ct_status named_untuned(stored_plan *stored, ct_error *err)
{
    ct_status status = CT_OK;
    char *text = NULL;
    size_t length;
    int misfits = 0;
    CT_TRY(ct_file_read(&text, &length, stored->file, err));
    CT_TRY(ct_plan_parse_near(&stored->plan, stored->graph, text, stored->file, stored->device,
                              &misfits, err));
    ct_text_add(&stored->say, "the plan %s", stored->file);
    stored_say_misfits(&stored->say, misfits);
out:
    ct_memory_free(text);
    return status;
}

static ct_status named_near(stored_plan *stored, ct_error *err)
{
    ct_status status = CT_OK;
    ct_value *root = NULL;
    CT_TRY(ct_value_load(&root, stored->file, err));
    const bool tuned = ct_value_get(ct_value_get(root, "key"), "graph") != NULL;
    if (!tuned) CT_TRY(named_untuned(stored, err));
    if (!tuned) goto out;
    CT_TRY(ct_near_plans_read(&stored->near, stored->graph, stored->device, stored->file, err));
    ct_text_add(&stored->say, "the plan ");
    CT_TRY(stored_try(stored, &stored->near.plan[0], err));
    if (!stored->plan) CT_TRY(ct_error_add(err, CT_INVALID, "%s", stored->why.data));
out:
    ct_value_free(root);
    return status;
}

ct_status ct_tune_load_as(ct_plan **out, const ct_graph *graph, const ct_device *device,
                          const char *file, ct_tune_match match, char **say, ct_error *err)
{
    CT_GIVEN_OUT(err, out, graph, file, say);
    ct_status status = CT_OK;
    stored_plan stored = {.graph = graph, .device = device, .file = file, .match = match};
    const bool near = match == CT_TUNE_MATCH_DEVICE || match == CT_TUNE_MATCH_NEAREST;
    *say = NULL;
    CT_TRY((near ? named_near : named_exact)(&stored, err));
    if (stored.say.length) CT_TRY(ct_text_take(say, &stored.say, err));
    *out = stored.plan;
    stored.plan = NULL;
out:
    stored_end(&stored);
    return status;
}

ct_status ct_tune_stored(ct_plan **out, const ct_graph *graph, const ct_device *device,
                         bool nearest, char **say, ct_error *err)
{
    CT_GIVEN_OUT(err, out, graph, device, say);
    return ct_tune_stored_as(out, graph, device,
                             nearest ? CT_TUNE_MATCH_NEAREST : CT_TUNE_MATCH_EXACT, say, err);
}

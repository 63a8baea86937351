/* run_set_up.c: the verb run, up to a run that can begin: a pipeline is read, planned and made
 * ready, by all ranks. Room: cli. Knows the order of these. Does not know blocks. */
#include "cornerturn_stage.h"
#include "crash.h"
#include "interrupt.h"
#include "running.h"

#include <stdio.h>
#include <string.h>

/* Whether the stage reads or writes, or leaves that to a program. */
static bool run_needs_program(const ct_stage *stage)
{
    const bool source = stage->ports[0].direction == CT_OUT;
    bool sink = true; /* has inputs only */
    for (int p = 0; p < CT_PORTS && stage->ports[p].name; p++)
        sink = sink && stage->ports[p].direction == CT_IN;
    return source ? stage->io.read == NULL : sink && stage->io.write == NULL;
}

static ct_status run_check_ends(const ct_graph *graph, ct_error *err)
{
    const ct_step *step;
    for (size_t n = 0; (step = ct_graph_step_at(graph, n)) != NULL; n++)
        if (run_needs_program(step->stage))
            return ct_error_add(err, CT_USAGE,
                                "cornerturn run: node \"%s\" is a %s: such a pipeline needs a "
                                "program that gives it its own with ct_run_bind",
                                step->name, step->stage->name);
    return CT_OK;
}

/* What a job of several ranks is given, or cannot have. */
static ct_status run_check_ranks(ct_running *r, ct_error *err)
{
    const int size = ct_ranks_size(r->ranks);
    if (r->grid != NULL && r->ranks == NULL)
        return ct_error_add(
            err, CT_USAGE,
            "cornerturn run: --ranks says how mpirun's ranks share the work, and this "
            "process was not started by mpirun");
    const ct_status grid = r->grid ? ct_ranks_grid(r->ranks, r->grid, err) : CT_OK;
    if (grid != CT_OK || size < 2) return grid;
    if (r->in_step || r->resume) ct_ranks_forbid_overlap(r->ranks);
    return CT_OK;
}

static ct_status run_load(ct_pipeline *p, ct_running *r, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(run_check_ranks(r, err));
    CT_TRY(ct_pipeline_load(p, err));
    CT_TRY(run_check_ends(p->graph, err));
    if (ct_ranks_rank(r->ranks) == 0) CT_TRY(ct_graph_check_outputs(p->graph, err));
out:
    return status;
}

/* All ranks must have the same plan: its file is compared before anything is made of it. */
static ct_status run_same_plan(const ct_pipeline *p, ct_running *r, ct_error *err)
{
    static const char *const named[] = {"default", "stored"}; /* these are no files */
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (p->plan_file == NULL || strcmp(p->plan_file, named[i]) == 0) return CT_OK;
    const ct_status status = ct_ranks_same(r->ranks, "plan", NULL, p->plan_file, err);
    r->met = status != CT_OK;
    return status;
}

static ct_status run_make(ct_pipeline *p, ct_running *r, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(ct_pipeline_plan(p, err));
    CT_TRY(ct_interrupt_explain(ct_run_new(&r->run, p->plan, p->device, err), err));
    ct_interrupt_cancels(r->run);
    ct_crash_in(r->run);
out:
    return status;
}

ct_status ct_run_set_up_meet(ct_running *r, ct_status status, ct_error *err)
{
    status = ct_ranks_agree(r->ranks, status, err);
    r->met = status != CT_OK;
    return status;
}

/* Of several ranks each ends only with the others; a single one ends at once until it opens files.
 */
static void run_defer(const ct_running *r)
{
    if (ct_ranks_size(r->ranks) > 1) ct_interrupt_defer();
}

/* Up to a run of which nothing is built or opened yet. */
static ct_status run_set_up(ct_pipeline *p, ct_running *r, ct_error *err)
{
    ct_status status = run_load(p, r, err);
    const bool late = status == CT_OK && !p->complete; /* shapes are known once ranks have met */
    if (!late) run_defer(r); /* before ranks meet: who ends first has the others told to, too */
    CT_TRY(ct_run_set_up_meet(r, status, err));
    CT_TRY(ct_run_set_up_meet(r, ct_graph_set_ranks(p->graph, r->ranks, err), err));
    run_defer(r);
    if (late && !p->quiet) ct_pipeline_warn(ct_graph_warnings(p->graph));
    CT_TRY(run_same_plan(p, r, err));
    CT_TRY(ct_run_set_up_meet(r, ct_pipeline_device(p, err), err));
    CT_TRY(ct_run_set_up_meet(r, run_make(p, r, err), err));
out:
    return status;
}

/* Once more from the pipeline on, which then begins later. */
static void run_undo(ct_pipeline *p, ct_running *r)
{
    ct_progress so_far = {.size = sizeof so_far};
    (void)ct_run_progress(r->run, &so_far, NULL);
    ct_preparing_end(&r->preparing);
    if (!r->quiet)
        fprintf(stderr,
                "%s: the stream would have begun while kernels were built, which took %.3g s: it "
                "is made to begin later\n",
                p->file, so_far.build_s);
    ct_interrupt_cancels(NULL);
    ct_crash_in(NULL);
    ct_run_free(r->run);
    r->run = NULL;
    ct_pipeline_free(p);
}

ct_status ct_run_set_up(ct_pipeline *p, ct_running *r, ct_error *err)
{
    ct_status status = CT_OK;
    for (int n = 1;; n++) {
        bool late = false;
        CT_TRY(run_set_up(p, r, err));
        CT_TRY(ct_run_set_up_meet(
            r,
            ct_interrupt_explain(ct_live_build(r->run, ct_ranks_size(r->ranks) < 2, &late, err),
                                 err),
            err));
        late = ct_ranks_agree(r->ranks, late ? CT_EOF : CT_OK, err) == CT_EOF;
        if (!late || n == CT_LIVE_TIMES || ct_interrupt_came()) break;
        CT_TRY(ct_live_put_off(p, n, r->room, err));
        run_undo(p, r);
    }
    ct_context_tell(p->context, NULL, NULL);
    ct_crash_catch_again();
    ct_interrupt_defer();
out:
    ct_preparing_end(&r->preparing);
    return status;
}

ct_status ct_run_set_up_only(ct_pipeline *p, ct_running *r, ct_error *err)
{
    ct_status status = CT_OK;
    ct_progress all = {.size = sizeof all};
    CT_TRY(run_set_up(p, r, err));
    CT_TRY(ct_run_set_up_meet(r, ct_interrupt_explain(ct_run_build(r->run, err), err), err));
    (void)ct_run_progress(r->run, &all, NULL);
    ct_preparing_end(&r->preparing);
    if (!r->quiet) fprintf(stderr, "built in %.3g s; nothing was run\n", all.build_s);
out:
    return status;
}

/* run.c: the verb run: a pipeline, block by block, until its sources end.
 * Room: cli. Knows progress, interrupts and when to stop. Does not know what a block does.
 * Interrupted runs finish the present block and leave no output behind. */
#include "interrupt.h"
#include "pipeline.h"
#include "verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct ct_running {
    ct_run *run;
    int64_t most;  /* blocks; 0: all */
    bool progress; /* on a terminal */
    bool line;     /* a progress line stands there */
    bool trace, json;
} ct_running;

static void ct_run_show(ct_running *r)
{
    ct_progress now = {.size = sizeof now};
    (void)ct_run_progress(r->run, &now, NULL);
    fprintf(stderr, "\r\033[Kblock %lld", (long long)now.block);
    if (now.blocks > 0)
        fprintf(stderr, " of %lld, %.0f %%", (long long)now.blocks,
                100.0 * (double)now.block / (double)now.blocks);
    if (now.signal_s > 0.0 && now.wall_s > 0.0)
        fprintf(stderr, ", %.3g s of signal, %.3g x real time", now.signal_s,
                now.signal_s / now.wall_s);
    fflush(stderr);
    r->line = true;
}

static void ct_run_clear(ct_running *r)
{
    if (r->line) fprintf(stderr, "\r\033[K");
    r->line = false;
}

static ct_status ct_run_blocks(ct_running *r, ct_error *err)
{
    ct_status status = CT_OK;
    for (int64_t block = 0; status == CT_OK && (r->most == 0 || block < r->most); block++) {
        status = ct_run_block(r->run, err);
        if (status == CT_OK && r->progress) ct_run_show(r);
    }
    return status == CT_EOF ? CT_OK : status;
}

static void ct_run_summary(const ct_run *run)
{
    ct_progress all = {.size = sizeof all};
    (void)ct_run_progress(run, &all, NULL);
    fprintf(stderr, "%lld block%s in %.3g s", (long long)all.block, all.block == 1 ? "" : "s",
            all.wall_s);
    if (all.signal_s > 0.0 && all.wall_s > 0.0)
        fprintf(stderr, ", %.3g x real time", all.signal_s / all.wall_s);
    if (all.flagged > 0 && all.samples > 0)
        fprintf(stderr, ", %lld of %lld samples missing", (long long)all.flagged,
                (long long)all.samples);
    fprintf(stderr, "\n");
}

static ct_status ct_run_trace_print(const ct_run *run, bool json, ct_error *err)
{
    char *text = NULL;
    const ct_status status = ct_run_trace(&text, run, json ? CT_FORM_JSON : CT_FORM_TEXT, err);
    if (text != NULL) fputs(text, stdout);
    free(text);
    return status;
}

static ct_status ct_run_go(ct_pipeline *p, ct_running *r, ct_error *err)
{
    ct_status status = CT_OK;
    ct_interrupt_catch();
    CT_TRY(ct_pipeline_load(p, err));
    CT_TRY(ct_graph_check_outputs(p->graph, err));
    CT_TRY(ct_pipeline_device(p, err));
    CT_TRY(ct_pipeline_plan(p, err));
    CT_TRY(ct_run_new(&r->run, p->plan, p->device, err));
    ct_interrupt_cancels(r->run);
    status = ct_run_blocks(r, err);
    ct_run_clear(r);
    CT_TRY(status);
    CT_TRY(ct_run_finish(r->run, err));
    if (r->trace) CT_TRY(ct_run_trace_print(r->run, r->json, err));
    ct_pipeline_warn(ct_run_warnings(r->run));
    ct_run_summary(r->run);
out:
    ct_interrupt_cancels(NULL);
    ct_run_free(r->run);
    return status;
}

ct_status ct_verb_run(int argc, char **argv, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arguments args = {0};
    ct_pipeline p = {0};
    ct_running r = {.progress = isatty(STDERR_FILENO) != 0};
    const ct_option options[] = {
        CT_PIPELINE_DEVICE(&p),
        CT_PIPELINE_PLAN(&p),
        CT_PIPELINE_SET(&p),
        {"blocks", CT_OPTION_INT, &r.most, "N", "stop after N blocks"},
        {"dump", CT_OPTION_LIST, p.dumps, "NODE.PORT=FILE", "also write an output as .npy"},
        {"trace", CT_OPTION_FLAG, &r.trace, NULL, "print where the time goes, per step"},
        {"json", CT_OPTION_FLAG, &r.json, NULL, "with --trace: print it as JSON"},
        {0}};
    const ct_usage usage = {
        "run PIPELINE [options]", "Runs a pipeline until its sources end.", options, 1, 1, NULL};
    CT_TRY(ct_options_read(&args, &usage, argc, argv, err));
    p.file = args.plain[0];
    if (r.json && !r.trace)
        CT_TRY(ct_error_add(err, CT_USAGE, "cornerturn run: --json is the form of --trace"));
    status = ct_run_go(&p, &r, err);
out:
    ct_pipeline_free(&p);
    return status;
}

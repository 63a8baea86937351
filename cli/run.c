/* run.c: the verb run: a pipeline, block by block, until its sources end.
 * Room: cli. Knows progress, interrupts and when to stop. Does not know what a block does.
 * A run that is interrupted or fails leaves what whole blocks have given: with --whole nothing,
 * with
 * --resume what the next run goes on with. */
#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "crash.h"
#include "follow.h"
#include "interrupt.h"
#include "job.h"
#include "running.h"
#include "verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How long ago came what a live source reads now. */
static double run_behind_s(const ct_run *run)
{
    ct_counter one;
    double most = 0;
    for (size_t n = 0; ct_run_counter(run, n, &one, NULL); n++)
        if (strcmp(one.name, "behind") == 0 && one.value > most) most = one.value;
    return most;
}

static void run_show(ct_running *r)
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
    if (run_behind_s(r->run) >= 1) fprintf(stderr, ", %.3g s behind", run_behind_s(r->run));
    fflush(stderr);
    r->line = true;
}

static void run_clear(ct_running *r)
{
    if (r->line) fprintf(stderr, "\r\033[K");
    r->line = false;
}

/* Numbers that cannot be written are no reason to end a run. */
static void run_tell(ct_running *r, bool now)
{
    ct_error why = {0};
    if (ct_stats_tell(&r->stats, r->run, now, &why) == CT_OK) return;
    run_clear(r);
    ct_pipeline_warn(why.text);
}

static ct_status run_blocks(ct_running *r, ct_error *err)
{
    ct_status status = CT_OK;
    ct_progress now = {.size = sizeof now};
    (void)ct_run_progress(r->run, &now, NULL);
    while (status == CT_OK && (r->most < 0 || now.block < r->most)) {
        status = ct_run_block(r->run, err);
        if (status == CT_OK && r->progress) run_show(r);
        if (status == CT_OK) run_tell(r, false);
        if (status == CT_OK) ct_continuous_look(&r->continuous, r->run);
        (void)ct_run_progress(r->run, &now, NULL);
    }
    return status == CT_EOF ? CT_OK : status;
}

static void run_summary(const ct_running *r, bool done)
{
    ct_progress all = {.size = sizeof all};
    (void)ct_run_progress(r->run, &all, NULL);
    if (r->quiet || (!done && all.block == 0)) return;
    if (done) fputs(ct_run_says(r->run), stderr);
    fprintf(stderr, "%lld block%s in %.3g s", (long long)all.block, all.block == 1 ? "" : "s",
            all.wall_s);
    if (all.signal_s > 0.0 && all.wall_s > 0.0)
        fprintf(stderr, ", %.3g x real time", all.signal_s / all.wall_s);
    if (all.journal_s > 0.0 && all.wall_s > 0.0)
        fprintf(stderr, ", %.2g %% of it for the journal", 100.0 * all.journal_s / all.wall_s);
    if (all.build_s >= 0.0005) fprintf(stderr, ", after %.3g s of building kernels", all.build_s);
    if (all.flagged > 0 && all.samples > 0)
        fprintf(stderr, ", %lld of %lld samples missing (%.2g %%)", (long long)all.flagged,
                (long long)all.samples, 100.0 * (double)all.flagged / (double)all.samples);
    fprintf(stderr, "\n");
}

/* The failure again, with what cannot be kept; and what is kept of a run that failed. */
static ct_status run_end(ct_run *run, bool quiet, ct_error *err)
{
    *err = (ct_error){0};
    const ct_status status = ct_run_finish(run, err);
    for (size_t i = 0; status != CT_OK && ct_run_file(run, i) != NULL; i++) {
        const char *holds = ct_run_file_holds(run, i);
        fprintf(stderr, "kept: %s: %s\n", ct_run_file(run, i), holds ? holds : "all");
    }
    if (!quiet) ct_pipeline_warn(ct_run_warnings(run));
    return status;
}

/* Goes on where another run ended, or is ready to be gone on with. */
static ct_status run_prepare(ct_running *r, ct_error *err)
{
    int64_t block = 0;
    if (r->whole) return CT_OK;
    if (!r->resume) return ct_run_keep(r->run, err);
    const ct_status status = ct_run_resume(r->run, r->checkpoint, &block, err);
    r->done = status == CT_EOF;
    const bool says = ct_ranks_rank(r->ranks) == 0;
    if (r->done && says) fprintf(stderr, "all was done: the files have their names now\n");
    if (status == CT_OK && block > 0 && says)
        fprintf(stderr, "going on after block %lld\n", (long long)block);
    if (status == CT_OK && r->most > 0 && block > r->most)
        return ct_error_add(err, CT_USAGE,
                            "cornerturn run: --blocks %lld: the run to be resumed has done %lld",
                            (long long)r->most, (long long)block);
    return r->done ? CT_OK : status;
}

/* Once all blocks are done, or one has failed. Nothing fails once files have their names. */
static ct_status run_leave(const ct_pipeline *p, ct_running *r, ct_status status, ct_error *err)
{
    char *trace = NULL;
    run_clear(r);
    if (status == CT_OK) CT_TRY(ct_run_collect(r->run, err));
    if (status == CT_OK && r->trace)
        CT_TRY(ct_run_trace(&trace, r->run, r->json ? CT_FORM_JSON : CT_FORM_TEXT, err));
    status = run_end(r->run, p->quiet, err);
    if (status == CT_OK && trace && !p->quiet)
        fputs(trace, ct_follow_takes_stdout(p->graph) ? stderr : stdout);
    if (status == CT_OK || !r->whole) run_summary(r, status == CT_OK);
out:
    free(trace);
    return status;
}

static ct_status run_start(ct_running *r, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(run_prepare(r, err));
    if (!r->done) CT_TRY(ct_stats_open(&r->stats, r->run, err));
out:
    return status;
}

static ct_status run_all(ct_pipeline *p, ct_running *r, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(ct_run_set_up(p, r, err));
    CT_TRY(ct_run_set_up_meet(r, run_start(r, err), err));
    if (r->done) goto out;
    CT_TRY(ct_continuous_begin(&r->continuous, p, err));
    status = run_blocks(r, err);
    status = run_leave(p, r, status, err);
    r->met = status != CT_OK;
out:
    return status;
}

static ct_status run_go(ct_pipeline *p, ct_running *r, ct_error *err)
{
    ct_status status = CT_OK;
    char room[CT_FOLLOW_SETTINGS];
    ct_interrupt_catch();
    ct_crash_catch();
    if (r->follow >= 0) CT_TRY(ct_follow_set(p, r->follow, room, err));
    status = (r->build_only ? ct_run_set_up_only : run_all)(p, r, err);
out:
    ct_interrupt_cancels(NULL);
    ct_crash_in(NULL);
    ct_preparing_end(&r->preparing);
    if (r->run != NULL && !r->build_only) run_tell(r, true);
    ct_stats_close(&r->stats);
    ct_continuous_end(&r->continuous, status == CT_OK, r->quiet);
    ct_run_free(r->run);
    ct_beside_end(&r->beside);
    return status;
}

/* Options that do not go together, and what follows from those that do. */
static ct_status run_check(ct_pipeline *p, ct_running *r, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(ct_pipeline_match(p, "run", err));
    if (r->most == 0)
        CT_TRY(ct_error_add(err, CT_USAGE,
                            "cornerturn run: --blocks: expected 1 or more, found 0; without it the "
                            "run goes on until its sources end"));
    if (r->json && !r->trace)
        CT_TRY(ct_error_add(err, CT_USAGE, "cornerturn run: --json is the form of --trace"));
    if (r->checkpoint >= 0.0 && !r->resume)
        CT_TRY(ct_error_add(err, CT_USAGE,
                            "cornerturn run: --checkpoint says how often, and --resume that there "
                            "is a journal at all: expected both"));
    if (r->follow >= 0.0 && r->resume)
        CT_TRY(ct_error_add(
            err, CT_USAGE,
            "cornerturn run: --follow reads a file that changes, --resume goes on with "
            "one that has not: expected one of them"));
    if (r->continuous.on && ct_ranks_size(r->ranks) > 1)
        CT_TRY(ct_error_add(err, CT_USAGE,
                            "cornerturn tune: --continuous is for one process, found %d ranks",
                            ct_ranks_size(r->ranks)));
    if (r->continuous.budget < 1)
        CT_TRY(ct_error_add(err, CT_USAGE,
                            "cornerturn tune: --budget: expected 1 second or more, found %g",
                            r->continuous.budget));
    memcpy(r->continuous.settings, p->settings, sizeof p->settings);
    r->quiet = r->quiet || p->quiet;
    r->progress = r->progress && !r->quiet;
    p->says_default = r->progress;
    r->beside.pipeline = p;
    r->preparing = (ct_preparing){
        .shows = r->progress, .says = !r->quiet, .slow = ct_beside_begin, .slow_of = &r->beside};
    p->tell = ct_preparing_tell;
    p->tell_state = &r->preparing;
    if (p->quiet) r->stats = (ct_stats){0};
    if (r->keep + r->whole + r->resume > 1)
        CT_TRY(ct_error_add(err, CT_USAGE,
                            "cornerturn run: of a run that ends early --keep keeps what is there, "
                            "--whole nothing, and --resume goes on with it: expected one of them"));
out:
    return status;
}

/* What all ranks find wrong with the command line is said once. What only this one knows of ends
 * the others, which wait for it. */
static ct_status run_give_up(ct_running *r, ct_status status, ct_error *err)
{
    if (r->run == NULL) return ct_job_close(r->ranks, ct_ranks_agree(r->ranks, status, err), err);
    fprintf(stderr, "%s\n", err->text);
    ct_ranks_abort(r->ranks, status);
    return status;
}

/* Of a run, and of one that is tuned meanwhile. */
static const char *const run_synopsis[] = {"run PIPELINE [options]",
                                           "tune PIPELINE --continuous [options]"};
static const char *const run_purpose[] = {
    "Runs a pipeline until its sources end.",
    "Runs a pipeline until its sources end, and looks meanwhile for plans with which it is\n"
    "faster, in a process that gets what is left over of the machine. The run goes on with\n"
    "a better plan between two blocks."};

static const char *const run_examples[] = {
    "run lofar.json --trace\n"
    "run lofar.json --plan plan.json --set fir.taps=8 --blocks 10",
    "tune lofar.json --continuous\n"
    "tune lofar.json --continuous -o plan.json --budget 120"};

/* The options of a run; the last ones are only for one that is tuned meanwhile. */
static ct_status run_verb(int argc, char **argv, bool continuous, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arguments args = {0};
    ct_pipeline p = {.consult = true};
    ct_running r = {.most = -1,
                    .progress = isatty(STDERR_FILENO) != 0,
                    .checkpoint = -1.0,
                    .follow = -1.0,
                    .continuous = {.on = continuous, .budget = 60}};
    const ct_option options[] = {
        CT_PIPELINE_DEVICE(&p),
        CT_PIPELINE_PLAN(&p),
        CT_PIPELINE_MATCH(&p),
        CT_PIPELINE_SET(&p),
        CT_PIPELINE_LIBRARY(&p),
        {"blocks", CT_OPTION_INT, &r.most, "N", "stop after N blocks"},
        {"dump", CT_OPTION_LIST, p.dumps, "NODE.PORT=FILE", "also write an output as .npy"},
        {"resume", CT_OPTION_FLAG, &r.resume, NULL, "go on where a run that died ended"},
        {"checkpoint", CT_OPTION_REAL, &r.checkpoint, "SECONDS",
         "with --resume: between two states to go on from (1)"},
        {"whole", CT_OPTION_FLAG, &r.whole, NULL,
         "no files of a run that is interrupted or fails: all or nothing"},
        {"keep", CT_OPTION_FLAG, &r.keep, NULL,
         "what is done anyway: files of what was finished before that"},
        {"follow", CT_OPTION_REAL, &r.follow, "SECONDS",
         "files grow: stop when nothing has come for so long (0: when told to)"},
        {"ranks", CT_OPTION_TEXT, &r.grid, "S=4,C=2",
         "under mpirun: into how many parts dimensions are split"},
        {"in-step", CT_OPTION_FLAG, &r.in_step, NULL,
         "under mpirun: nothing travels while other blocks are computed, for less memory"},
        {"build-only", CT_OPTION_FLAG, &r.build_only, NULL,
         "build all kernels, so that the next run finds them, and end: nothing is read or written"},
        {"quiet", CT_OPTION_FLAG, &r.quiet, NULL, "no progress, and no summary"},
        {"stats", CT_OPTION_TEXT, &r.stats.lines, "FILE",
         "how it goes, a line of JSON every 5 seconds"},
        {"metrics", CT_OPTION_TEXT, &r.stats.metrics, "FILE",
         "the same for monitoring: OpenMetrics text, replaced every 5 seconds"},
        {"trace", CT_OPTION_FLAG, &r.trace, NULL, "print where the time goes, per step"},
        {"json", CT_OPTION_FLAG, &r.json, NULL, "with --trace: print it as JSON"},
        {continuous ? "continuous" : NULL, CT_OPTION_FLAG, &continuous, NULL,
         "run the pipeline, and look for better plans meanwhile"},
        {"o", CT_OPTION_TEXT, &r.continuous.file, "PLAN", "where the best plan goes"},
        {"budget", CT_OPTION_REAL, &r.continuous.budget, "SECONDS",
         "of the first search; each further one has twice as much (60)"},
        {0}};
    const ct_usage usage = {run_synopsis[continuous], run_purpose[continuous], options, 1, 1, NULL,
                            run_examples[continuous]};
    CT_TRY(ct_ranks_open(&r.ranks, err));
    p.ranks = r.ranks;
    p.quiet = ct_ranks_rank(r.ranks) > 0;
    CT_TRY(ct_options_read(&args, &usage, argc, argv, err));
    p.file = args.plain[0];
    CT_TRY(run_check(&p, &r, err));
    status = run_go(&p, &r, err);
out:
    ct_pipeline_free(&p);
    if (status == CT_OK || r.met || r.ranks == NULL) return ct_job_close(r.ranks, status, err);
    return run_give_up(&r, status, err);
}

ct_status ct_verb_run(int argc, char **argv, ct_error *err)
{
    return run_verb(argc, argv, false, err);
}

ct_status ct_run_tuned(int argc, char **argv, ct_error *err)
{
    return run_verb(argc, argv, true, err);
}

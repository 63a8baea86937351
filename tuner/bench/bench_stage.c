/* bench_stage.c: one workload: default and best tunables at the preferred layouts next to the
 * peers, then at every layout; each set in rounds with the probes. Room: tuner/bench. Knows steps.
 * Does not know stages, kernels or printing. */
#include "bench_inner.h"
#include "coordinate_descent.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "fail.h"
#include "layout.h"
#include "memory.h"
#include "output_check.h"
#include "peer_process.h"

#include <stdio.h>
#include <string.h>

enum { DEFAULT, BEST, VARIANTS, PEERS = 12 };

typedef struct bench_stage {
    ct_bench_run *run;
    const ct_workload *workload;
    ct_step *step; /* preferred layouts, default tunables */
    ct_value *given;
    ct_buffer_pool pool;
    int64_t best[CT_TUNABLES];
    ct_peer *peer[PEERS];
    int peers;
    double flops, bytes;
} bench_stage;

/* ---------------------------------------------------------------- one set of rounds */

/* All variants and peers with the probes; seconds[thing * rounds + round]. */
static ct_status stage_rounds(bench_stage *stage, ct_timed_step *const works[VARIANTS], bool peers,
                              double *seconds, ct_error *err)
{
    ct_timed things[BENCH_THINGS];
    int count = 0;
    for (int i = 0; i < BENCH_PROBES; i++)
        things[count++] = ct_timed_step_timing(stage->run->probe[i]);
    for (int i = 0; i < VARIANTS; i++)
        things[count++] = ct_timed_step_timing(works[i]);
    for (int i = 0; peers && i < stage->peers; i++)
        things[count++] = ct_peer_timed(stage->peer[i]);
    return ct_rounds_run(seconds, things, count, stage->run->asked->rounds, err);
}

static const double *stage_thing(const bench_stage *stage, const double *seconds, int thing)
{
    return seconds + (size_t)thing * (size_t)stage->run->asked->rounds;
}

/* Rates over those of the probes, round by round. */
static void stage_add_time(const bench_stage *stage, const double *seconds, int thing, double flops,
                           double bytes)
{
    int rounds = stage->run->asked->rounds;
    const double *mine = stage_thing(stage, seconds, thing);
    const double *fma = stage_thing(stage, seconds, BENCH_FMA);
    const double *copy = stage_thing(stage, seconds, BENCH_COPY);
    double of_fma =
        flops / stage->run->probe[BENCH_FMA]->flops * ct_rounds_ratio(fma, mine, rounds);
    double of_copy =
        bytes / stage->run->probe[BENCH_COPY]->flops * ct_rounds_ratio(copy, mine, rounds);
    ct_text_add(stage->run->json, "\"seconds\": %.6g, \"of_fma\": %.4g, \"of_copy\": %.4g",
                ct_rounds_median(mine, rounds), of_fma, of_copy);
}

static void stage_add_variants(const bench_stage *stage, const double *seconds, bool same)
{
    static const char *const names[VARIANTS] = {"default", "best"};
    for (int i = 0; i < VARIANTS; i++) {
        ct_text_add(stage->run->json, "%s\"%s\": {", i > 0 ? ", " : "", names[i]);
        stage_add_time(stage, seconds, BENCH_PROBES + i, stage->flops, stage->bytes);
        ct_text_add(stage->run->json, "}");
    }
    ct_text_add(stage->run->json, ", \"same\": %s", same ? "true" : "false");
}

/* ---------------------------------------------------------------- at one pair of layouts */

/* Whether both variants write the same: else a time means nothing. */
static ct_status stage_same(ct_timed_step *const works[VARIANTS], bool *same, ct_error *err)
{
    ct_check usual = {0};
    ct_error why = {0};
    double seconds;
    ct_status status = ct_check_take(&usual, works[DEFAULT], &seconds, &why);
    if (status == CT_OK) status = ct_check_run(&usual, works[BEST], &seconds, &why);
    *same = status == CT_OK;
    ct_check_free(&usual);
    return status == CT_MISMATCH ? CT_OK : ct_error_pass(err, status, &why);
}

/* The best tunables, improved for these layouts where there is time for it; the defaults where they
 * are not legal here, or do not build. */
static ct_status stage_best(bench_stage *stage, ct_step *step, double budget_s, ct_timed_step **out,
                            ct_error *err)
{
    ct_status status = CT_OK;
    int64_t usual[CT_TUNABLES];
    memcpy(usual, step->tunable, sizeof usual);
    memcpy(step->tunable, stage->best, sizeof usual);
    if (ct_step_is_legal(step))
        (void)ct_timed_step_new(out, stage->run->device, step, &stage->pool, NULL);
    if (*out != NULL && budget_s <= 0) return CT_OK;
    if (*out == NULL) memcpy(step->tunable, usual, sizeof usual);
    ct_timed_step_free(*out);
    CT_TRY(ct_coordinate_descent_run(step, stage->run->device, &stage->pool, budget_s, err));
    CT_TRY(ct_timed_step_new(out, stage->run->device, step, &stage->pool, err));
out:
    return status;
}

static ct_status stage_works(bench_stage *stage, ct_step *step, double budget_s,
                             ct_timed_step *works[VARIANTS], ct_error *err)
{
    ct_status status = CT_OK;
    ct_step_default_tunables(step);
    CT_TRY(ct_timed_step_new(&works[DEFAULT], stage->run->device, step, &stage->pool, err));
    CT_TRY(stage_best(stage, step, budget_s, &works[BEST], err));
out:
    return status;
}

static void stage_works_free(ct_timed_step *works[VARIANTS])
{
    for (int i = 0; i < VARIANTS; i++)
        ct_timed_step_free(works[i]);
}

/* Tunables that were found at other layouts are the best known here only where they are quicker
 * than the defaults for these. */
static void stage_keep_quicker(const bench_stage *stage, double *seconds)
{
    size_t rounds = (size_t)stage->run->asked->rounds;
    double *usual = seconds + (BENCH_PROBES + DEFAULT) * rounds;
    double *best = seconds + (BENCH_PROBES + BEST) * rounds;
    if (ct_rounds_ratio(usual, best, (int)rounds) < 1) memcpy(best, usual, sizeof *best * rounds);
}

static ct_status stage_layout(bench_stage *stage, const ct_layout *read, const ct_layout *write,
                              const char *comma, ct_error *err)
{
    ct_status status = CT_OK;
    ct_timed_step *works[VARIANTS] = {NULL};
    ct_step *step = NULL;
    bool same = false;
    double seconds[BENCH_THINGS * CT_ROUNDS_MOST];
    CT_TRY(ct_step_copy(&step, stage->step, err));
    CT_TRY(ct_bench_set_layouts(step, read, write, err));
    CT_TRY(stage_works(stage, step, stage->run->asked->layout_budget_s, works, err));
    CT_TRY(stage_same(works, &same, err));
    CT_TRY(stage_rounds(stage, works, false, seconds, err));
    stage_keep_quicker(stage, seconds);
    ct_text_add(stage->run->json, "%s\n    {\"read\": \"%s\", \"write\": \"%s\", ", comma,
                read->dim, step->port[ct_bench_output(step)].layout.dim);
    stage_add_variants(stage, seconds, same);
    ct_text_add(stage->run->json, "}");
out:
    stage_works_free(works);
    ct_step_free(step);
    return status;
}

/* Every layout of one side with the preferred one of the other. */
static ct_status stage_side(bench_stage *stage, bool reads, const char *key, ct_error *err)
{
    ct_status status = CT_OK;
    int output = ct_bench_output(stage->step);
    const ct_layout read = stage->step->port[0].layout, write = stage->step->port[output].layout;
    ct_layout *list = NULL;
    int64_t count = ct_step_layouts(&list, stage->step, reads ? 0 : output, NULL);
    if (count < 0) CT_TRY(ct_memory_fail(0, err));
    ct_text_add(stage->run->json, ",\n   \"%s\": [", key);
    for (int64_t i = 0; i < count; i++)
        CT_TRY(stage_layout(stage, reads ? &list[i] : &read, reads ? &write : &list[i],
                            i > 0 ? "," : "", err));
    ct_text_add(stage->run->json, "]");
out:
    ct_memory_free(list);
    return status;
}

/* ---------------------------------------------------------------- peers */

/* "fir=COMMAND": the command, where it is for this workload. */
static const char *stage_peer_command(const ct_workload *workload, const char *given)
{
    const char *command = strchr(given, '=');
    char name[64];
    if (command == NULL) return NULL;
    snprintf(name, sizeof name, "%.*s", (int)(command - given), given);
    return ct_workload_is(workload, workload->size, name) ? command + 1 : NULL;
}

static ct_status stage_peers(bench_stage *stage, ct_error *err)
{
    ct_status status = CT_OK;
    const char *const *given = stage->run->asked->peers;
    for (; given != NULL && *given != NULL && stage->peers < PEERS; given++) {
        const char *command = stage_peer_command(stage->workload, *given);
        if (command == NULL) continue;
        CT_TRY(ct_peer_start(&stage->peer[stage->peers], command, err));
        stage->peers++;
    }
out:
    return status;
}

static void stage_add_peers(const bench_stage *stage, const double *seconds)
{
    int rounds = stage->run->asked->rounds;
    ct_text_add(stage->run->json, ",\n   \"peers\": [");
    for (int i = 0; i < stage->peers; i++) {
        const ct_value *about = ct_peer_about(stage->peer[i]);
        int thing = BENCH_PROBES + VARIANTS + i;
        ct_text_add(stage->run->json, "%s\n    {\"peer\": ", i > 0 ? "," : "");
        ct_text_add_json(stage->run->json, ct_value_text(ct_value_get(about, "peer"), "?"));
        ct_text_add(stage->run->json, ", \"what\": ");
        ct_text_add_json(stage->run->json, ct_value_text(ct_value_get(about, "what"), ""));
        ct_text_add(stage->run->json, ", ");
        stage_add_time(stage, seconds, thing, ct_value_real(ct_value_get(about, "flops"), 0),
                       ct_value_real(ct_value_get(about, "bytes"), 0));
        for (int v = 0; v < VARIANTS; v++)
            ct_text_add(stage->run->json, ", \"over_%s\": %.4g", v == DEFAULT ? "default" : "best",
                        ct_rounds_ratio(stage_thing(stage, seconds, thing),
                                        stage_thing(stage, seconds, BENCH_PROBES + v), rounds));
        ct_text_add(stage->run->json, "}");
    }
    ct_text_add(stage->run->json, "]");
}

/* ---------------------------------------------------------------- the stage */

static void stage_add_tunables(const bench_stage *stage, const char *key, const int64_t *tunable)
{
    ct_step copy = *stage->step;
    char word[32];
    memcpy(copy.tunable, tunable, sizeof copy.tunable);
    ct_text_add(stage->run->json, ", \"%s\": \"", key);
    for (int i = 0; i < ct_step_tunables(&copy); i++)
        ct_text_add(stage->run->json, "%s%s=%s", i > 0 ? " " : "",
                    copy.stage->tuning.tunables[i].name, ct_step_tunable_word(&copy, i, word));
    ct_text_add(stage->run->json, "\"");
}

static void stage_add_heading(bench_stage *stage, const ct_timed_step *work)
{
    stage->flops = work->flops;
    stage->bytes = work->bytes;
    ct_text_add(stage->run->json,
                "  {\"name\": \"%s\", \"stage\": \"%s\", \"extents\": \"%s\", \"type\": \"%s\", "
                "\"flops\": %.10g, \"bytes\": %.10g,\n   \"read\": \"%s\", \"write\": \"%s\"",
                stage->workload->name, stage->workload->stage, stage->workload->extents,
                stage->workload->type, stage->flops, stage->bytes, stage->step->port[0].layout.dim,
                stage->step->port[ct_bench_output(stage->step)].layout.dim);
    stage_add_tunables(stage, "default_tunables", stage->step->tunable);
    stage_add_tunables(stage, "best_tunables", stage->best);
    ct_text_add(stage->run->json, ",\n   ");
}

static ct_status stage_search(bench_stage *stage, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_bench *asked = stage->run->asked;
    ct_step *step = NULL;
    CT_TRY(ct_step_copy(&step, stage->step, err));
    if (asked->settings != NULL)
        CT_TRY(ct_bench_ask_tunables(step, asked->settings, err));
    else
        CT_TRY(ct_coordinate_descent_run(step, stage->run->device, &stage->pool, asked->budget_s,
                                         err));
    memcpy(stage->best, step->tunable, sizeof stage->best);
out:
    ct_step_free(step);
    return status;
}

static ct_status stage_preferred(bench_stage *stage, ct_error *err)
{
    ct_status status = CT_OK;
    ct_timed_step *works[VARIANTS] = {NULL};
    ct_step *step = NULL;
    bool same = false;
    double seconds[BENCH_THINGS * CT_ROUNDS_MOST];
    CT_TRY(ct_step_copy(&step, stage->step, err));
    CT_TRY(stage_works(stage, step, 0, works, err));
    CT_TRY(stage_same(works, &same, err));
    CT_TRY(stage_rounds(stage, works, true, seconds, err));
    stage_add_heading(stage, works[DEFAULT]);
    stage_add_variants(stage, seconds, same);
    stage_add_peers(stage, seconds);
out:
    stage_works_free(works);
    ct_step_free(step);
    return status;
}

static void stage_say(const bench_stage *stage)
{
    char sentence[256];
    if (stage->run->asked->say == NULL) return;
    snprintf(sentence, sizeof sentence, "%s: %s %s", stage->workload->name,
             stage->workload->extents, stage->workload->type);
    stage->run->asked->say(stage->run->asked->of, sentence);
}

ct_status ct_bench_stage(ct_bench_run *run, const ct_workload *workload, ct_error *err)
{
    ct_status status = CT_OK;
    bench_stage stage = {.run = run, .workload = workload};
    stage_say(&stage);
    CT_TRY(ct_workload_step(&stage.step, &stage.given, run->context, workload, run->device, err));
    CT_TRY(ct_bench_ask_layouts(stage.step, run->asked, err));
    CT_TRY(stage_search(&stage, err));
    CT_TRY(stage_peers(&stage, err));
    CT_TRY(stage_preferred(&stage, err));
    if (run->asked->layouts) CT_TRY(stage_side(&stage, true, "reads", err));
    if (run->asked->layouts) CT_TRY(stage_side(&stage, false, "writes", err));
    ct_text_add(run->json, "}");
out:
    for (int i = 0; i < stage.peers; i++)
        ct_peer_stop(stage.peer[i]);
    ct_timed_step_pool_free(&stage.pool);
    ct_step_free(stage.step);
    ct_value_free(stage.given);
    return status;
}

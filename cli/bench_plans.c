/* bench_plans.c: bench PIPELINE --plan A --plan B: whole plans, rehearsed in turn, in processes
 * one after the other: this verb again with --part, which prints what it measured.
 * Room: cli. Knows processes and the JSON of ct_tune_rehearse. Does not know how that rehearses. */
#include "bench.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "workers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLANS = CT_OPTION_TIMES, ROUNDS = 99, LINE = 900, ARGUMENTS = 255 };

static const char *plans_name(const ct_bench_plans *bench, int n)
{
    return bench->plan[0] == NULL ? "default" : bench->plan[n];
}

static int plans_count(const ct_bench_plans *bench)
{
    int count = 0;
    while (bench->plan[count] != NULL)
        count++;
    return count > 0 ? count : 1;
}

/* All plans; what is wrong with one is said before anything is timed. */
static ct_status plans_load(ct_bench_plans *bench, ct_plan **plans, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(ct_pipeline_load(&bench->pipeline, err));
    CT_TRY(ct_pipeline_device(&bench->pipeline, err));
    for (int p = 0; p < plans_count(bench); p++) {
        CT_TRY(ct_pipeline_named(&plans[p], &bench->pipeline, plans_name(bench, p), err));
        CT_TRY(ct_plan_check(plans[p], bench->pipeline.device, err));
    }
out:
    return status;
}

/* ---- a process */

/* In lines, since workers are read by lines; JSON has no newlines that matter. */
static void plans_print(const char *json)
{
    for (size_t at = 0, left = strlen(json); left > 0;) {
        const size_t count = left < LINE ? left : LINE;
        fputs("json ", stdout);
        for (size_t i = 0; i < count; i++)
            putchar(json[at + i] == '\n' ? ' ' : json[at + i]);
        putchar('\n');
        at += count;
        left -= count;
    }
    fflush(stdout);
}

static ct_status plans_rehearse(ct_bench_plans *bench, ct_plan *const *plans, ct_error *err)
{
    char *json = NULL;
    const ct_plan *all[PLANS];
    const int count = plans_count(bench);
    for (int p = 0; p < count; p++)
        all[p] = plans[p];
    const ct_status status = ct_tune_rehearse(&json, all, (size_t)count, bench->pipeline.device,
                                              (int)bench->rounds, bench->part % count, err);
    if (status == CT_OK) plans_print(json);
    free(json);
    return status;
}

/* ---- the one that starts them */

static void plans_line(void *of, int worker, const char *line)
{
    (void)worker;
    if (strncmp(line, "json ", 5) == 0) fputs(line + 5, of);
}

static const char *plans_doing(void *of, int worker)
{
    (void)of;
    (void)worker;
    return "to rehearse the plans";
}

/* One process after the other, for two would time each other. `to` gets a list of their JSON. */
static ct_status plans_processes(const ct_bench_plans *bench, FILE *to, ct_error *err)
{
    static const char command[] = "cornerturn", option[] = "--part", none[] = "0/1";
    ct_status status = CT_OK;
    char *arguments[ARGUMENTS + 1] = {(char *)command, bench->argv[0], (char *)option,
                                      (char *)none};
    for (int i = 1; i < bench->argc && i + 3 < ARGUMENTS; i++)
        arguments[i + 3] = bench->argv[i];
    ct_workers workers = {1, arguments, 3, false, plans_line, to, 0, (int)bench->processes};
    fputc('[', to);
    for (; workers.first < workers.parts; workers.first++) {
        if (workers.first > 0) fputc(',', to);
        CT_TRY(ct_workers_run(&workers, plans_doing, err));
    }
    fputc(']', to);
out:
    return status;
}

ct_bench_block ct_bench_block_of(const ct_value *processes, int plan)
{
    const ct_value *plans = ct_value_get(ct_value_at(processes, 0), "plans");
    const ct_value *one = ct_value_at(plans, (size_t)plan);
    return (ct_bench_block){ct_value_real(ct_value_get(one, "samples"), 1.0),
                            ct_value_real(ct_value_get(one, "signal_s"), 0.0)};
}

/* All rounds of a plan, process after process; of a block, or of as many samples. */
static size_t plans_wall(double *wall, const ct_value *processes, int plan, double samples)
{
    const double scale = samples > 0 ? samples / ct_bench_block_of(processes, plan).samples : 1.0;
    size_t count = 0;
    for (size_t i = 0; i < ct_value_count(processes); i++) {
        const ct_value *plans = ct_value_get(ct_value_at(processes, i), "plans");
        const ct_value *rounds = ct_value_get(ct_value_at(plans, (size_t)plan), "wall");
        for (size_t r = 0; r < ct_value_count(rounds) && r < ROUNDS; r++)
            wall[count++] = scale * ct_value_real(ct_value_at(rounds, r), 0.0);
    }
    return count;
}

typedef struct plans_result {
    double seconds[3], ratio[3]; /* median, and its interval: of a block; per sample */
    ct_bench_block block;
} plans_result;

static ct_status plans_compare(plans_result *results, const ct_value *processes, int count,
                               ct_error *err)
{
    ct_status status = CT_OK;
    double first[CT_WORKERS * ROUNDS], wall[CT_WORKERS * ROUNDS];
    const double samples = ct_bench_block_of(processes, 0).samples;
    (void)plans_wall(first, processes, 0, samples);
    for (int p = 0; p < count; p++) {
        size_t pairs = plans_wall(wall, processes, p, 0);
        results[p].block = ct_bench_block_of(processes, p);
        CT_TRY(ct_tune_ratio(results[p].seconds, wall, NULL, pairs, err));
        pairs = plans_wall(wall, processes, p, samples);
        CT_TRY(ct_tune_ratio(results[p].ratio, wall, first, pairs, err));
    }
out:
    return status;
}

/* Of a second of signal, or in ns of a sample. */
static double plans_per(const plans_result *result)
{
    const ct_bench_block *block = &result->block;
    return block->signal_s > 0 ? result->seconds[0] / block->signal_s
                               : 1e9 * result->seconds[0] / block->samples;
}

static void plans_table(const ct_bench_plans *bench, const plans_result *results)
{
    printf("## %s on %s\n\n", bench->pipeline.file, ct_device_name(bench->pipeline.device));
    printf("| plan | block | seconds per block | %s | of %s | 95 %% "
           "|\n|---|---:|---:|---:|---:|---:|\n",
           results[0].block.signal_s > 0 ? "per second of signal" : "ns per sample",
           plans_name(bench, 0));
    for (int p = 0; p < plans_count(bench); p++) {
        const plans_result *result = &results[p];
        printf("| %s | %.0f | %.6g | %.6g | %.4f | ", plans_name(bench, p), result->block.samples,
               result->seconds[0], plans_per(result), result->ratio[0]);
        if (p == 0)
            printf("- |\n");
        else
            printf("%.4f to %.4f |\n", result->ratio[1], result->ratio[2]);
    }
    printf("\nMedians of %lld interleaved rounds in each of %lld process%s.\n",
           (long long)bench->rounds, (long long)bench->processes,
           bench->processes == 1 ? "" : "es");
}

static void plans_text(FILE *to, const char *text)
{
    fputc('"', to);
    for (; *text != 0; text++)
        if ((unsigned char)*text < 0x20)
            fprintf(to, "\\u%04x", (unsigned char)*text);
        else
            fprintf(to, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    fputc('"', to);
}

static void plans_real(FILE *to, const char *key, double value)
{
    char text[64];
    ct_number_print(text, sizeof text, ", \"%s\": %.9g", key, value);
    fputs(text, to);
}

static ct_status plans_save(const ct_bench_plans *bench, const plans_result *results,
                            const char *processes, ct_error *err)
{
    char *json = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&json, &bytes);
    if (to == NULL) return ct_error_add(err, CT_FAILED, "out of memory");
    fputs("{\"cornerturn_bench\": 1, \"pipeline\": ", to);
    plans_text(to, bench->pipeline.file);
    fputs(", \"device\": ", to);
    plans_text(to, ct_device_name(bench->pipeline.device));
    fputs(", \"plans\": [", to);
    for (int p = 0; p < plans_count(bench); p++) {
        fputs(p > 0 ? ", {\"name\": " : "{\"name\": ", to);
        plans_text(to, plans_name(bench, p));
        plans_real(to, "seconds", results[p].seconds[0]);
        fprintf(to, ", \"samples\": %.0f", results[p].block.samples);
        if (results[p].block.signal_s > 0) plans_real(to, "signal_s", results[p].block.signal_s);
        plans_real(to, "ratio", results[p].ratio[0]);
        plans_real(to, "low", results[p].ratio[1]);
        plans_real(to, "high", results[p].ratio[2]);
        fputc('}', to);
    }
    fprintf(to, "], \"processes\": %s}\n", processes);
    ct_status status = fclose(to) == 0 ? CT_OK : ct_error_add(err, CT_FAILED, "out of memory");
    if (status == CT_OK) status = ct_bench_save(bench->json, json, err);
    free(json);
    return status;
}

static ct_status plans_steps(const ct_bench_plans *bench, ct_plan *const *plans,
                             const ct_value *processes, ct_error *err)
{
    const ct_plan *all[PLANS];
    const char *names[PLANS];
    const int count = plans_count(bench);
    for (int p = 0; p < count; p++) {
        all[p] = plans[p];
        names[p] = plans_name(bench, p);
    }
    return ct_bench_steps(processes, all, names, count, err);
}

static ct_status plans_report(const ct_bench_plans *bench, ct_plan *const *plans,
                              const char *processes, ct_error *err)
{
    ct_status status = CT_OK;
    ct_value *measured = NULL;
    plans_result results[PLANS] = {0};
    CT_TRY(ct_value_parse(&measured, processes, "rehearsals", err));
    CT_TRY(plans_compare(results, measured, plans_count(bench), err));
    plans_table(bench, results);
    CT_TRY(plans_steps(bench, plans, measured, err));
    if (bench->json != NULL) CT_TRY(plans_save(bench, results, processes, err));
out:
    ct_value_free(measured);
    return status;
}

static ct_status plans_all(const ct_bench_plans *bench, ct_plan *const *plans, ct_error *err)
{
    char *processes = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&processes, &bytes);
    if (to == NULL) return ct_error_add(err, CT_FAILED, "out of memory");
    ct_status status = plans_processes(bench, to, err);
    if (fclose(to) != 0 && status == CT_OK) status = ct_error_add(err, CT_FAILED, "out of memory");
    if (status == CT_OK) status = plans_report(bench, plans, processes, err);
    free(processes);
    return status;
}

static ct_status plans_check(const ct_bench_plans *bench, ct_error *err)
{
    if (bench->rounds < 1 || bench->rounds > ROUNDS)
        return ct_error_add(err, CT_USAGE,
                            "cornerturn bench: --rounds: expected 1 to %d, found %lld", ROUNDS,
                            (long long)bench->rounds);
    if (bench->processes < 1 || bench->processes > CT_WORKERS)
        return ct_error_add(err, CT_USAGE,
                            "cornerturn bench: --processes: expected 1 to %d, found %lld",
                            CT_WORKERS, (long long)bench->processes);
    return CT_OK;
}

ct_status ct_bench_plans_run(ct_bench_plans *bench, ct_error *err)
{
    ct_status status = CT_OK;
    ct_plan *plans[PLANS] = {NULL};
    CT_TRY(plans_check(bench, err));
    CT_TRY(plans_load(bench, plans, err));
    if (bench->part >= 0)
        CT_TRY(plans_rehearse(bench, plans, err));
    else
        CT_TRY(plans_all(bench, plans, err));
out:
    for (int p = 0; p < PLANS; p++)
        ct_plan_free(plans[p]);
    return status;
}

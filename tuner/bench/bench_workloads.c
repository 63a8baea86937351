/* bench_workloads.c: how fast the stages are: limits of the device, then each workload, as JSON.
 * Room: tuner/bench. Knows workloads and limits. Does not know how kernels are written, or
 * printing. Order: check, limits, probes, a stage at a time. */
#include "bench_inner.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "device.h"
#include "fail.h"
#include "memory.h"
#include "struct_version.h"

/* A stage that is not in the list is measured by its cases. */
static bool bench_is_own(const ct_context *context, const ct_bench *asked)
{
    ct_workload own;
    char extents[CT_WORKLOAD_EXTENTS];
    for (int i = 0; ct_workload_at(i) != NULL; i++)
        if (ct_workload_is(ct_workload_at(i), asked->scale, asked->stage)) return false;
    return asked->stage != NULL &&
           ct_workload_case(&own, extents, ct_context_stage(context, asked->stage), asked->scale);
}

static ct_status bench_check(const ct_context *context, const ct_bench *asked, ct_error *err)
{
    if (asked->rounds < 1 || asked->rounds > CT_ROUNDS_MOST)
        return ct_error_add(err, CT_USAGE, "bench: expected 1 to %d rounds, found %d",
                            CT_ROUNDS_MOST, asked->rounds);
    if (asked->ragged != NULL && ct_bench_ragged_check(asked->ragged, err) != CT_OK)
        return CT_USAGE;
    return ct_workload_check(asked->scale, bench_is_own(context, asked) ? NULL : asked->stage, err);
}

static void bench_add_limits(ct_text *json, const ct_limits *limits)
{
    ct_text_add(json, "\"limits\": {");
    for (int i = 0; i < CT_LIMITS; i++)
        ct_text_add(json, "%s\"%s\": {\"rate\": %.6g, \"width\": %lld}", i > 0 ? ", " : "",
                    ct_limits_name((ct_limit)i), limits->rate[i], (long long)limits->width[i]);
    ct_text_add(json, "}");
}

static void bench_add_device(ct_text *json, const ct_device *device)
{
    ct_text_add(json, "\"device\": {\"name\": ");
    ct_text_add_json(json, device->name);
    ct_text_add(json, ", \"platform\": ");
    ct_text_add_json(json, device->platform_name);
    ct_text_add(json, ", \"driver\": ");
    ct_text_add_json(json, device->driver);
    ct_text_add(json, ", \"compute_units\": %lld}", (long long)device->compute_units);
}

static void bench_say(const ct_bench *asked, const char *sentence)
{
    if (asked->say != NULL) asked->say(asked->of, sentence);
}

static ct_status bench_probes(ct_bench_run *run, const ct_limits *limits, ct_buffer_pool *pool,
                              ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(ct_limits_work(&run->probe[BENCH_FMA], run->device, CT_LIMIT_FMA_F32,
                          limits->width[CT_LIMIT_FMA_F32], pool, err));
    CT_TRY(ct_limits_work(&run->probe[BENCH_COPY], run->device, CT_LIMIT_NT_COPY,
                          limits->width[CT_LIMIT_NT_COPY], pool, err));
out:
    return status;
}

/* With the probes that stages are compared with. */
static ct_status bench_limits(ct_bench_run *run, ct_buffer_pool *pool, ct_error *err)
{
    ct_status status = CT_OK;
    ct_limits limits;
    bench_say(run->asked, "measuring the device's limits");
    CT_TRY(ct_limits_measure(&limits, run->device, err));
    CT_TRY(bench_probes(run, &limits, pool, err));
    bench_add_limits(run->json, &limits);
    ct_text_add(run->json, ",\n");
out:
    return status;
}

static ct_status bench_one(ct_bench_run *run, const ct_workload *workload, ct_error *err)
{
    if (run->asked->ragged != NULL) return ct_bench_ragged(run, workload, err);
    ct_text_add(run->json, "%s", run->comma);
    run->comma = ",\n";
    return ct_bench_stage(run, workload, err);
}

static ct_status bench_stages(ct_bench_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    ct_workload own;
    ct_workload_counted counted;
    char extents[CT_WORKLOAD_EXTENTS];
    run->comma = "";
    ct_text_add(run->json, "\"%s\": [", run->asked->ragged != NULL ? "ragged" : "stages");
    if (bench_is_own(run->context, run->asked)) {
        const ct_stage *stage = ct_context_stage(run->context, run->asked->stage);
        ct_workload_case(&own, extents, stage, run->asked->scale);
        CT_TRY(bench_one(run, &own, err));
    }
    for (int i = 0; ct_workload_at(i) != NULL; i++) {
        const ct_workload *work = ct_workload_at(i);
        if (!ct_workload_is(work, run->asked->scale, run->asked->stage)) continue;
        if (ct_context_stage(run->context, work->stage) == NULL) continue;
        ct_workload_twin(&counted, work, run->asked->scale);
        CT_TRY(bench_one(run, &counted.work, err));
    }
    ct_text_add(run->json, "]");
out:
    return status;
}

ct_status ct_tune_bench(char **json, ct_context *context, ct_device *device, const ct_bench *bench,
                        ct_error *err)
{
    CT_GIVEN_OUT(err, json, context, device);
    static const ct_struct_version kind = CT_STRUCT_VERSION(ct_bench, rounds);
    ct_status status = CT_OK;
    ct_text text = {0};
    ct_buffer_pool pool = {0};
    ct_bench own;
    ct_bench_run run = {.asked = &own, .context = context, .device = device, .json = &text};
    CT_TRY(ct_struct_take(&own, &kind, bench, err));
    CT_TRY(ct_device_check(device, err));
    CT_TRY(bench_check(context, &own, err));
    ct_text_add(&text, "{\"size\": \"%s\", \"rounds\": %d,\n", own.scale, own.rounds);
    bench_add_device(&text, device);
    ct_text_add(&text, ",\n");
    if (own.ragged == NULL) CT_TRY(bench_limits(&run, &pool, err));
    CT_TRY(bench_stages(&run, err));
    ct_text_add(&text, "}\n");
    CT_TRY(ct_text_take(json, &text, err));
out:
    for (int i = 0; i < BENCH_PROBES; i++)
        ct_timed_step_free(run.probe[i]);
    ct_timed_step_pool_free(&pool);
    ct_text_free(&text);
    return status;
}

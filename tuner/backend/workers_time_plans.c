/* workers_time_plans.c: whole plans: a worker times them in turn, in fresh processes where that is
 * wanted.
 * Room: tuner/backend. Knows what workers are asked (docs/worker.md). */
#include "clock.h"
#include "fail.h"
#include "results.h"
#include "workers_inner.h"

static ct_status plans_steps(const ct_value *steps, ct_plan_timing *out, ct_arena *arena,
                             ct_error *err)
{
    out->steps = (int)ct_value_count(steps);
    out->name = ct_arena_get(arena, sizeof *out->name * (size_t)(out->steps + 1));
    out->seconds = ct_arena_get(arena, sizeof *out->seconds * (size_t)(out->steps + 1));
    if (!out->name || !out->seconds) return ct_arena_check(arena, err);
    for (int i = 0; i < out->steps; i++) {
        const ct_value *step = ct_value_at(steps, (size_t)i);
        const ct_value *seconds = ct_value_get(step, "seconds");
        out->name[i] = ct_arena_copy(arena, ct_value_text(ct_value_get(step, "name"), ""));
        double each[CT_BACKEND_WALLS];
        int count = 0;
        for (; count < CT_BACKEND_WALLS && count < (int)ct_value_count(seconds); count++)
            each[count] = ct_value_real(ct_value_at(seconds, (size_t)count), 0);
        out->seconds[i] = count ? ct_results_median(each, count) : 0;
    }
    return CT_OK;
}

static ct_status plans_whole(const ct_value *answer, int count, ct_plan_timing *out,
                             ct_arena *arena, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_value *plans = ct_value_get(answer, "plans");
    const char *say = ct_value_text(ct_value_get(answer, "say"), "a worker gave no answer");
    if ((int)ct_value_count(plans) != count)
        return ct_error_add(err, CT_FAILED, "whole plans cannot be rehearsed: %s", say);
    for (int i = 0; i < count; i++) {
        const ct_value *plan = ct_value_at(plans, (size_t)i), *wall = ct_value_get(plan, "wall");
        out[i].samples = ct_value_int(ct_value_get(plan, "samples"), 0);
        out[i].signal_s = ct_value_real(ct_value_get(plan, "signal_s"), 0);
        for (size_t w = 0; w < ct_value_count(wall) && out[i].walls < CT_BACKEND_WALLS; w++)
            out[i].wall[out[i].walls++] = ct_value_real(ct_value_at(wall, w), 0);
        CT_TRY(plans_steps(ct_value_get(plan, "steps"), &out[i], arena, err));
        const double load = ct_value_real(ct_value_get(answer, "load"), 0);
        if (load > out[i].load) out[i].load = load;
        out[i].disturbed |= ct_value_bool(ct_value_get(answer, "disturbed"), false);
    }
out:
    return status;
}

/* In the process that there is; plans are made from the first-th on. */
static ct_status plans_once(ct_workers_backend *backend, const char *request, int first, int count,
                            ct_plan_timing *out, ct_arena *arena, ct_error *err)
{
    ct_status status = CT_OK;
    ct_value *answer = NULL;
    ct_text whole = {0};
    ct_text_add(&whole, "%s,\"first\":%d}", request, first);
    CT_TRY(ct_text_check(&whole, err));
    CT_TRY(ct_worker_pool_ask(backend->workers->pool, whole.data, 10, &answer, err));
    CT_TRY(plans_whole(answer, count, out, arena, err));
out:
    ct_value_free(answer);
    ct_text_free(&whole);
    return status;
}

ct_status ct_workers_time_plans(void *of, const ct_candidate *candidates, const char *const *texts,
                                int count, int rounds, int fresh, ct_plan_timing *out,
                                ct_arena *arena, ct_error *err)
{
    ct_status status = CT_OK;
    ct_workers_backend *backend = of;
    ct_text request = {0};
    const double from = ct_clock_now();
    (void)candidates;
    ct_text_add(&request, "{\"do\":\"rehearse\",\"rounds\":%d,\"plans\":[", rounds);
    for (int i = 0; i < count; i++) {
        out[i] = (ct_plan_timing){0};
        ct_text_add(&request, "%s%s", i ? "," : "", texts[i]);
    }
    ct_text_add(&request, "]");
    CT_TRY(ct_text_check(&request, err));
    for (int process = 0; process < (fresh ? fresh : 1); process++) {
        if (fresh) CT_TRY(ct_worker_pool_renew(backend->workers->pool, err));
        CT_TRY(plans_once(backend, request.data, process % count, count, out, arena, err));
    }
out:
    backend->workers->rehearsed_s += ct_clock_now() - from;
    ct_text_free(&request);
    return status;
}

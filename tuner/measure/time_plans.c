/* time_plans.c: see time_plans.h.
 * Room: tuner/measure. Knows rehearsals. Does not know what is in a plan. */
#include "time_plans.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"

#include <string.h>

#include "device.h"
#include "fail.h"
#include "json_text.h"
#include "memory.h"
#include "rehearse.h"
#include "timing_rounds.h"

/* One plan while it is in memory. */
typedef struct time_one {
    ct_rehearsal *rehearsal; /* NULL: it is not */
    ct_rehearsed last;       /* step[]: room for every step */
} time_one;

typedef struct time_state {
    ct_plan_times *all;
    const ct_plan *const *plans;
    ct_device *device;
    time_one *one; /* [plans] */
    int first;
    bool together;
} time_state;

static ct_status time_run(void *of, double *seconds, ct_error *err)
{
    ct_status status = CT_OK;
    time_one *one = of;
    CT_TRY(ct_rehearse_block(one->rehearsal, &one->last, err));
    *seconds = one->last.wall;
out:
    return status;
}

/* Makes room for the steps' times: steps are known once the plan's programs are made. */
static ct_status time_lists(time_state *state, int p, ct_error *err)
{
    ct_arena *arena = state->all->arena;
    ct_plan_time *plan = &state->all->plan[p];
    const ct_rehearsal *rehearsal = state->one[p].rehearsal;
    const size_t rounds = sizeof(double) * (size_t)state->all->rounds;
    const int steps = ct_rehearse_steps(rehearsal);
    plan->samples = ct_rehearse_samples(state->plans[p]);
    plan->signal_s = ct_rehearse_signal_s(state->plans[p]);
    plan->wall = ct_arena_get(arena, rounds);
    plan->history = ct_arena_get(arena, rounds);
    plan->name = ct_arena_get(arena, sizeof *plan->name * (size_t)steps);
    plan->seconds = ct_arena_get(arena, sizeof *plan->seconds * (size_t)steps);
    state->one[p].last.step = ct_arena_get(arena, sizeof(double) * (size_t)steps);
    for (int s = 0; plan->name && plan->seconds && s < steps; s++) {
        plan->name[s] = ct_arena_copy(arena, ct_rehearse_name(rehearsal, s));
        plan->seconds[s] = ct_arena_get(arena, rounds);
    }
    plan->steps = steps;
    return ct_arena_check(arena, err);
}

/* Makes the plan, and runs it until it does not become faster. */
static ct_status time_begin(time_state *state, int p, ct_error *err)
{
    ct_status status = CT_OK;
    time_one *one = &state->one[p];
    if (one->rehearsal) return CT_OK;
    CT_TRY(ct_rehearse_new(&one->rehearsal, state->plans[p], state->device, err));
    if (state->all->plan[p].steps == 0) CT_TRY(time_lists(state, p, err));
    CT_TRY(ct_rounds_warm(&(ct_timed){time_run, one}, 0, err));
out:
    return status;
}

static void time_end(time_one *one)
{
    ct_rehearse_free(one->rehearsal);
    one->rehearsal = NULL;
}

static ct_status time_round(time_state *state, int p, int round, ct_error *err)
{
    ct_status status = CT_OK;
    ct_plan_time *plan = &state->all->plan[p];
    time_one *one = &state->one[p];
    double seconds;
    CT_TRY(time_begin(state, p, err));
    CT_TRY(time_run(one, &seconds, err));
    plan->wall[round] = seconds;
    plan->history[round] = one->last.history;
    for (int s = 0; s < plan->steps; s++)
        plan->seconds[s][round] = one->last.step[s];
out:
    if (!state->together) time_end(one);
    return status;
}

static ct_status time_rounds(time_state *state, ct_error *err)
{
    ct_status status = CT_OK;
    const int plans = state->all->plans;
    for (int p = 0; p < plans && state->together; p++)
        CT_TRY(time_begin(state, (state->first + p) % plans, err));
    for (int round = 0; round < state->all->rounds; round++)
        for (int p = 0; p < plans; p++)
            CT_TRY(time_round(state, (state->first + round + p) % plans, round, err));
out:
    return status;
}

static bool time_fit(const time_state *state, int64_t room)
{
    int64_t bytes = 0;
    if (room == 0) room = state->device->global_bytes / 2; /* others want some, too */
    for (int p = 0; p < state->all->plans; p++)
        bytes += ct_rehearse_bytes(state->plans[p]);
    return bytes <= room;
}

ct_status ct_time_plans_run(ct_plan_times **out, const ct_plan *const *plans, int count,
                            ct_device *device, const ct_time_plans_way *way, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arena *arena = NULL;
    ct_plan_times *all = ct_arena_begin(&arena, sizeof *all);
    time_state state = {.all = all, .plans = plans, .device = device, .first = way->first};
    *out = NULL;
    CT_NEED(all, sizeof *all, err);
    *all = (ct_plan_times){.plans = count, .rounds = way->rounds, .arena = arena};
    all->plan = ct_arena_get(arena, sizeof *all->plan * (size_t)count);
    state.one = ct_arena_get(arena, sizeof *state.one * (size_t)count);
    CT_TRY(ct_arena_check(arena, err));
    state.together = time_fit(&state, way->room);
    CT_TRY(time_rounds(&state, err));
    *out = all;
out:
    for (int p = 0; state.one && p < count; p++)
        time_end(&state.one[p]);
    if (status != CT_OK) ct_time_plans_free(all);
    return status;
}

void ct_time_plans_free(ct_plan_times *times)
{
    if (times) ct_arena_free(times->arena);
}

static void time_reals(ct_text *json, const char *key, const double *values, int count)
{
    ct_json_open(json, key, '[');
    for (int i = 0; i < count; i++)
        ct_json_add_real(json, NULL, values[i]);
    ct_json_close(json, ']');
}

static void time_plan(ct_text *json, const ct_plan_time *plan, int rounds)
{
    ct_json_open(json, NULL, '{');
    ct_json_add_int(json, "samples", plan->samples);
    if (plan->signal_s > 0) ct_json_add_real(json, "signal_s", plan->signal_s);
    time_reals(json, "wall", plan->wall, rounds);
    time_reals(json, "history", plan->history, rounds);
    ct_json_open(json, "steps", '[');
    for (int s = 0; s < plan->steps; s++) {
        ct_json_open(json, NULL, '{');
        ct_json_add_text(json, "name", plan->name[s]);
        time_reals(json, "seconds", plan->seconds[s], rounds);
        ct_json_close(json, '}');
    }
    ct_json_close(json, ']');
    ct_json_close(json, '}');
}

void ct_time_plans_print(ct_text *json, const ct_plan_times *times)
{
    ct_json_open(json, "plans", '[');
    for (int p = 0; p < times->plans; p++)
        time_plan(json, &times->plan[p], times->rounds);
    ct_json_close(json, ']');
}

ct_status ct_tune_rehearse(char **json, const ct_plan *const *plans, size_t count,
                           ct_device *device, int rounds, int first, ct_error *err)
{
    CT_GIVEN_OUT(err, json, plans, device);
    ct_status status = CT_OK;
    ct_plan_times *all = NULL;
    ct_text text = {0};
    if (rounds < 1 || rounds > CT_ROUNDS_MOST)
        return ct_error_add(err, CT_USAGE, "expected 1 to %d rounds, found %d", CT_ROUNDS_MOST,
                            rounds);
    if (first < 0 || (size_t)first >= count)
        return ct_error_add(err, CT_USAGE, "expected the first of %zu plans, found %d", count,
                            first);
    for (size_t p = 0; p < count; p++) {
        const ct_plan *plan = plans[p];
        CT_GIVEN(err, plan);
    }
    CT_TRY(ct_device_check(device, err));
    CT_TRY(ct_time_plans_run(&all, plans, (int)count, device,
                             &(ct_time_plans_way){rounds, first, 0}, err));
    ct_json_open(&text, NULL, '{');
    ct_json_add_int(&text, "cornerturn_rehearsal", 1);
    ct_time_plans_print(&text, all);
    ct_json_close(&text, '}');
    CT_TRY(ct_text_take(json, &text, err));
out:
    ct_time_plans_free(all);
    return status;
}

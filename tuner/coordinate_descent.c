/* coordinate_descent.c: coordinate descent: each tunable's values one by one against the best so
 * far, in the same rounds, until a pass brings nothing or the time is up.
 * Room: tuner. Knows declared values. Does not know what they mean. */
#include "coordinate_descent.h"

#include "clock.h"
#include "fail.h"
#include "output_check.h"

enum { ROUNDS = 3 };

/* What takes so many times the best one's seconds at first is not timed again. */
#define HOPELESS 4.0

/* What is not clearly faster is noise. */
#define GAIN 0.97

typedef struct search {
    ct_step *step; /* holds the best tunables */
    ct_timed_step *best;
    ct_check right; /* what the first tunables write */
    double least;   /* seconds that the best took the first time */
    ct_device *device;
    ct_buffer_pool *pool;
    double until;
    bool better; /* in this pass */
} search;

static ct_status search_compare(search *state, ct_timed_step *other, bool *faster, ct_error *err)
{
    ct_status status = CT_OK;
    double seconds[2 * ROUNDS];
    const ct_timed pair[] = {ct_timed_step_timing(state->best), ct_timed_step_timing(other)};
    CT_TRY(ct_rounds_run(seconds, pair, 2, ROUNDS, err));
    *faster = ct_rounds_ratio(&seconds[ROUNDS], seconds, ROUNDS) < GAIN;
out:
    return status;
}

/* A time counts only where the output is right; a candidate that is hopelessly slow, or does not
 * run, is not timed at all. */
static bool search_is_fit(const search *state, ct_timed_step *other, double *seconds)
{
    return ct_check_run(&state->right, other, seconds, NULL) == CT_OK &&
           *seconds < HOPELESS * state->least;
}

/* A candidate that is not legal, or that the driver refuses, is passed over. */
static ct_status search_try(search *state, int tunable, int64_t value, ct_error *err)
{
    ct_status status = CT_OK;
    ct_timed_step *other = NULL;
    bool faster = false;
    double seconds = 0.0;
    int64_t before = state->step->tunable[tunable];
    if (value == before) return CT_OK;
    state->step->tunable[tunable] = value;
    if (ct_step_is_legal(state->step))
        (void)ct_timed_step_new(&other, state->device, state->step, state->pool, NULL);
    if (other != NULL && search_is_fit(state, other, &seconds))
        CT_TRY(search_compare(state, other, &faster, err));
    if (faster) {
        ct_timed_step *old = state->best;
        state->best = other;
        other = old;
        state->least = seconds;
        state->better = true;
    }
out:
    if (!faster) state->step->tunable[tunable] = before;
    ct_timed_step_free(other);
    return status;
}

static ct_status search_pass(search *state, ct_error *err)
{
    ct_status status = CT_OK;
    state->better = false;
    for (int i = 0; i < ct_step_tunables(state->step); i++)
        for (int n = 0; n < ct_step_tunable_count(state->step, i); n++) {
            if (ct_clock_now() > state->until) return CT_OK;
            CT_TRY(search_try(state, i, ct_step_tunable_value(state->step, i, n), err));
        }
out:
    return status;
}

ct_status ct_coordinate_descent_run(ct_step *step, ct_device *device, ct_buffer_pool *pool,
                                    double seconds, ct_error *err)
{
    ct_status status = CT_OK;
    search state = {.step = step, .device = device, .pool = pool};
    state.until = ct_clock_now() + seconds;
    if (seconds <= 0) return CT_OK;
    CT_TRY(ct_timed_step_new(&state.best, device, step, pool, err));
    CT_TRY(ct_check_take(&state.right, state.best, &state.least, err));
    do
        CT_TRY(search_pass(&state, err));
    while (state.better && ct_clock_now() < state.until);
out:
    ct_check_free(&state.right);
    ct_timed_step_free(state.best);
    return status;
}

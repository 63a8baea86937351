/* server_time_step.c: one step of a plan: built, checked against the default's, timed in pairs with
 * it. What was built last stays: its time may be asked next.
 * Room: tuner/server. Knows steps that are ready to be timed, and checks. Does not know what is
 * searched for. */
#include <string.h>

#include "clock.h"
#include "emit.h"
#include "expand.h"
#include "fail.h"
#include "limits.h"
#include "server_inner.h"
#include "timing_pairs.h"

enum { PAIRS = 30 };

#define HOPELESS 3.0

/* A timing. */
typedef struct measure {
    ct_server_built *built;
    ct_timed_step *copy; /* that a transpose is timed against */
    ct_flushed_step one, other;
    double waited_s;
} measure;

/* What can be known before the compiler is asked. */
static ct_status measure_group(const ct_device *device, const ct_step *step, ct_error *err)
{
    ct_launch launch[CT_LAUNCHES] = {0};
    const int launches = step->stage->kernel.text ? ct_emit_launches(step, launch, err) : 0;
    if (launches < 0) return CT_INVALID;
    for (int i = 0; i < launches; i++) {
        const size_t group = launch[i].local[0] * launch[i].local[1] * launch[i].local[2];
        if ((int64_t)group > device->work_group)
            return ct_error_add(err, CT_INVALID,
                                "step \"%s\" has %zu work-items in a group; device \"%s\" takes "
                                "at most %lld",
                                step->name, group, device->name, (long long)device->work_group);
    }
    return CT_OK;
}

static ct_status measure_build(ct_server_built *built, ct_server *server, ct_error *err)
{
    ct_status status = CT_OK;
    server->word = "constraints";
    CT_TRY(measure_group(server->device, built->at->step, err));
    server->word = "compile";
    const double from = ct_clock_now();
    CT_TRY(ct_timed_step_build(&built->timed, server->device, built->at->step, &server->pool, err));
    built->build_s = ct_clock_now() - from;
    server->word = "runtime";
    CT_TRY(ct_timed_step_fill(built->timed, err));
out:
    return status;
}

void ct_server_drop_built(ct_server *server)
{
    ct_server_built *built = &server->built;
    ct_timed_step_free(built->timed);
    if (built->by_default && built->by_default->timed) ct_timed_step_rest(built->by_default->timed);
    ct_plan_free(built->plan);
    ct_text_free(&built->question);
    *built = (ct_server_built){0};
}

/* The step and the plan, as one text. */
static ct_status measure_question(ct_text *out, const ct_value *question, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_value *plan = ct_value_get(question, "plan");
    ct_text_add_json(out, ct_value_text(ct_value_get(question, "step"), ""));
    if (plan) CT_TRY(ct_expand_value(out, plan, err));
    CT_TRY(ct_text_check(out, err));
out:
    return status;
}

/* *there: it is what was built last. */
static ct_status measure_is_built(bool *there, ct_server *server, const ct_value *question,
                                  ct_error *err)
{
    ct_text text = {0};
    const ct_text *last = &server->built.question;
    const ct_status status = measure_question(&text, question, err);
    *there = status == CT_OK && server->built.timed && strcmp(text.data, last->data) == 0;
    if (*there || status != CT_OK) {
        ct_text_free(&text);
    } else {
        ct_server_drop_built(server);
        server->built.question = text;
    }
    return status;
}

/* Builds the default first: if that fails, the cause is not this step. */
static ct_status measure_begin(ct_server *server, const ct_value *question, bool check,
                               ct_error *err)
{
    ct_status status = CT_OK;
    ct_server_built *built = &server->built;
    CT_TRY(ct_server_plan(&built->plan, server, ct_value_get(question, "plan"), err));
    server->word = "usage";
    CT_TRY(ct_server_step(&built->at, built->plan, question, err));
    if (built->at->node >= 0)
        CT_TRY(
            ct_server_default_get(&built->by_default, server, built->plan, built->at, check, err));
    CT_TRY(measure_build(built, server, err));
out:
    return status;
}

/* With what the driver compiled only when it ran first. */
static double measure_built(const ct_server_built *built)
{
    return built->build_s + (built->timed ? built->timed->first_s : 0);
}

/* What another process of the same tuning has compared already is not compared again: that takes
 * longer than timing it. */
static ct_status measure_check(ct_server *server, const ct_value *question, ct_error *err)
{
    ct_status status = CT_OK;
    bool there;
    ct_server_built *built = &server->built;
    const bool check = !ct_value_bool(ct_value_get(question, "checked"), false);
    CT_TRY(measure_is_built(&there, server, question, err));
    if (there && check && !built->checked && built->by_default)
        CT_TRY(
            ct_server_default_get(&built->by_default, server, built->plan, built->at, true, err));
    if (!there) CT_TRY(measure_begin(server, question, check, err));
    if (!check || built->checked) return CT_OK;
    server->word = "runtime";
    if (built->by_default)
        CT_TRY(ct_check_run(&built->by_default->check, built->timed, &built->seconds, err));
    else
        CT_TRY(ct_check_run_copy(built->timed, &built->seconds, err));
    built->checked = true;
out:
    return status;
}

ct_status ct_server_build(ct_server *server, const ct_value *question, ct_text *json, ct_error *err)
{
    const ct_status status = measure_check(server, question, err);
    ct_json_add_real(json, "build_s", measure_built(&server->built));
    ct_json_add_real(json, "seconds", server->built.seconds);
    if (status != CT_OK) ct_server_drop_built(server);
    return status;
}

/* ---------------------------------------------------------------- timing */

static ct_status measure_pairs(ct_pairs *pairs, const ct_value *question, ct_error *err)
{
    const int64_t most = ct_value_int(ct_value_get(question, "pairs"), PAIRS);
    pairs->hopeless = ct_value_real(ct_value_get(question, "hopeless"), HOPELESS);
    pairs->most = (int)most;
    if (most >= 1 && most <= CT_ROUNDS_MOST) return CT_OK;
    return ct_error_add(err, CT_USAGE, "expected 1 to %d \"pairs\"", CT_ROUNDS_MOST);
}

/* A node's step against the default's; a transpose against a copy of as many bytes. */
static ct_status measure_against(measure *m, ct_server *server, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_server_built *built = m->built;
    if (!built->by_default)
        CT_TRY(ct_limits_copy(&m->copy, server->device,
                              (int64_t)(ct_timed_step_bytes(built->at->step) / 2), &server->copies,
                              err));
    m->one = (ct_flushed_step){built->timed, &server->flush};
    m->other =
        (ct_flushed_step){built->by_default ? built->by_default->timed : m->copy, &server->flush};
out:
    return status;
}

static void measure_say_seconds(ct_text *json, const char *key, const double *seconds, int count)
{
    ct_json_open(json, key, '[');
    for (int n = 0; n < count; n++)
        ct_text_add(json, "%s%.9g", n > 0 ? ", " : "", seconds[n]);
    ct_json_close(json, ']');
}

/* Where timing was too short to tell, the load since the question came. */
static const ct_background_load *measure_from(const ct_background_load at[3])
{
    return ct_load_between(&at[1], &at[2]) < 0 ? &at[0] : &at[1];
}

static void measure_say(ct_text *json, const measure *m, const ct_pairs *pairs,
                        const ct_background_load at[3])
{
    measure_say_seconds(json, "seconds", pairs->a, pairs->count);
    measure_say_seconds(json, "default_seconds", pairs->b, pairs->count);
    ct_json_add_real(json, "build_s", measure_built(m->built));
    ct_server_add_load(json, measure_from(at), &at[2]);
    if (m->waited_s > 0) ct_json_add_real(json, "waited_s", m->waited_s);
}

static ct_status measure_time(ct_pairs *pairs, const ct_timed *one, const ct_timed *other,
                              ct_background_load at[3], ct_error *err)
{
    ct_load_now(&at[1]);
    const ct_status status = ct_pairs_run(pairs, one, other, err);
    ct_load_now(&at[2]);
    return status;
}

/* Times again, if other processes have disturbed it and then end. */
static ct_status measure_again(measure *m, ct_pairs *pairs, const ct_timed *one,
                               const ct_timed *other, ct_background_load at[3], double patience,
                               ct_error *err)
{
    bool is_quiet;
    const ct_noise_control here = ct_noise_control_here();
    if (!(patience > 0) || !ct_noise_is_disturbing(measure_from(at), &at[2])) return CT_OK;
    m->waited_s = ct_noise_wait(&here, patience, &is_quiet);
    return is_quiet ? measure_time(pairs, one, other, at, err) : CT_OK;
}

ct_status ct_server_time(ct_server *server, const ct_value *question, ct_text *json, ct_error *err)
{
    ct_status status = CT_OK;
    measure m = {.built = &server->built};
    ct_pairs pairs = {0};
    ct_background_load at[3];
    ct_load_now(&at[0]);
    CT_TRY(measure_pairs(&pairs, question, err));
    CT_TRY(measure_check(server, question, err));
    CT_TRY(measure_against(&m, server, err));
    const ct_timed one = ct_cache_flush_timed(&m.one), other = ct_cache_flush_timed(&m.other);
    CT_TRY(measure_time(&pairs, &one, &other, at, err));
    CT_TRY(measure_again(&m, &pairs, &one, &other, at,
                         ct_value_real(ct_value_get(question, "patience"), 0), err));
    measure_say(json, &m, &pairs, at);
out:
    ct_timed_step_free(m.copy);
    ct_server_drop_built(server);
    return status;
}

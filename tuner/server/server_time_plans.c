/* server_time_plans.c: whole plans, one block again and again, in turn.
 * Room: tuner/server. Knows plans. Does not know how a rehearsal goes. */
#include "fail.h"
#include "server_inner.h"
#include "time_plans.h"
#include "timing_rounds.h"

enum { ROUNDS = 5, PLANS = 64 };

/* All that is asked for; the caller frees those that were made. */
static ct_status rehearse_plans(ct_plan *plans[PLANS], ct_server *server, const ct_value *list,
                                ct_error *err)
{
    ct_status status = CT_OK;
    const size_t count = ct_value_count(list);
    if (ct_value_kind(list) != CT_LIST || count < 1 || count > PLANS)
        CT_TRY(ct_error_add(err, CT_USAGE, "expected \"plans\": a list of 1 to %d", PLANS));
    for (size_t i = 0; i < count; i++)
        CT_TRY(ct_server_plan(&plans[i], server, ct_value_at(list, i), err));
out:
    return status;
}

static ct_status rehearse_run(ct_server *server, ct_plan *const plans[PLANS], int count,
                              const ct_time_plans_way *way, ct_text *json, ct_error *err)
{
    ct_status status = CT_OK;
    ct_plan_times *all = NULL;
    ct_background_load from, to;
    ct_server_make_room(server);
    ct_load_now(&from);
    server->word = "runtime";
    CT_TRY(ct_time_plans_run(&all, (const ct_plan *const *)plans, count, server->device, way, err));
    ct_load_now(&to);
    ct_time_plans_print(json, all);
    ct_server_add_load(json, &from, &to);
out:
    if (status == CT_INVALID) server->word = "constraints"; /* too large */
    ct_time_plans_free(all);
    return status;
}

ct_status ct_server_time_plans(ct_server *server, const ct_value *question, ct_text *json,
                               ct_error *err)
{
    ct_status status = CT_OK;
    ct_plan *plans[PLANS] = {NULL};
    const ct_value *list = ct_value_get(question, "plans");
    const int count = (int)ct_value_count(list);
    const int64_t rounds = ct_value_int(ct_value_get(question, "rounds"), ROUNDS);
    const int64_t first = ct_value_int(ct_value_get(question, "first"), 0);
    if (rounds < 1 || rounds > CT_ROUNDS_MOST)
        CT_TRY(ct_error_add(err, CT_USAGE, "expected 1 to %d \"rounds\"", CT_ROUNDS_MOST));
    if (first != 0 && (first < 0 || first >= count))
        CT_TRY(ct_error_add(err, CT_USAGE, "expected \"first\": 0 to %d", count - 1));
    CT_TRY(rehearse_plans(plans, server, list, err));
    const ct_time_plans_way way = {(int)rounds, (int)first, 0};
    CT_TRY(rehearse_run(server, plans, count, &way, json, err));
out:
    for (int i = 0; i < PLANS; i++)
        ct_plan_free(plans[i]);
    return status;
}

/* backend_workers.c: see backend_workers.h.
 * Room: tuner/backend. */
#include "backend_workers.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"

#include <math.h>

#include "clock.h"
#include "fail.h"
#include "worker.h"
#include "workers_inner.h"

/* Seconds to wait for other processes to end: at a time, in all as a part of the budget, and in all
 * where there is no budget. */
#define WORKERS_WAIT_S 3
#define WORKERS_WAIT_SHARE 0.05
#define WORKERS_WAIT_ALL_S 60

/* ---- questions about a plan */

static ct_status workers_about(void *of, const char *verb, const char *step, const char *text,
                               ct_value **out, ct_error *err)
{
    ct_status status = CT_OK;
    ct_workers_backend *backend = of;
    ct_text request = {0};
    ct_text_add(&request, "{\"do\":\"%s\",\"plan\":%s", verb, text);
    if (step) {
        ct_text_add(&request, ",\"step\":");
        ct_text_add_json(&request, step);
    }
    ct_text_add(&request, "}");
    CT_TRY(ct_text_check(&request, err));
    CT_TRY(ct_worker_pool_ask(backend->workers->pool, request.data, 1, out, err));
out:
    ct_text_free(&request);
    return status;
}

static double workers_now(void *of)
{
    const ct_workers_backend *backend = of;
    return ct_clock_now() - backend->workers->began;
}

static void workers_limit(void *of, double due, double end)
{
    ct_backend_workers *workers = ((const ct_workers_backend *)of)->workers;
    workers->due = isfinite(due) ? workers->began + due : 0;
    workers->end = isfinite(end) ? workers->began + end : 0;
}

/* Where several workers were busy in the same second, that second is divided among what they did.
 */
static ct_spent workers_spent(void *of)
{
    const ct_workers_backend *backend = of;
    const ct_backend_workers *workers = backend->workers;
    const ct_worker_pool_spent pool = ct_worker_pool_account(workers->pool);
    const double built = pool.working > 0 ? workers->build_s / pool.working : 0;
    const double share = built < 1 ? built : 1;
    return (ct_spent){.building = share * pool.shared,
                      .preparing = (1 - share) * pool.shared,
                      .timing = pool.single - workers->waited_s,
                      .rehearsing = workers->rehearsed_s,
                      .waiting = workers->waited_s,
                      .all = workers_now(of)};
}

/* ---- life */

ct_status ct_backend_workers_new(ct_backend_workers **out, ct_context *context,
                                 const ct_graph *graph, const char *device, const ct_tune *options,
                                 const ct_value **hello, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arena *arena = NULL;
    ct_text text = {0};
    ct_backend_workers *workers = ct_arena_begin(&arena, sizeof *workers);
    CT_NEED(workers, sizeof *workers, err);
    workers->arena = arena;
    workers->began = ct_clock_now();
    workers->quiet = true;
    workers->wait_s = options->timeout_s > 0 && options->timeout_s < WORKERS_WAIT_S
                          ? options->timeout_s
                          : WORKERS_WAIT_S;
    workers->patience_s =
        options->budget_s > 0 ? WORKERS_WAIT_SHARE * options->budget_s : WORKERS_WAIT_ALL_S;
    CT_TRY(ct_worker_print_hello(&text, graph, device, err));
    CT_TRY(ct_worker_pool_new(&workers->pool, context, options, text.data, err));
    CT_TRY(ct_worker_pool_hello(workers->pool, hello, err));
out:
    ct_text_free(&text);
    if (status != CT_OK) {
        ct_backend_workers_free(workers);
        workers = NULL;
    }
    *out = workers;
    return status;
}

ct_backend ct_backend_workers_of(ct_backend_workers *workers, const ct_space *space)
{
    ct_workers_backend *backend = ct_arena_get(workers->arena, sizeof *backend);
    if (backend) *backend = (ct_workers_backend){workers, space};
    return (ct_backend){.of = backend,
                        .ask = ct_workers_ask,
                        .digests = ct_workers_digests,
                        .time_plans = ct_workers_time_plans,
                        .about = workers_about,
                        .now = workers_now,
                        .spent = workers_spent,
                        .limit = workers_limit};
}

int ct_backend_workers_count(const ct_backend_workers *workers)
{
    return ct_worker_pool_count(workers->pool);
}

void ct_backend_workers_free(ct_backend_workers *workers)
{
    if (!workers) return;
    ct_worker_pool_free(workers->pool);
    ct_arena_free(workers->arena);
}

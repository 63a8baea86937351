/* crew.c: see crew.h.
 * Room: tuner/pipeline. */
#include "crew.h"

#include <unistd.h>

#include "fail.h"
#include "memory.h"
#include "worker.h"

#define CREW_TIMEOUT 30.0
enum { CREW_BUILDERS = 16 };

struct ct_crew {
    ct_worker *timer;
    ct_worker *builders[CREW_BUILDERS];
    int count; /* builders */
    double timeout_s;
};

static int crew_builders(const ct_tune *options)
{
    const int64_t cores = (int64_t)sysconf(_SC_NPROCESSORS_ONLN);
    const int64_t jobs = options->jobs > 0 ? options->jobs : cores;
    if (!options->worker) return 0; /* this process builds when it times */
    return jobs < 1 ? 1 : jobs > CREW_BUILDERS ? CREW_BUILDERS : (int)jobs;
}

ct_status ct_crew_new(ct_crew **out, ct_context *context, const ct_tune *options, const char *hello,
                      ct_error *err)
{
    ct_status status = CT_OK;
    ct_crew *crew = ct_memory_get(sizeof *crew);
    CT_NEED(crew, sizeof *crew, err);
    crew->timeout_s = options->timeout_s > 0 ? options->timeout_s : CREW_TIMEOUT;
    const ct_worker_start start = {options->worker, context, hello, 4 * crew->timeout_s};
    CT_TRY(ct_worker_new(&crew->timer, &start, err));
    for (; crew->count < crew_builders(options); crew->count++)
        CT_TRY(ct_worker_new(&crew->builders[crew->count], &start, err));
out:
    if (status != CT_OK) {
        ct_crew_free(crew);
        crew = NULL;
    }
    *out = crew;
    return status;
}

void ct_crew_free(ct_crew *crew)
{
    if (!crew) return;
    ct_worker_free(crew->timer);
    for (int i = 0; i < crew->count; i++)
        ct_worker_free(crew->builders[i]);
    ct_memory_free(crew);
}

ct_status ct_crew_hello(ct_crew *crew, const ct_value **answer, ct_error *err)
{
    const ct_status status = ct_worker_ready(crew->timer, err);
    *answer = ct_worker_about(crew->timer);
    return status;
}

ct_status ct_crew_ask(ct_crew *crew, const char *request, double patience, ct_value **answer,
                      ct_error *err)
{
    return ct_worker_ask(answer, crew->timer, request, patience * crew->timeout_s, err);
}

ct_status ct_crew_renew(ct_crew *crew, ct_error *err)
{
    ct_worker_stop(crew->timer);
    return ct_worker_ready(crew->timer, err);
}

/* ---- builders */

bool ct_crew_builds(const ct_crew *crew)
{
    return crew->count > 0;
}

typedef struct crew_each {
    ct_crew *crew;
    int next, count, done;
    int at[CREW_BUILDERS]; /* which request a builder is at */
    ct_status (*make)(void *of, int n, ct_text *request, ct_error *err);
    ct_status (*told)(void *of, int n, const ct_value *answer, ct_error *err);
    void *of;
} crew_each;

static ct_status crew_send(crew_each *each, int builder, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text request = {0};
    each->at[builder] = each->next++;
    CT_TRY(each->make(each->of, each->at[builder], &request, err));
    CT_TRY(ct_worker_send(each->crew->builders[builder], request.data, each->crew->timeout_s, err));
out:
    ct_text_free(&request);
    return status;
}

static ct_status crew_wait(crew_each *each, ct_error *err)
{
    ct_status status = CT_OK;
    ct_value *answer = NULL;
    int which = -1;
    CT_TRY(ct_worker_wait(&which, &answer, each->crew->builders, each->crew->count,
                          2 * each->crew->timeout_s, err));
    if (which < 0) goto out;
    each->done++;
    CT_TRY(each->told(each->of, each->at[which], answer, err));
out:
    ct_value_free(answer);
    return status;
}

ct_status ct_crew_each(ct_crew *crew, int count,
                       ct_status (*make)(void *of, int n, ct_text *request, ct_error *err),
                       ct_status (*told)(void *of, int n, const ct_value *answer, ct_error *err),
                       void *of, ct_error *err)
{
    ct_status status = CT_OK;
    crew_each each = {.crew = crew, .count = count, .make = make, .told = told, .of = of};
    while (crew->count > 0 && each.done < count) {
        for (int i = 0; i < crew->count && each.next < count; i++)
            if (!ct_worker_is_busy(crew->builders[i])) CT_TRY(crew_send(&each, i, err));
        CT_TRY(crew_wait(&each, err));
    }
out:
    return status;
}

/* meter_workers.c: see meter_workers.h.
 * Room: tuner/pipeline. */
#include "meter_workers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "candidate.h"
#include "crew.h"
#include "fail.h"
#include "lines.h"
#include "verdict.h"
#include "worker.h"

/* A worker that was started just now first has to compile the default. */
#define WORKERS_FIRST 4

/* Other processes' end is waited for so long at a time, and for this share of the budget in all, or
 * so many seconds where there is none. */
#define WORKERS_WAIT_S 3
#define WORKERS_WAIT_SHARE 0.05
#define WORKERS_WAIT_ALL_S 60

typedef struct workers_meter {
    ct_meter_workers *workers;
    const ct_space *space;
} workers_meter;

struct ct_meter_workers {
    ct_crew *crew;
    double began;
    double patience_s; /* that is left for waiting for other processes */
    double wait_s;     /* of that at a time */
    bool calm;         /* the last measurement was not disturbed: waiting is worth it */
    double pace;       /* what a measurement took from beginning to end, of late; 0 not known */
    double build_s;    /* workers' seconds, one beside the other */
    double waited_s, rehearsed_s;
    double due, end; /* see ct_meter's limit; on the crew's clock, 0: never */
    ct_arena *arena;
};

/* ---- requests and answers */

static double workers_patience(const ct_meter_workers *workers)
{
    if (!workers->calm || workers->patience_s <= 0) return 0;
    return workers->patience_s < workers->wait_s ? workers->patience_s : workers->wait_s;
}

static void workers_waited(ct_meter_workers *workers, const ct_answer *answer)
{
    workers->patience_s -= answer->waited_s;
    workers->waited_s += answer->waited_s;
    workers->calm = !answer->disturbed;
}

static ct_status workers_request(ct_text *out, const char *verb, const workers_meter *meter,
                                 const ct_question *q, ct_error *err)
{
    ct_status status = CT_OK;
    char step[CT_CANDIDATE_STEP];
    ct_text plan = {0};
    CT_TRY(ct_candidate_question(&plan, step, meter->space, q, err));
    ct_text_add(out, "{\"do\":\"%s\",\"step\":", verb);
    ct_text_add_json(out, step);
    if (!strcmp(verb, "time"))
        ct_text_add(out, ",\"pairs\":%d,\"checked\":true,\"patience\":%.3g",
                    q->pairs ? q->pairs : CT_METER_PAIRS, workers_patience(meter->workers));
    if (!strcmp(verb, "build") && q->again) ct_text_add(out, ",\"checked\":true");
    ct_text_add(out, ",\"plan\":%s}", plan.data);
    CT_TRY(ct_text_check(out, err));
out:
    ct_text_free(&plan);
    return status;
}

/* ---- cells and transposes: built and compared side by side, timed one at a time */

typedef ct_status workers_tell(void *to, const ct_question *, const ct_answer *, ct_error *);

enum { WORKERS_BUILD, WORKERS_TIME, WORKERS_STAGES };

typedef struct workers_batch {
    const workers_meter *meter;
    const ct_question *questions;
    double *from, *build_s; /* when each was begun */
    int told_of;
    workers_tell *told;
    void *to;
} workers_batch;

static ct_status workers_make(void *of, int n, int stage, ct_text *request, ct_error *err)
{
    const workers_batch *batch = of;
    if (stage == WORKERS_BUILD) batch->from[n] = ct_crew_now();
    return workers_request(request, stage == WORKERS_BUILD ? "build" : "time", batch->meter,
                           &batch->questions[n], err);
}

static ct_status workers_told(void *of, int n, int stage, const ct_value *json, bool *done,
                              ct_error *err)
{
    workers_batch *batch = of;
    ct_meter_workers *workers = batch->meter->workers;
    ct_answer answer;
    ct_lines_read_answer(json, &answer);
    const bool timed = stage == WORKERS_TIME && answer.end == CT_END_correct;
    if (answer.end == CT_ENDS || (timed && answer.count == 0)) answer.end = CT_END_runtime;
    if (stage == WORKERS_BUILD) workers->build_s += batch->build_s[n] = answer.build_s;
    *done = stage == WORKERS_TIME || answer.end != CT_END_correct;
    if (!*done) return CT_OK;
    if (stage == WORKERS_TIME) workers_waited(workers, &answer);
    const double took = ct_crew_now() - batch->from[n];
    workers->pace = workers->pace > 0 ? 0.75 * workers->pace + 0.25 * took : took;
    answer.build_s = batch->build_s[n];
    batch->told_of++;
    return batch->told(batch->to, &batch->questions[n], &answer, err);
}

static bool workers_more(void *of, int n)
{
    const ct_meter_workers *workers = ((const workers_batch *)of)->meter->workers;
    (void)n;
    return workers->due <= 0 || ct_crew_now() + workers->pace < workers->due;
}

static void workers_limit(void *of, double due, double end)
{
    ct_meter_workers *workers = ((const workers_meter *)of)->workers;
    workers->due = isfinite(due) ? workers->began + due : 0;
    workers->end = isfinite(end) ? workers->began + end : 0;
}

static ct_status workers_ask(void *of, const ct_question *questions, int count, workers_tell *told,
                             void *to, ct_error *err)
{
    ct_status status = CT_OK;
    const workers_meter *meter = of;
    double *from = ct_memory_get(sizeof *from * (size_t)count);
    double *build_s = ct_memory_get(sizeof *build_s * (size_t)count);
    workers_batch batch = {.meter = meter,
                           .questions = questions,
                           .from = from,
                           .build_s = build_s,
                           .told = told,
                           .to = to};
    const ct_crew_tasks tasks = {.of = &batch,
                                 .count = count,
                                 .stages = WORKERS_STAGES,
                                 .make = workers_make,
                                 .told = workers_told,
                                 .more = workers_more,
                                 .patience = {1, WORKERS_FIRST},
                                 .until = meter->workers->end};
    CT_NEED(from, sizeof *from * (size_t)count, err);
    CT_NEED(build_s, sizeof *build_s * (size_t)count, err);
    CT_TRY(ct_crew_each(meter->workers->crew, &tasks, err));
    if (batch.told_of < count) status = CT_EOF;
out:
    ct_memory_free(from);
    ct_memory_free(build_s);
    return status;
}

/* ---- what is the same work */

typedef struct workers_digests {
    const workers_meter *meter;
    const ct_question *questions;
    char (*digests)[CT_METER_SAME];
} workers_digests;

static ct_status workers_make_same(void *of, int n, int stage, ct_text *request, ct_error *err)
{
    const workers_digests *all = of;
    (void)stage;
    return workers_request(request, "same", all->meter, &all->questions[n], err);
}

static ct_status workers_told_same(void *of, int n, int stage, const ct_value *answer, bool *done,
                                   ct_error *err)
{
    const workers_digests *all = of;
    (void)stage, (void)done, (void)err;
    snprintf(all->digests[n], CT_METER_SAME, "%s", ct_value_text(ct_value_get(answer, "same"), ""));
    return CT_OK;
}

static ct_status workers_same(void *of, const ct_question *questions, int count,
                              char (*digests)[CT_METER_SAME], ct_error *err)
{
    const workers_meter *meter = of;
    workers_digests all = {meter, questions, digests};
    const ct_crew_tasks tasks = {.of = &all,
                                 .count = count,
                                 .stages = 1,
                                 .make = workers_make_same,
                                 .told = workers_told_same,
                                 .patience = {1}};
    return ct_crew_each(meter->workers->crew, &tasks, err);
}

/* ---- whole plans */

static ct_status workers_steps(const ct_value *steps, ct_whole *out, ct_arena *arena, ct_error *err)
{
    out->steps = (int)ct_value_count(steps);
    out->name = ct_arena_get(arena, sizeof *out->name * (size_t)(out->steps + 1));
    out->seconds = ct_arena_get(arena, sizeof *out->seconds * (size_t)(out->steps + 1));
    if (!out->name || !out->seconds) return ct_arena_check(arena, err);
    for (int i = 0; i < out->steps; i++) {
        const ct_value *step = ct_value_at(steps, (size_t)i);
        const ct_value *seconds = ct_value_get(step, "seconds");
        out->name[i] = ct_arena_copy(arena, ct_value_text(ct_value_get(step, "name"), ""));
        double each[CT_METER_WALLS];
        int count = 0;
        for (; count < CT_METER_WALLS && count < (int)ct_value_count(seconds); count++)
            each[count] = ct_value_real(ct_value_at(seconds, (size_t)count), 0);
        out->seconds[i] = count ? ct_verdict_median(each, count) : 0;
    }
    return CT_OK;
}

static ct_status workers_whole(const ct_value *answer, int count, ct_whole *out, ct_arena *arena,
                               ct_error *err)
{
    ct_status status = CT_OK;
    const ct_value *plans = ct_value_get(answer, "plans");
    const char *say = ct_value_text(ct_value_get(answer, "say"), "a worker gave no answer");
    if ((int)ct_value_count(plans) != count)
        return ct_error_add(err, CT_FAILED, "whole plans cannot be rehearsed: %s", say);
    for (int i = 0; i < count; i++) {
        const ct_value *plan = ct_value_at(plans, (size_t)i), *wall = ct_value_get(plan, "wall");
        for (size_t w = 0; w < ct_value_count(wall) && out[i].walls < CT_METER_WALLS; w++)
            out[i].wall[out[i].walls++] = ct_value_real(ct_value_at(wall, w), 0);
        CT_TRY(workers_steps(ct_value_get(plan, "steps"), &out[i], arena, err));
        const double load = ct_value_real(ct_value_get(answer, "load"), 0);
        if (load > out[i].load) out[i].load = load;
        out[i].disturbed |= ct_value_bool(ct_value_get(answer, "disturbed"), false);
    }
out:
    return status;
}

/* In the process that there is; plans are made from the first-th on. */
static ct_status workers_once(workers_meter *meter, const char *request, int first, int count,
                              ct_whole *out, ct_arena *arena, ct_error *err)
{
    ct_status status = CT_OK;
    ct_value *answer = NULL;
    ct_text whole = {0};
    ct_text_add(&whole, "%s,\"first\":%d}", request, first);
    CT_TRY(ct_text_check(&whole, err));
    CT_TRY(ct_crew_ask(meter->workers->crew, whole.data, 10, &answer, err));
    CT_TRY(workers_whole(answer, count, out, arena, err));
out:
    ct_value_free(answer);
    ct_text_free(&whole);
    return status;
}

static ct_status workers_rehearse(void *of, const ct_pick *picks, const char *const *texts,
                                  int count, int rounds, int fresh, ct_whole *out, ct_arena *arena,
                                  ct_error *err)
{
    ct_status status = CT_OK;
    workers_meter *meter = of;
    ct_text request = {0};
    const double from = ct_crew_now();
    (void)picks;
    ct_text_add(&request, "{\"do\":\"rehearse\",\"rounds\":%d,\"plans\":[", rounds);
    for (int i = 0; i < count; i++) {
        out[i] = (ct_whole){0};
        ct_text_add(&request, "%s%s", i ? "," : "", texts[i]);
    }
    ct_text_add(&request, "]");
    CT_TRY(ct_text_check(&request, err));
    for (int process = 0; process < (fresh ? fresh : 1); process++) {
        if (fresh) CT_TRY(ct_crew_renew(meter->workers->crew, err));
        CT_TRY(workers_once(meter, request.data, process % count, count, out, arena, err));
    }
out:
    meter->workers->rehearsed_s += ct_crew_now() - from;
    ct_text_free(&request);
    return status;
}

/* ---- questions about a plan */

static ct_status workers_about(void *of, const char *verb, const char *step, const char *text,
                               ct_value **out, ct_error *err)
{
    ct_status status = CT_OK;
    workers_meter *meter = of;
    ct_text request = {0};
    ct_text_add(&request, "{\"do\":\"%s\",\"plan\":%s", verb, text);
    if (step) {
        ct_text_add(&request, ",\"step\":");
        ct_text_add_json(&request, step);
    }
    ct_text_add(&request, "}");
    CT_TRY(ct_text_check(&request, err));
    CT_TRY(ct_crew_ask(meter->workers->crew, request.data, 1, out, err));
out:
    ct_text_free(&request);
    return status;
}

static ct_status workers_tunables(void *of, const char *step, const char *text, ct_value **out,
                                  ct_error *err)
{
    return workers_about(of, "tunables", step, text, out, err);
}

static ct_status workers_resolve(void *of, const char *text, ct_value **out, ct_error *err)
{
    return workers_about(of, "resolve", NULL, text, out, err);
}

static double workers_now(void *of)
{
    const workers_meter *meter = of;
    return ct_crew_now() - meter->workers->began;
}

/* What several did side by side in one second is that second's, by their shares. */
static ct_spent workers_spent(void *of)
{
    const workers_meter *meter = of;
    const ct_meter_workers *workers = meter->workers;
    const ct_crew_spent crew = ct_crew_account(workers->crew);
    const double built = crew.working > 0 ? workers->build_s / crew.working : 0;
    const double share = built < 1 ? built : 1;
    return (ct_spent){.building = share * crew.shared,
                      .preparing = (1 - share) * crew.shared,
                      .timing = crew.single - workers->waited_s,
                      .rehearsing = workers->rehearsed_s,
                      .waiting = workers->waited_s,
                      .all = workers_now(of)};
}

/* ---- life */

ct_status ct_meter_workers_new(ct_meter_workers **out, ct_context *context, const ct_graph *graph,
                               const char *device, const ct_tune *options, const ct_value **hello,
                               ct_error *err)
{
    ct_status status = CT_OK;
    ct_arena *arena = NULL;
    ct_text text = {0};
    ct_meter_workers *workers = ct_arena_begin(&arena, sizeof *workers);
    CT_NEED(workers, sizeof *workers, err);
    workers->arena = arena;
    workers->began = ct_crew_now();
    workers->calm = true;
    workers->wait_s = options->timeout_s > 0 && options->timeout_s < WORKERS_WAIT_S
                          ? options->timeout_s
                          : WORKERS_WAIT_S;
    workers->patience_s =
        options->budget_s > 0 ? WORKERS_WAIT_SHARE * options->budget_s : WORKERS_WAIT_ALL_S;
    CT_TRY(ct_worker_print_hello(&text, graph, device, err));
    CT_TRY(ct_crew_new(&workers->crew, context, options, text.data, err));
    CT_TRY(ct_crew_hello(workers->crew, hello, err));
out:
    ct_text_free(&text);
    if (status != CT_OK) {
        ct_meter_workers_free(workers);
        workers = NULL;
    }
    *out = workers;
    return status;
}

ct_meter ct_meter_workers_meter(ct_meter_workers *workers, const ct_space *space)
{
    workers_meter *meter = ct_arena_get(workers->arena, sizeof *meter);
    if (meter) *meter = (workers_meter){workers, space};
    return (ct_meter){.of = meter,
                      .ask = workers_ask,
                      .same = workers_same,
                      .rehearse = workers_rehearse,
                      .tunables = workers_tunables,
                      .resolve = workers_resolve,
                      .now = workers_now,
                      .spent = workers_spent,
                      .limit = workers_limit};
}

int ct_meter_workers_count(const ct_meter_workers *workers)
{
    return ct_crew_count(workers->crew);
}

void ct_meter_workers_free(ct_meter_workers *workers)
{
    if (!workers) return;
    ct_crew_free(workers->crew);
    ct_arena_free(workers->arena);
}

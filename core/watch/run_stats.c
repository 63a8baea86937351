/* run_stats.c: how a run goes, as a line of JSON; and the memory of the process.
 * Room: core/watch. Knows counters and progress. Does not know what steps do, or who reads it. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "clock.h"
#include "fail.h"
#include "json_text.h"
#include "run_watch.h"

int64_t ct_run_memory(void)
{
    char text[128];
    const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    const ssize_t have = read(file, text, sizeof text - 1);
    close(file);
    text[have > 0 ? have : 0] = 0;
    const char *second = strchr(text, ' ');
    return second ? strtoll(second, NULL, 10) * (int64_t)sysconf(_SC_PAGESIZE) : 0;
}

int64_t ct_run_memory_most(void)
{
    struct rusage use;
    return getrusage(RUSAGE_SELF, &use) == 0 ? INT64_C(1024) * use.ru_maxrss : 0;
}

/* ---- a step's numbers */

/* The counters of one step. */
typedef struct stats_step {
    const ct_run_count *one;
    size_t count;
} stats_step;

typedef bool stats_like(const ct_counter *a, const ct_counter *b);

/* Whether a counter before the n-th is like it. */
static bool came_before(const stats_step *of, size_t n, stats_like *alike)
{
    for (size_t i = 0; i < n; i++)
        if (alike(&of->one[i].counter, &of->one[n].counter)) return true;
    return false;
}

static void add_counter(ct_text *json, const ct_counter *one, double value)
{
    char name[CT_RUN_COUNT_NAME];
    ct_json_add_real(json, ct_run_counts_name(one, name), value);
}

/* Sums over all stations and lanes. */
static void add_sums(ct_text *json, const stats_step *of)
{
    for (size_t n = 0; n < of->count; n++) {
        const ct_counter *one = &of->one[n].counter;
        double sum = 0;
        if (came_before(of, n, ct_run_counts_alike)) continue;
        for (size_t i = n; i < of->count; i++)
            if (ct_run_counts_alike(one, &of->one[i].counter)) sum += of->one[i].counter.value;
        add_counter(json, one, sum);
    }
}

static void add_part(ct_text *json, const stats_step *of, const ct_counter *whose)
{
    ct_json_open(json, NULL, '{');
    if (whose->station) ct_json_add_text(json, "station", whose->station);
    if (whose->lane) ct_json_add_text(json, "lane", whose->lane);
    for (size_t n = 0; n < of->count; n++)
        if (ct_run_counts_part(&of->one[n].counter, whose))
            add_counter(json, &of->one[n].counter, of->one[n].counter.value);
    ct_json_close(json, '}');
}

static void add_parts(ct_text *json, const stats_step *of)
{
    bool some = false;
    for (size_t n = 0; n < of->count; n++) {
        const ct_counter *one = &of->one[n].counter;
        if ((!one->station && !one->lane) || came_before(of, n, ct_run_counts_part)) continue;
        if (!some) ct_json_open(json, "lanes", '[');
        some = true;
        add_part(json, of, one);
    }
    if (some) ct_json_close(json, ']');
}

static void add_nodes(ct_text *json, const ct_run *run, const ct_run_counts *counts)
{
    ct_json_open(json, "nodes", '{');
    for (size_t n = 0; n < counts->count;) {
        stats_step of = {&counts->one[n], 0};
        const int s = of.one->step;
        for (; n < counts->count && counts->one[n].step == s; n++)
            of.count++;
        ct_json_open(json, run->plan->steps[s].name, '{');
        ct_json_add_text(json, "stage", run->steps[s].step->stage->name);
        add_sums(json, &of);
        add_parts(json, &of);
        ct_json_close(json, '}');
    }
    ct_json_close(json, '}');
}

/* ---- the run's */

static double ratio(double signal_s, double wall_s)
{
    return wall_s > 0 ? signal_s / wall_s : 0;
}

static void add_speed(ct_text *json, const ct_progress *now, const ct_progress *since)
{
    ct_json_add_real(json, "signal_s", now->signal_s);
    ct_json_add_real(json, "wall_s", now->wall_s);
    ct_json_add_real(json, "build_s", now->build_s);
    ct_json_add_real(json, "real_time", ratio(now->signal_s, now->wall_s));
    ct_json_add_real(json, "real_time_now",
                     ratio(now->signal_s - since->signal_s, now->wall_s - since->wall_s));
}

static void add_run(ct_text *json, const ct_run *run, const ct_progress *now,
                    const ct_progress *since)
{
    ct_json_add_real(json, "time_s", run->started ? ct_clock_now() - run->begun : 0);
    ct_json_add_int(json, "block", now->block);
    ct_json_add_int(json, "blocks", now->blocks);
    add_speed(json, now, since);
    ct_json_add_real(json, "read_wait_s", now->read_wait_s);
    ct_json_add_real(json, "write_wait_s", now->write_wait_s);
    ct_json_add_real(json, "journal_s", now->journal_s);
    ct_json_add_int(json, "ahead", now->ahead);
    ct_json_add_int(json, "behind", now->behind);
    ct_json_add_int(json, "flagged", now->flagged);
    ct_json_add_int(json, "samples", now->samples);
    const int64_t memory = ct_run_memory(), most = ct_run_memory_most();
    ct_json_add_int(json, "memory", memory);
    ct_json_add_int(json, "memory_most", memory > most ? memory : most);
    ct_json_add_bool(json, "final", run->finished);
    ct_json_add_int(json, "status", (int)run->failed);
}

static void add_steps(ct_text *json, const ct_run *run)
{
    ct_json_open(json, "steps", '{');
    for (int s = 0; s < run->plan->count; s++)
        ct_json_add_real(json, run->plan->steps[s].name, run->steps[s].seconds);
    ct_json_close(json, '}');
}

/* On one line, so that a file of them can be followed. */
static void stats_json(ct_text *json, const ct_run *run, const ct_run_counts *counts,
                       const ct_progress *now, const ct_progress *since)
{
    ct_json_open(json, NULL, '{');
    add_run(json, run, now, since);
    add_nodes(json, run, counts);
    add_steps(json, run);
    ct_json_close(json, '}');
    ct_json_one_line(json->data);
    ct_text_add(json, "\n");
}

ct_status ct_run_stats(char **out, const ct_run *run, const ct_progress *since, ct_form form,
                       ct_error *err)
{
    CT_GIVEN_OUT(err, out, run);
    ct_status status = CT_OK;
    ct_text text = {0};
    ct_run_counts counts = {0};
    ct_progress now = {.size = sizeof now}, before = {0};
    if (form != CT_FORM_JSON && form != CT_FORM_METRICS)
        return ct_error_add(err, CT_USAGE, "ct_run_stats: numbers are JSON or OpenMetrics");
    CT_TRY(ct_run_progress(run, &now, err));
    CT_TRY(ct_run_counts_new(&counts, run, err));
    if (since) before = *since;
    if (form == CT_FORM_JSON)
        stats_json(&text, run, &counts, &now, &before);
    else
        ct_run_metrics(&text, run, &counts, &now);
    status = ct_text_take(out, &text, err);
out:
    ct_run_counts_free(&counts);
    return status;
}

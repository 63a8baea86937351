/* run_metrics.c: how a run goes, for monitoring: OpenMetrics text, version 1.0. All samples of a
 * family follow its description.
 * Room: core/watch. Knows counters and progress. Does not know who reads it.
 * Labels say the pipeline's file, so that several runs of a machine can be told from one another.
 */
#include <math.h>
#include <string.h>

#include "run_watch.h"

/* A family of samples: of the run or of its nodes, and one of its counters. */
typedef struct family {
    const char *room; /* "run", "node" */
    const ct_counter *first;
} family;

static void add_name(ct_text *out, const family *of)
{
    char name[CT_RUN_COUNT_NAME];
    ct_text_add(out, "cornerturn_%s_%s", of->room, ct_run_counts_name(of->first, name));
}

/* Bytes that are not UTF-8, in a file's name for example, become question marks. */
static void add_escaped(ct_text *out, const char *text)
{
    while (*text) {
        const int length = ct_text_letter(text);
        if (*text == '\n')
            ct_text_add(out, "\\n");
        else if (*text == '"' || *text == '\\')
            ct_text_add(out, "\\%c", *text);
        else
            ct_text_add(out, "%.*s", length > 0 ? length : 1, length > 0 ? text : "?");
        text += length > 0 ? length : 1;
    }
}

static void add_head(ct_text *out, const family *of)
{
    ct_text_add(out, "# TYPE ");
    add_name(out, of);
    ct_text_add(out, " %s\n", of->first->level ? "gauge" : "counter");
    if (of->first->unit) {
        ct_text_add(out, "# UNIT ");
        add_name(out, of);
        ct_text_add(out, " %s\n", of->first->unit);
    }
    if (!of->first->help) return;
    ct_text_add(out, "# HELP ");
    add_name(out, of);
    ct_text_add(out, " ");
    add_escaped(out, of->first->help);
    ct_text_add(out, "\n");
}

static void add_label(ct_text *out, const char *name, const char *value)
{
    if (!value) return;
    ct_text_add(out, ",%s=\"", name);
    add_escaped(out, value);
    ct_text_add(out, "\"");
}

static void add_sample(ct_text *out, const ct_run *run, const family *of, const char *step,
                       const ct_counter *one)
{
    add_name(out, of);
    ct_text_add(out, "%s{pipeline=\"", of->first->level ? "" : "_total");
    add_escaped(out, run->plan->graph->file);
    ct_text_add(out, "\"");
    add_label(out, "node", step);
    add_label(out, "station", one->station);
    add_label(out, "lane", one->lane);
    ct_text_add(out, "} %.17g\n", isfinite(one->value) ? one->value : 0);
}

/* ---- the run's */

static void add_run(ct_text *out, const ct_run *run, const ct_progress *now)
{
    const double wall_s = now->wall_s > 0 ? now->wall_s : INFINITY;
    const struct {
        double value;
        const char *name, *unit;
        bool level;
        const char *help;
    } rows[] = {
        {(double)now->block, "blocks", NULL, false, "Blocks done."},
        {(double)now->blocks, "blocks_expected", NULL, true, "Blocks in all; -1: nobody knows."},
        {now->signal_s, "signal", "seconds", false, "Time that was observed, of what is done."},
        {now->wall_s, "wall", "seconds", false, "Time that it took, without building kernels."},
        {now->build_s, "build", "seconds", false, "Time that building kernels took."},
        {now->signal_s / wall_s, "real_time", "ratio", true, "Time observed over time taken."},
        {now->read_wait_s, "read_wait", "seconds", false, "Time spent waiting for sources."},
        {now->write_wait_s, "write_wait", "seconds", false, "Time spent waiting for sinks."},
        {now->journal_s, "journal", "seconds", false, "Time that the journal took."},
        {(double)now->samples, "samples", NULL, false, "Samples of all stations."},
        {(double)now->flagged, "samples_missing", NULL, false, "Of these, flagged by sources."},
        {(double)ct_run_memory(), "memory", "bytes", true, "Resident memory of the process."},
        {(double)ct_run_memory_most(), "memory_most", "bytes", true, "The most of it so far."},
        {run->finished, "finished", NULL, true, "1: nothing comes any more."},
        {(double)run->failed, "status", NULL, true, "0, or the exit code of what failed."},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const ct_counter one = {.name = rows[i].name,
                                .unit = rows[i].unit,
                                .help = rows[i].help,
                                .value = rows[i].value,
                                .level = rows[i].level};
        const family of = {"run", &one};
        add_head(out, &of);
        add_sample(out, run, &of, NULL, &one);
    }
}

/* ---- the steps' */

static bool came_before(const ct_run_counts *counts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ct_run_counts_alike(&counts->one[i].counter, &counts->one[n].counter)) return true;
    return false;
}

/* A counter with the name of a family, but of another kind, is left out. */
static void add_family(ct_text *out, const ct_run *run, const ct_run_counts *counts, size_t n)
{
    const family of = {"node", &counts->one[n].counter};
    add_head(out, &of);
    for (; n < counts->count; n++) {
        const ct_counter *one = &counts->one[n].counter;
        if (one->level == of.first->level && ct_run_counts_alike(one, of.first))
            add_sample(out, run, &of, run->plan->steps[counts->one[n].step].name, one);
    }
}

void ct_run_metrics(ct_text *out, const ct_run *run, const ct_run_counts *counts,
                    const ct_progress *now)
{
    add_run(out, run, now);
    for (size_t n = 0; n < counts->count; n++)
        if (!came_before(counts, n)) add_family(out, run, counts, n);
    ct_text_add(out, "# EOF\n");
}

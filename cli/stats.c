/* stats.c: see stats.h. Real time is what the data took when they were observed, over what the run
 * takes for them; building kernels stands apart.
 * Room: cli. Knows ct_run_progress and traces. Does not know what steps do. */
#include "stats.h"
#include "cornerturn_stage.h"
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define STATS_EVERY_S 5.0

static double stats_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static ct_status stats_fail(const ct_stats *stats, ct_error *err)
{
    return ct_error_add(err, CT_DATA, "--stats: %s: cannot be written: %s", stats->name,
                        strerror(errno));
}

ct_status ct_stats_open(ct_stats *stats, const char *name, ct_error *err)
{
    *stats = (ct_stats){.name = name, .begun = stats_clock(), .last = {.size = sizeof stats->last}};
    stats->said = stats->begun;
    if (name == NULL) return CT_OK;
    stats->file = fopen(name, "we");
    return stats->file == NULL ? stats_fail(stats, err) : CT_OK;
}

/* Resident bytes; 0: nobody says. */
static long long stats_memory(void)
{
    char text[128] = "";
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL) return 0;
    const bool read = fgets(text, sizeof text, file) != NULL;
    fclose(file);
    char *second = read ? strchr(text, ' ') : NULL;
    return second == NULL ? 0 : strtoll(second, NULL, 10) * (long long)sysconf(_SC_PAGESIZE);
}

static long long stats_memory_most(void)
{
    struct rusage use;
    return getrusage(RUSAGE_SELF, &use) == 0 ? 1024LL * use.ru_maxrss : 0;
}

static void stats_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (const char *c = text; *c != 0; c++)
        if ((unsigned char)*c < 0x20)
            fprintf(file, "\\u%04x", (unsigned)*c);
        else if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else
            fputc(*c, file);
    fputc('"', file);
}

static void stats_real(FILE *file, const char *key, double value)
{
    char text[64];
    ct_number_print(text, sizeof text, "%.9g", value);
    fprintf(file, ", \"%s\": %s", key, text);
}

/* Seconds of each step so far, as the trace has them. */
static ct_status stats_steps(FILE *file, const ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    char *trace = NULL;
    ct_value *root = NULL;
    CT_TRY(ct_run_trace(&trace, run, CT_FORM_JSON, err));
    CT_TRY(ct_value_parse(&root, trace, "trace", err));
    const ct_value *steps = ct_value_get(root, "steps");
    fprintf(file, ", \"steps\": {");
    for (size_t i = 0; i < ct_value_count(steps); i++) {
        const ct_value *one = ct_value_at(steps, i);
        char seconds[64];
        ct_number_print(seconds, sizeof seconds, "%.9g",
                        ct_value_real(ct_value_get(one, "seconds"), 0));
        fprintf(file, "%s", i > 0 ? ", " : "");
        stats_text(file, ct_value_text(ct_value_get(one, "name"), ""));
        fprintf(file, ": %s", seconds);
    }
    fprintf(file, "}");
out:
    ct_value_free(root);
    free(trace);
    return status;
}

static double stats_ratio(double signal_s, double wall_s)
{
    return wall_s > 0 ? signal_s / wall_s : 0;
}

static ct_status stats_line(ct_stats *stats, const ct_run *run, const ct_progress *p, double now,
                            ct_error *err)
{
    FILE *file = stats->file;
    char time[64];
    ct_number_print(time, sizeof time, "%.6f", now - stats->begun);
    fprintf(file, "{\"time_s\": %s, \"block\": %lld, \"blocks\": %lld", time, (long long)p->block,
            (long long)p->blocks);
    stats_real(file, "signal_s", p->signal_s);
    stats_real(file, "wall_s", p->wall_s);
    stats_real(file, "build_s", p->build_s);
    stats_real(file, "real_time", stats_ratio(p->signal_s, p->wall_s));
    stats_real(file, "real_time_now",
               stats_ratio(p->signal_s - stats->last.signal_s, p->wall_s - stats->last.wall_s));
    stats_real(file, "read_wait_s", p->read_wait_s);
    stats_real(file, "write_wait_s", p->write_wait_s);
    stats_real(file, "journal_s", p->journal_s);
    fprintf(file, ", \"ahead\": %lld, \"behind\": %lld", (long long)p->ahead, (long long)p->behind);
    fprintf(file, ", \"flagged\": %lld, \"samples\": %lld", (long long)p->flagged,
            (long long)p->samples);
    fprintf(file, ", \"memory\": %lld, \"memory_most\": %lld", stats_memory(), stats_memory_most());
    const ct_status status = stats_steps(file, run, err);
    fprintf(file, "}\n");
    return status == CT_OK && (ferror(file) || fflush(file) != 0) ? stats_fail(stats, err) : status;
}

ct_status ct_stats_tell(ct_stats *stats, const ct_run *run, bool now, ct_error *err)
{
    ct_status status = CT_OK;
    ct_progress p = {.size = sizeof p};
    const double instant = stats_clock();
    if (stats->file == NULL || (!now && instant - stats->said < STATS_EVERY_S)) return CT_OK;
    CT_TRY(ct_run_progress(run, &p, err));
    CT_TRY(stats_line(stats, run, &p, instant, err));
    stats->said = instant;
    stats->last = p;
out:
    return status;
}

ct_status ct_stats_close(ct_stats *stats, ct_error *err)
{
    if (stats->file == NULL) return CT_OK;
    const int failed = fclose(stats->file);
    stats->file = NULL;
    return failed != 0 ? stats_fail(stats, err) : CT_OK;
}

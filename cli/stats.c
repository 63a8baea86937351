/* stats.c: see stats.h.
 * Room: cli. Knows files and when a report is due. Does not know what is in it. */
#include "stats.h"
#include "options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define STATS_EVERY_S 5.0

enum { STATS_PATH = 4096 };

static double stats_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static ct_status stats_fail(const char *option, const char *name, ct_error *err)
{
    return ct_error_add(err, CT_DATA, "%s: %s: cannot be written: %s", option, name,
                        strerror(errno));
}

/* ---- lines */

static ct_status stats_add_line(ct_stats *stats, const ct_run *run, ct_error *err)
{
    char *line = NULL;
    ct_status status = CT_OK;
    CT_TRY(ct_run_stats(&line, run, &stats->last, CT_FORM_JSON, err));
    if (fputs(line, stats->file) == EOF || fflush(stats->file) != 0)
        status = stats_fail("--stats", stats->lines, err);
out:
    free(line);
    return status;
}

/* ---- metrics: a reader of the file always finds a complete report */

/* Beside the file, hidden, and always the same, so that a run that is killed leaves one at most. */
static ct_status stats_temporary(char out[STATS_PATH], const char *name, ct_error *err)
{
    struct stat about;
    const char *slash = strrchr(name, '/'), *base = slash != NULL ? slash + 1 : name;
    const int length =
        snprintf(out, STATS_PATH, "%.*s.cornerturn-%s", (int)(base - name), name, base);
    if (length >= STATS_PATH) {
        errno = ENAMETOOLONG;
        return stats_fail("--metrics", name, err);
    }
    if (stat(name, &about) != 0 || S_ISREG(about.st_mode)) return CT_OK;
    return ct_error_add(err, CT_DATA,
                        "--metrics: %s: expected a file, which is replaced at each report, found "
                        "something else",
                        name);
}

static bool stats_put(int file, const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t put = write(file, text, length);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return false;
        text += put;
        length -= (size_t)put;
    }
    return true;
}

static ct_status stats_replace(const char *name, const char *text, ct_error *err)
{
    char temporary[STATS_PATH];
    ct_status status = stats_temporary(temporary, name, err);
    if (status != CT_OK) return status;
    const int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (file < 0) return stats_fail("--metrics", name, err);
    const bool put = stats_put(file, text, strlen(text));
    if (!put) status = stats_fail("--metrics", name, err);
    if (close(file) != 0 && put) status = stats_fail("--metrics", name, err);
    if (status == CT_OK && rename(temporary, name) != 0)
        status = stats_fail("--metrics", name, err);
    if (status != CT_OK) (void)unlink(temporary);
    return status;
}

static ct_status stats_write_metrics(const ct_stats *stats, const ct_run *run, ct_error *err)
{
    char *text = NULL;
    ct_status status = CT_OK;
    CT_TRY(ct_run_stats(&text, run, NULL, CT_FORM_METRICS, err));
    CT_TRY(stats_replace(stats->metrics, text, err));
out:
    free(text);
    return status;
}

/* ---- */

ct_status ct_stats_open(ct_stats *stats, const ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    stats->last = (ct_progress){.size = sizeof stats->last};
    stats->said = stats_clock();
    if (stats->metrics != NULL) CT_TRY(stats_write_metrics(stats, run, err));
    stats->replaces = stats->metrics != NULL;
    if (stats->lines != NULL) stats->file = fopen(stats->lines, "we");
    if (stats->lines != NULL && stats->file == NULL)
        CT_TRY(stats_fail("--stats", stats->lines, err));
out:
    return status;
}

ct_status ct_stats_tell(ct_stats *stats, const ct_run *run, bool now, ct_error *err)
{
    ct_status lines = CT_OK, metrics = CT_OK;
    const double instant = stats_clock();
    if (stats->file == NULL && !stats->replaces) return CT_OK;
    if (!now && instant - stats->said < STATS_EVERY_S) return CT_OK;
    if (stats->file != NULL) lines = stats_add_line(stats, run, err);
    if (lines != CT_OK) {
        (void)fclose(stats->file);
        stats->file = NULL;
    }
    if (stats->replaces) metrics = stats_write_metrics(stats, run, err);
    stats->replaces = stats->replaces && metrics == CT_OK;
    stats->said = instant;
    (void)ct_run_progress(run, &stats->last, NULL);
    return lines != CT_OK ? lines : metrics;
}

void ct_stats_close(ct_stats *stats)
{
    if (stats->file != NULL) (void)fclose(stats->file); /* each line was flushed */
    stats->file = NULL;
    stats->replaces = false;
}

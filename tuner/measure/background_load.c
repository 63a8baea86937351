/* background_load.c: see background_load.h.
 * Room: tuner/measure. Knows /proc/stat, which counts hundredths of a second of each core. */
#include "background_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { FIELDS = 8 }; /* user nice system idle iowait irq softirq steal */

#define LEAST_S 0.1

/* "cpu  1655620 136753 303753 339642 7565 0 3333 1810 0 0" */
static bool load_read(const char *line, double *busy, double *idle)
{
    const double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
    char *at = (char *)line + strlen("cpu ");
    if (strncmp(line, "cpu ", strlen("cpu ")) != 0) return false;
    *busy = *idle = 0;
    for (int field = 0; field < FIELDS; field++) {
        const double seconds = tick * (double)strtoull(at, &at, 10);
        *(field == 3 || field == 4 ? idle : busy) += seconds;
    }
    return *idle + *busy > 0;
}

static double load_seconds(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

static double load_used(const struct rusage *use)
{
    return load_seconds(use->ru_utime) + load_seconds(use->ru_stime);
}

void ct_load_now(ct_background_load *out)
{
    char line[512] = "";
    struct rusage use, children;
    FILE *file = fopen("/proc/stat", "re");
    *out = (ct_background_load){0};
    if (file == NULL) return;
    out->known = fgets(line, sizeof line, file) != NULL &&
                 load_read(line, &out->busy, &out->idle) && getrusage(RUSAGE_SELF, &use) == 0 &&
                 getrusage(RUSAGE_CHILDREN, &children) == 0;
    fclose(file);
    if (out->known) out->own = load_used(&use) + load_used(&children);
}

double ct_load_between(const ct_background_load *from, const ct_background_load *to)
{
    const double busy = to->busy - from->busy, all = busy + to->idle - from->idle;
    if (!from->known || !to->known || all < LEAST_S) return -1;
    const double others = busy - (to->own - from->own);
    return others <= 0 ? 0 : others / all;
}

/* calm.c: see calm.h.
 * Room: tuner/measure. */
#include "calm.h"

#include <stddef.h>
#include <time.h>
#include <unistd.h>

/* The share that disturbs, and what lies between two looks. */
#define BUSY 0.2
#define LOOK_S 0.25

bool ct_calm_is_busy(const ct_load *from, const ct_load *to)
{
    const double all = to->busy + to->idle - from->busy - from->idle;
    const double coarse = (double)sysconf(_SC_NPROCESSORS_ONLN) / (double)sysconf(_SC_CLK_TCK);
    const double share = ct_load_between(from, to);
    return share > 0 && share * all > BUSY * all + coarse;
}

static void calm_look(void *of, ct_load *out)
{
    (void)of;
    ct_load_now(out);
}

static void calm_sleep(void *of, double seconds)
{
    const struct timespec time = {.tv_sec = (time_t)seconds,
                                  .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
    (void)of;
    nanosleep(&time, NULL);
}

ct_calm ct_calm_here(void)
{
    return (ct_calm){calm_look, calm_sleep, NULL};
}

double ct_calm_wait(const ct_calm *calm, double most_s, bool *is_calm)
{
    double waited = 0;
    ct_load from, to;
    *is_calm = false;
    calm->look(calm->of, &from);
    while (!*is_calm && waited < most_s) {
        calm->sleep(calm->of, LOOK_S);
        waited += LOOK_S;
        calm->look(calm->of, &to);
        *is_calm = !ct_calm_is_busy(&from, &to);
        from = to;
    }
    return waited;
}

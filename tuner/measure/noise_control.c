/* noise_control.c: see noise_control.h.
 * Room: tuner/measure. */
#include "noise_control.h"

#include <stddef.h>
#include <time.h>
#include <unistd.h>

/* The load that disturbs, and the seconds between two readings. */
#define BUSY 0.2
#define READ_S 0.25

bool ct_noise_is_disturbing(const ct_background_load *from, const ct_background_load *to)
{
    const double all = to->busy + to->idle - from->busy - from->idle;
    const double coarse = (double)sysconf(_SC_NPROCESSORS_ONLN) / (double)sysconf(_SC_CLK_TCK);
    const double share = ct_load_between(from, to);
    return share > 0 && share * all > BUSY * all + coarse;
}

static void noise_read(void *of, ct_background_load *out)
{
    (void)of;
    ct_load_now(out);
}

static void noise_sleep(void *of, double seconds)
{
    const struct timespec time = {.tv_sec = (time_t)seconds,
                                  .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
    (void)of;
    nanosleep(&time, NULL);
}

ct_noise_control ct_noise_control_here(void)
{
    return (ct_noise_control){noise_read, noise_sleep, NULL};
}

double ct_noise_wait(const ct_noise_control *control, double most_s, bool *is_quiet)
{
    double waited = 0;
    ct_background_load from, to;
    *is_quiet = false;
    control->read(control->of, &from);
    while (!*is_quiet && waited < most_s) {
        control->sleep(control->of, READ_S);
        waited += READ_S;
        control->read(control->of, &to);
        *is_quiet = !ct_noise_is_disturbing(&from, &to);
        from = to;
    }
    return waited;
}

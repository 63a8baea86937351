/* clock.h: seconds of a clock that never goes back, for how long something takes. Room: base. */
#ifndef CT_BASE_CLOCK_H
#define CT_BASE_CLOCK_H
#include <time.h>

static inline double ct_clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif

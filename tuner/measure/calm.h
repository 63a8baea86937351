/* calm.h: whether other processes have kept the machine busy, and a wait for their end that has an
 * end itself.
 * Room: tuner/measure. Knows loads. Does not know what is measured. */
#ifndef CT_TUNER_CALM_H
#define CT_TUNER_CALM_H
#include "load.h"

/* Whether between two instants others kept so much of the machine busy that timings suffer: a fifth
 * of it, and more than the clock of /proc/stat is coarse. False where the system does not say. */
bool ct_calm_is_busy(const ct_load *from, const ct_load *to);

/* Where loads come from; sleeps so many seconds. */
typedef struct ct_calm {
    void (*look)(void *of, ct_load *out);
    void (*sleep)(void *of, double seconds);
    void *of;
} ct_calm;
ct_calm ct_calm_here(void); /* this machine's */

/* Waits until others are at rest, or so many seconds are over; how long that took.
 * *calm: they do. */
double ct_calm_wait(const ct_calm *calm, double most_s, bool *is_calm);

#endif

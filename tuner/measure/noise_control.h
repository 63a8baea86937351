/* noise_control.h: whether other processes keep the machine busy, and a wait for their end with a
 * limit.
 * Room: tuner/measure. Knows loads. Does not know what is measured. */
#ifndef CT_TUNER_NOISE_CONTROL_H
#define CT_TUNER_NOISE_CONTROL_H
#include "background_load.h"

/* Whether between two instants others kept so much of the machine busy that timings suffer: more
 * than a fifth of it, and than the resolution of /proc/stat. False where the system does not say.
 */
bool ct_noise_is_disturbing(const ct_background_load *from, const ct_background_load *to);

/* Where the load is read, and how to sleep so many seconds; tests have their own. */
typedef struct ct_noise_control {
    void (*read)(void *of, ct_background_load *out);
    void (*sleep)(void *of, double seconds);
    void *of;
} ct_noise_control;
ct_noise_control ct_noise_control_here(void); /* this machine's */

/* Waits until other processes are idle, at most so many seconds; returns how long that took.
 * *is_quiet: they are idle. */
double ct_noise_wait(const ct_noise_control *control, double most_s, bool *is_quiet);

#endif

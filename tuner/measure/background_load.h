/* background_load.h: how busy other processes keep the machine.
 * Room: tuner/measure. Knows /proc/stat. Does not know what is measured. */
#ifndef CT_TUNER_BACKGROUND_LOAD_H
#define CT_TUNER_BACKGROUND_LOAD_H
#include <stdbool.h>

/* An instant. */
typedef struct ct_background_load {
    bool known;
    double busy, idle; /* seconds of all cores since the machine started */
    double own;        /* of this process and those that it has waited for, on all cores */
} ct_background_load;

void ct_load_now(ct_background_load *out);
/* Between two instants, the share of the machine's cores that was busy with other processes, 0 to
 * 1; -1 where the system does not say, or the time between was too short to tell (a tenth of a
 * second of all cores together). */
double ct_load_between(const ct_background_load *from, const ct_background_load *to);

#endif

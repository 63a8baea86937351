/* polar.h: numbers of many angles and radii at a time: normal ones, and phasors. All of them are
 * within two units of the last place of a double, and the same on every machine.
 * Room: io/simulate. */
#ifndef CT_STAGES_SIMULATE_POLAR_H
#define CT_STAGES_SIMULATE_POLAR_H
#include <stdint.h>

enum { CT_POLAR_COUNT = 256 };

/* CT_POLAR_COUNT of each. Box and Muller's transform of 0 < u < 1, 0 <= v <= 1: the root of -2 log
 * u, times the cosine and the sine of 2 pi v. */
void ct_polar_normals(const double *u, const double *v, double *re, double *im);
/* exp(2 pi i cycles). */
void ct_polar_phasors(const double *cycles, double *re, double *im);

#endif

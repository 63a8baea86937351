/* random.h: seeded random numbers, the same on every machine.
 * Room: io/simulate. Knows xoshiro256++ (Blackman and Vigna 2021) and Box-Muller's transform. */
#ifndef CT_STAGES_SIMULATE_RANDOM_H
#define CT_STAGES_SIMULATE_RANDOM_H
#include "polar.h"

typedef struct sim_random {
    uint64_t word[4];
} sim_random;

sim_random ct_random_new(uint64_t seed, uint64_t stream);
double ct_random_uniform(sim_random *random); /* 0 < u < 1 */
/* Up to CT_POLAR_COUNT pairs of independent normal numbers of variance 1: the same whatever the
 * count. Arrays have room for CT_POLAR_COUNT; what is beyond `count` is not to be read. */
void ct_random_normals(sim_random *random, double *a, double *b, int64_t count);

/* Many of them, more quickly: each is one of CT_RANDOM_ROWS numbers that are equally probable, the means
 * of as many equal parts of the normal distribution, scaled to variance 1 (their kurtosis
 * is 2.999). */
enum { CT_RANDOM_ROWS = 8192 };
void ct_random_table(float out[CT_RANDOM_ROWS]);
void ct_random_fill(sim_random *random, const float table[CT_RANDOM_ROWS], float *out,
                    int64_t count); /* a multiple of 4 */
/* A stream for each row and part of it, independent of those of ct_random_new. */
sim_random ct_random_part(uint64_t seed, uint64_t row, uint64_t part);

#endif

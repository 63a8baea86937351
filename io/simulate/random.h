/* random.h: seeded random numbers, the same on every machine.
 * Room: io/simulate. Knows xoshiro256++ (Blackman and Vigna 2021) and Box-Muller's transform. */
#ifndef CT_STAGES_SIMULATE_RANDOM_H
#define CT_STAGES_SIMULATE_RANDOM_H
#include <stdint.h>

typedef struct sim_random {
    uint64_t word[4];
} sim_random;

sim_random ct_random_new(uint64_t seed, uint64_t stream);
double ct_random_uniform(sim_random *random); /* 0 < u < 1 */
/* Two independent normal numbers of variance 1. */
void ct_random_normal(sim_random *random, double out[2]);

#endif

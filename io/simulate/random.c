/* random.c: xoshiro256++, seeded by splitmix64, and normal numbers from it.
 * Room: io/simulate. */
#include "random.h"

#include <math.h>
#include <stdbool.h>

static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

sim_random ct_random_new(uint64_t seed, uint64_t stream)
{
    sim_random random;
    uint64_t state = seed;
    state = splitmix(&state) ^ (stream * 0xd1342543de82ef95u);
    for (int k = 0; k < 4; k++)
        random.word[k] = splitmix(&state);
    return random;
}

static uint64_t rotate(uint64_t x, int by)
{
    return (x << by) | (x >> (64 - by));
}

static uint64_t next(sim_random *random)
{
    uint64_t *s = random->word;
    uint64_t result = rotate(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

double ct_random_uniform(sim_random *random)
{
    return ((double)(next(random) >> 11) + 0.5) * 0x1p-53;
}

void ct_random_normals(sim_random *random, double *a, double *b, int64_t count)
{
    double u[CT_POLAR_COUNT], v[CT_POLAR_COUNT];
    sim_random kept = *random;
    for (int64_t k = 0; k < count; k++) {
        u[k] = ct_random_uniform(&kept);
        v[k] = ct_random_uniform(&kept);
    }
    for (int64_t k = count; k < CT_POLAR_COUNT; k++)
        u[k] = v[k] = 0.5;
    *random = kept;
    ct_polar_normals(u, v, a, b);
}

/* The density at the place below which the given part of the distribution lies, by Newton's method
 * from the place of the part before. */
static double density_at(double part, double *place)
{
    for (int n = 0; n < 8; n++) {
        const double density = exp(-0.5 * *place * *place) / sqrt(6.283185307179586);
        *place -= (0.5 * erfc(-*place * sqrt(0.5)) - part) / density;
    }
    return exp(-0.5 * *place * *place) / sqrt(6.283185307179586);
}

/* The mean over a part is the difference of the densities at its ends over its probability. */
void ct_random_table(float out[CT_RANDOM_ROWS])
{
    double before = 0, place = 0, sum = 0, mean[CT_RANDOM_ROWS / 2];
    before = density_at(0.5, &place);
    for (int k = 0; k < CT_RANDOM_ROWS / 2; k++) {
        const bool last = k + 1 == CT_RANDOM_ROWS / 2;
        const double after =
            last ? 0 : density_at(0.5 + (k + 1.0) / (double)CT_RANDOM_ROWS, &place);
        mean[k] = (before - after) * CT_RANDOM_ROWS;
        sum += mean[k] * mean[k];
        before = after;
    }
    const double scale = sqrt(CT_RANDOM_ROWS / 2 / sum);
    for (int k = 0; k < CT_RANDOM_ROWS / 2; k++) {
        out[CT_RANDOM_ROWS / 2 + k] = (float)(scale * mean[k]);
        out[CT_RANDOM_ROWS / 2 - 1 - k] = (float)(-scale * mean[k]);
    }
}

void ct_random_fill(sim_random *random, const float table[CT_RANDOM_ROWS], float *out,
                    int64_t count)
{
    sim_random kept = *random;
    for (int64_t k = 0; k < count; k += 4) {
        const uint64_t bits = next(&kept);
        out[k] = table[bits >> 51];
        out[k + 1] = table[bits >> 38 & (CT_RANDOM_ROWS - 1)];
        out[k + 2] = table[bits >> 25 & (CT_RANDOM_ROWS - 1)];
        out[k + 3] = table[bits >> 12 & (CT_RANDOM_ROWS - 1)];
    }
    *random = kept;
}

sim_random ct_random_part(uint64_t seed, uint64_t row, uint64_t part)
{
    sim_random rows = ct_random_new(~seed, row);
    return ct_random_new(next(&rows), part);
}

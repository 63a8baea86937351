/* random.c: xoshiro256++, seeded by splitmix64, and normal numbers from it.
 * Room: io/simulate. */
#include "random.h"

#include <math.h>

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

void ct_random_normal(sim_random *random, double out[2])
{
    double radius = sqrt(-2 * log(ct_random_uniform(random)));
    double angle = 6.283185307179586 * ct_random_uniform(random);
    out[0] = radius * cos(angle);
    out[1] = radius * sin(angle);
}

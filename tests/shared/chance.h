/* chance.h: random numbers, the same every time.
 * Room: tests. */
#ifndef CT_TESTS_CHANCE_H
#define CT_TESTS_CHANCE_H
#include <stdint.h>

/* 0 to 1. The state is not 0. (Marsaglia 2003, Xorshift RNGs) */
static inline double chance(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (double)(*state >> 11) / 9007199254740992.0;
}

#endif

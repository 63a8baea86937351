/* quantise.c: see quantise.h. A double between -2^51 and 2^51 becomes a whole number by an addition
 * that leaves no bits after the point; its lowest bits are that number.
 * Room: io/simulate. */
#include "quantise.h"

#include <string.h>

#include "clones.h"

typedef struct sim_range {
    double low, high;
} sim_range;

static inline uint64_t whole(double number, sim_range range)
{
    const double some = number == number ? number : 0;
    const double least = some < range.low ? range.low : some;
    const double near = (least > range.high ? range.high : least) + 0x1.8p52;
    uint64_t bits;
    memcpy(&bits, &near, sizeof bits);
    return bits;
}

CT_CLONES static void to_bytes(uint8_t *restrict to, const double *restrict from, int64_t count,
                               sim_range range)
{
    for (int64_t k = 0; k < count; k++)
        to[k] = (uint8_t)whole(from[k], range);
}

CT_CLONES static void to_words(uint16_t *restrict to, const double *restrict from, int64_t count,
                               sim_range range)
{
    for (int64_t k = 0; k < count; k++)
        to[k] = (uint16_t)whole(from[k], range);
}

CT_CLONES static void to_floats(float *restrict to, const double *restrict from, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        to[k] = (float)from[k];
}

void ct_quantise_numbers(void *to, ct_type type, const double *from, int64_t count)
{
    static const sim_range range[CT_TYPES] = {[CT_U8] = {0, UINT8_MAX},
                                              [CT_CI8] = {INT8_MIN, INT8_MAX},
                                              [CT_U16] = {0, UINT16_MAX},
                                              [CT_CI16] = {INT16_MIN, INT16_MAX}};
    if (type == CT_U8 || type == CT_CI8)
        to_bytes(to, from, count, range[type]);
    else if (type == CT_U16 || type == CT_CI16)
        to_words(to, from, count, range[type]);
    else
        to_floats(to, from, count);
}

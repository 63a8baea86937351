/* vdif_levels.c: see vdif_levels.h. The first number is in the least significant bits.
 * Room: io/vdif. Knows the order of bits. Does not know headers. */
#include "vdif_levels.h"
#include "numbers.h"
#include <math.h>
#include <string.h>

ct_type ct_vdif_type(int64_t bits, bool complex)
{
    static const ct_type types[17][2] = {[1] = {CT_F32, CT_CF32},
                                         [2] = {CT_F32, CT_CF32},
                                         [4] = {CT_I8, CT_CI8},
                                         [8] = {CT_I8, CT_CI8},
                                         [16] = {CT_I16, CT_CI16}};
    return bits < 1 || bits > 16 ? CT_NONE : types[bits][complex];
}

void ct_vdif_levels_make(ct_vdif_levels *out, int64_t bits)
{
    static const float one[] = {-1, 1}, two[] = {-CT_VDIF_HIGH, -1, 1, CT_VDIF_HIGH};
    out->bits = (unsigned)bits;
    out->unit = bits < 4 ? sizeof(float) : bits == 16 ? 2 : 1;
    for (unsigned byte = 0; byte < 256 && bits <= 8; byte++)
        for (unsigned i = 0; i < 8 / out->bits; i++) {
            const unsigned code = byte >> i * out->bits & ((1u << out->bits) - 1);
            const int8_t whole = (int8_t)((int)code - (1 << (out->bits - 1)));
            const void *from = bits == 1   ? (const void *)&one[code & 1]
                               : bits == 2 ? (const void *)&two[code & 3]
                                           : &whole;
            memcpy(out->table[byte] + i * out->unit, from, out->unit);
        }
}

static void levels_decode_16(uint8_t *to, const uint8_t *payload, int64_t count)
{
    for (int64_t i = 0; i < count; i++, to += 2, payload += 2) {
        const uint16_t number = (uint16_t)(ct_numbers_get(payload, 2) ^ 0x8000);
        memcpy(to, &number, 2);
    }
}

static void levels_decode_8(uint8_t *to, const uint8_t *payload, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = payload[i] ^ 0x80;
}

void ct_vdif_decode(const ct_vdif_levels *levels, void *to, const uint8_t *payload, int64_t first,
                    int64_t count)
{
    uint8_t *at = to;
    const size_t unit = levels->unit;
    if (levels->bits == 16) {
        levels_decode_16(to, payload + 2 * first, count);
        return;
    }
    if (levels->bits == 8) {
        levels_decode_8(to, payload + first, count);
        return;
    }
    const int64_t per_byte = 8 / levels->bits, end = first + count;
    for (; first < end && first % per_byte; first++, at += unit)
        memcpy(at, levels->table[payload[first / per_byte]] + (size_t)(first % per_byte) * unit,
               unit);
    for (; first + per_byte <= end; first += per_byte, at += (size_t)per_byte * unit)
        memcpy(at, levels->table[payload[first / per_byte]], (size_t)per_byte * unit);
    if (first < end)
        memcpy(at, levels->table[payload[first / per_byte]], (size_t)(end - first) * unit);
}

/* ---- writing */

static double levels_number(ct_type type, const void *numbers, int64_t i)
{
    if (type == CT_I8 || type == CT_CI8) return ((const int8_t *)numbers)[i];
    if (type == CT_I16 || type == CT_CI16) return ((const int16_t *)numbers)[i];
    return (double)((const float *)numbers)[i];
}

/* What is no number is as 0 is. */
static uint32_t levels_code(double x, unsigned bits)
{
    const double half = (double)(1u << (bits - 1));
    if (isnan(x)) x = 0;
    if (bits == 1) return x >= 0;
    if (bits == 2)
        return (uint32_t)((x >= -(double)CT_VDIF_SIGMA) + (x >= 0) + (x >= (double)CT_VDIF_SIGMA));
    return (uint32_t)(fmin(fmax(rint(x), -half), half - 1) + half);
}

void ct_vdif_encode(uint8_t *payload, int64_t bits, ct_type type, const void *numbers,
                    int64_t count, double scale)
{
    const unsigned width = (unsigned)bits;
    for (int64_t i = 0; i < count; i++) {
        const uint32_t code = levels_code(levels_number(type, numbers, i) * scale, width);
        if (width == 16)
            ct_numbers_put(payload + 2 * i, 2, code);
        else
            payload[i * width / 8] |= (uint8_t)(code << i * width % 8);
    }
}

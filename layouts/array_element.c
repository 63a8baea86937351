/* array_element.c: reading and writing one element of a host array of any type.
 *
 * Room: layouts. Knows every type's bits. Does not know OpenCL; the accessors of access.c do the
 * same on a device. */
#include <math.h>
#include <string.h>

#include "cornerturn_stage.h"

/* IEEE 754 binary16, round to nearest even, overflow to infinity. */
static uint16_t half_from(double value)
{
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    const double size = fabs(value);
    if (isnan(size)) return sign | 0x7e00;
    if (size >= 65520.0) return sign | 0x7c00;
    if (size < 0x1p-14) return (uint16_t)(sign | (uint16_t)rint(size * 0x1p24));
    int exponent;
    const double fraction = frexp(size, &exponent);
    /* A mantissa that rounds up to 2048 carries into the exponent, as it should. */
    return (uint16_t)(sign | (((exponent + 14) << 10) + ((int)rint(fraction * 2048.0) - 1024)));
}

static double half_to(uint16_t bits)
{
    const double sign = bits & 0x8000 ? -1.0 : 1.0;
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    if (exponent == 31) return fraction ? NAN : sign * INFINITY;
    if (exponent == 0) return sign * ldexp(fraction, -24);
    return sign * ldexp(1024 + fraction, exponent - 25);
}

static double saturate(double value, double low, double high)
{
    if (isnan(value)) return 0.0;
    const double near = nearbyint(value);
    return near < low ? low : near > high ? high : near;
}

/* One real number; `component` counts real and imaginary parts from the buffer's start. */
#define READ(ctype)                                                                                \
    {                                                                                              \
        ctype number;                                                                              \
        memcpy(&number, (const char *)data + component * (int64_t)sizeof number, sizeof number);   \
        return (double)number;                                                                     \
    }
#define WRITE(ctype, converted)                                                                    \
    {                                                                                              \
        const ctype number = (ctype)(converted);                                                   \
        memcpy((char *)data + component * (int64_t)sizeof number, &number, sizeof number);         \
        break;                                                                                     \
    }

static double load_packed(const void *data, unsigned bits, int64_t element)
{
    const int64_t bit = element * (int64_t)bits;
    const unsigned byte = ((const uint8_t *)data)[bit / 8];
    return byte >> (bit % 8) & ((1u << bits) - 1);
}

static void save_packed(void *data, unsigned bits, int64_t element, double value)
{
    const int64_t bit = element * (int64_t)bits;
    const unsigned mask = (1u << bits) - 1, number = (unsigned)saturate(value, 0, mask);
    uint8_t *byte = (uint8_t *)data + bit / 8;
    *byte = (uint8_t)((*byte & ~(mask << bit % 8)) | number << bit % 8);
}

static double load_number(const void *data, ct_type type, int64_t component)
{
    switch (type) {
    case CT_U8:
        READ(uint8_t)
    case CT_U16:
        READ(uint16_t)
    case CT_U32:
        READ(uint32_t)
    case CT_I8:
    case CT_CI8:
        READ(int8_t)
    case CT_I16:
    case CT_CI16:
        READ(int16_t)
    case CT_I32:
    case CT_CI32:
        READ(int32_t)
    case CT_CI64:
        READ(int64_t)
    case CT_F32:
    case CT_CF32:
        READ(float)
    case CT_F64:
    case CT_CF64:
        READ(double)
    case CT_F16:
    case CT_CF16: {
        uint16_t bits;
        memcpy(&bits, (const char *)data + component * 2, sizeof bits);
        return half_to(bits);
    }
    default:
        return load_packed(data, ct_type_bits(type), component);
    }
}

static void save_number(void *data, ct_type type, int64_t component, double value)
{
    switch (type) {
    case CT_U8:
        WRITE(uint8_t, saturate(value, 0, UINT8_MAX))
    case CT_U16:
        WRITE(uint16_t, saturate(value, 0, UINT16_MAX))
    case CT_U32:
        WRITE(uint32_t, saturate(value, 0, UINT32_MAX))
    case CT_I8:
    case CT_CI8:
        WRITE(int8_t, saturate(value, INT8_MIN, INT8_MAX))
    case CT_I16:
    case CT_CI16:
        WRITE(int16_t, saturate(value, INT16_MIN, INT16_MAX))
    case CT_I32:
    case CT_CI32:
        WRITE(int32_t, saturate(value, INT32_MIN, INT32_MAX))
    case CT_CI64: /* the largest double below 2^63 */
        WRITE(int64_t, saturate(value, INT64_MIN, 0x1.fffffffffffffp62))
    case CT_F32:
    case CT_CF32:
        WRITE(float, value)
    case CT_F64:
    case CT_CF64:
        WRITE(double, value)
    case CT_F16:
    case CT_CF16:
        WRITE(uint16_t, half_from(value))
    default:
        save_packed(data, ct_type_bits(type), component, value);
    }
}

static double nibble(unsigned bits)
{
    return bits < 8 ? bits : (double)bits - 16.0;
}

ct_complex ct_array_load(const ct_array *array, int64_t element)
{
    if (!array) return (ct_complex){0, 0};
    if (array->type == CT_NONE || !array->data) return (ct_complex){0, 0};
    if (array->type == CT_CI4) {
        const unsigned byte = ((const uint8_t *)array->data)[element];
        return (ct_complex){nibble(byte & 15), nibble(byte >> 4)};
    }
    if (!ct_type_complex(array->type))
        return (ct_complex){load_number(array->data, array->type, element), 0.0};
    return (ct_complex){load_number(array->data, array->type, 2 * element),
                        load_number(array->data, array->type, 2 * element + 1)};
}

void ct_array_save(ct_array *array, int64_t element, double re, double im)
{
    if (!array) return;
    if (array->type == CT_NONE || !array->data) return;
    if (array->type == CT_CI4) {
        const int low = (int)saturate(re, -8, 7), high = (int)saturate(im, -8, 7);
        ((uint8_t *)array->data)[element] = (uint8_t)((low & 15) | (high & 15) << 4);
    } else if (!ct_type_complex(array->type)) {
        save_number(array->data, array->type, element, re);
    } else {
        save_number(array->data, array->type, 2 * element, re);
        save_number(array->data, array->type, 2 * element + 1, im);
    }
}

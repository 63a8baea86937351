/* numbers.h: little-endian numbers in files, whatever the machine.
 * Room: io/shared. Knows bytes. Does not know formats. */
#ifndef CT_IO_NUMBERS_H
#define CT_IO_NUMBERS_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t ct_numbers_get(const uint8_t *bytes, unsigned count)
{
    uint64_t value = 0;
    for (unsigned i = count; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

static inline void ct_numbers_put(uint8_t *bytes, unsigned count, uint64_t value)
{
    for (unsigned i = 0; i < count; i++, value >>= 8)
        bytes[i] = (uint8_t)value;
}

static inline double ct_numbers_get_double(const uint8_t *bytes)
{
    uint64_t bits = ct_numbers_get(bytes, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline void ct_numbers_put_double(uint8_t *bytes, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    ct_numbers_put(bytes, 8, bits);
}

static inline int ct_numbers_host_is_big(void)
{
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 0;
}

/* Swaps the bytes of each number of `width` bytes. */
static inline void ct_numbers_swap(void *data, size_t bytes, unsigned width)
{
    uint8_t *at = data;
    for (size_t i = 0; width > 1 && i + width <= bytes; i += width)
        for (unsigned k = 0; k < width / 2; k++) {
            uint8_t kept = at[i + k];
            at[i + k] = at[i + width - 1 - k];
            at[i + width - 1 - k] = kept;
        }
}

#endif

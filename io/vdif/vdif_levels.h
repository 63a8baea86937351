/* vdif_levels.h: the numbers of a payload, offset binary of 1, 2, 4, 8 and 16 bits, and what they
 * are here.
 * Room: io/vdif. Knows the order of bits. Does not know headers. */
#ifndef CT_IO_VDIF_LEVELS_H
#define CT_IO_VDIF_LEVELS_H
#include "cornerturn_stage.h"

/* Two bits of noise with the least loss: where |x| is below one sigma the level is 1, else the mean
 * of the rest, 1 / ((sqrt e - 1) (1 / erf sqrt(1/2) - 1)). */
#define CT_VDIF_HIGH 3.316505f
#define CT_VDIF_SIGMA 2.174564f

typedef struct ct_vdif_levels {
    unsigned bits;
    size_t unit;            /* bytes of a decoded number */
    uint8_t table[256][32]; /* the numbers of a byte */
} ct_vdif_levels;

/* Of an element; CT_NONE: there are no such. */
ct_type ct_vdif_type(int64_t bits, bool complex);
void ct_vdif_levels_make(ct_vdif_levels *out, int64_t bits);
/* `count` numbers from number `first` on: floats of 1 and 2 bits, else integers of 1 or 2 bytes. */
void ct_vdif_decode(const ct_vdif_levels *levels, void *to, const uint8_t *payload, int64_t first,
                    int64_t count);
/* Numbers of this type (a complex one's parts count by themselves), times `scale`, to a payload
 * whose bits are 0. */
void ct_vdif_encode(uint8_t *payload, int64_t bits, ct_type type, const void *numbers,
                    int64_t count, double scale);

#endif

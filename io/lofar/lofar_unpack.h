/* lofar_unpack.h: samples of packets to where an array wants them: in a packet a beamlet's samples
 * lie together, in an array perhaps a sample's beamlets.
 * Room: io/lofar. Knows bytes and strides. Does not know packets' headers or files. */
#ifndef CT_IO_LOFAR_UNPACK_H
#define CT_IO_LOFAR_UNPACK_H
#include "cornerturn_stage.h"

/* Where samples go: elements are of both numbers, strides of time, polarization and beamlet in
 * elements. */
typedef struct ct_unpack {
    int unit; /* bytes of an element: 1, 2, 4 */
    int64_t t, p, c;
    bool past; /* what lies together goes past the cache */
} ct_unpack;

/* Samples of one packet: from[row][samples][polarization], to `to` of the first one. */
typedef struct ct_unpack_piece {
    const uint8_t *from;
    uint8_t *to;
    int64_t samples;
} ct_unpack_piece;

/* `rows` beamlets of each piece, whose rows are `row` bytes apart. */
void ct_unpack_run(const ct_unpack *unpack, const ct_unpack_piece *piece, int64_t pieces,
                   int64_t rows, int64_t row);

/* Copies past the cache, which then need not read what is overwritten: for more than a cache holds.
 */
void ct_unpack_past(uint8_t *to, const uint8_t *from, size_t bytes);
void ct_unpack_settle(void); /* then other threads may see it */
/* Whether time is fastest: samples of one packet after the other are runs of the array. */
bool ct_unpack_is_rows(const ct_unpack *unpack);

/* How numbers of `bits` become others: -128 to -127, then times `scale`. */
typedef struct ct_unpack_change {
    unsigned bits, to_bits; /* of a real number */
    bool clamp;
    int scale;
} ct_unpack_change;

void ct_unpack_convert(const ct_unpack_change *change, uint8_t *to, const uint8_t *from,
                       size_t numbers);

#endif

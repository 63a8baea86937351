/* register_transpose.h: a small box of words on its way from one order of memory to another through
 * registers.
 *
 * A box has a power of two of words along each dimension, so that a word's place in it is a list of
 * bits, and each bit has a stride in the source and one in the destination. Vectors are loaded
 * along the bits with source strides 1, 2, 4, .. and stored along those with destination strides 1,
 * 2, 4. In between, bits are swapped: a bit of the place inside a vector with a bit of the vector's
 * number, by two-vector shuffles. An 8x8 transpose is three such swaps; every other order of source
 * and destination is some of them.
 *
 * Room: layouts. Knows strides and words. Does not know types, layouts' names or address spaces. */
#ifndef CT_LAYOUTS_REGISTER_TRANSPOSE_H
#define CT_LAYOUTS_REGISTER_TRANSPOSE_H
#include "cornerturn_stage.h"

enum { CT_REGISTER_TRANSPOSE_BITS = 12 };

typedef struct ct_register_transpose_bit {
    int64_t from, to;
} ct_register_transpose_bit;

typedef struct ct_register_transpose {
    ct_copy copy;           /* all of it; words of 1, 2, 4 or 8 bytes */
    int bits[CT_COPY_DIMS]; /* the box has 2^bits along each dimension */
    int count;              /* bits of the box */
    ct_register_transpose_bit bit[CT_REGISTER_TRANSPOSE_BITS]; /* in the order of the dimensions */
    int from_lanes, to_lanes; /* log2 of the words that are loaded and stored at once */
} ct_register_transpose;

/* How words are loaded and stored; `words` at once, at an index given as text. */
typedef struct ct_register_transpose_io {
    const void *of;
    void (*load)(ct_text *text, const void *of, int words, const char *index);
    void (*store)(ct_text *text, const void *of, int words, const char *index, const char *value);
} ct_register_transpose_io;

/* Chooses the box from the dimensions' extents and strides: at most 2^from and 2^to words at once,
 * and 2^more stores that follow each other in memory. */
void ct_register_transpose_choose(ct_register_transpose *registers, int from, int to, int more);
/* Doubles the box along one dimension; false where it cannot grow. */
bool ct_register_transpose_grow(ct_register_transpose *registers);
/* The same copy with boxes of one word. */
ct_register_transpose ct_register_transpose_words(const ct_register_transpose *registers);
/* Statements that move one box: `from` and `to` are texts of the index of its first word. */
void ct_register_transpose_emit(ct_text *text, const ct_register_transpose *registers,
                                const ct_register_transpose_io *io, const char *from,
                                const char *to);
/* Types that ct_register_transpose_emit uses and OpenCL C lacks (ct_word8: words that may alias
 * anything), and CT_STORE_NONTEMPORAL(value, place), CT_PREFETCH(place); once per program or more
 * often. */
void ct_register_transpose_types(ct_text *text);
/* "ulong8", or "ct_uchar64"; with "_anywhere" after it one that needs no alignment */
void ct_register_transpose_type(ct_text *text, int word, int words);

#endif

/* lofar_unpack.c: see lofar_unpack.h. Where beamlets are to lie together a packet is a matrix to be
 * transposed: square tiles of it fit into vector registers. Where time is, its two polarizations
 * are taken apart. Vectors are the compiler's own, of 16 bytes, which every processor has.
 * Room: io/lofar. Knows bytes and strides. Does not know packets' headers or files. */
#include "lofar_unpack.h"
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { UNPACK_LINE = 64, UNPACK_RUN = 8192 }; /* bytes */

/* Whole lines; where the processor has no such stores they are plain ones. */
void ct_unpack_past(uint8_t *to, const uint8_t *from, size_t bytes)
{
#ifdef __SSE2__
    size_t head = -(uintptr_t)to % UNPACK_LINE;
    if (head > bytes) head = bytes;
    memcpy(to, from, head);
    to += head, from += head, bytes -= head;
    for (; bytes >= UNPACK_LINE; to += UNPACK_LINE, from += UNPACK_LINE, bytes -= UNPACK_LINE)
        for (int i = 0; i < UNPACK_LINE; i += 16)
            _mm_stream_si128((__m128i *)(to + i), _mm_loadu_si128((const __m128i *)(from + i)));
#endif
    memcpy(to, from, bytes);
}

void ct_unpack_settle(void)
{
#ifdef __SSE2__
    _mm_sfence();
#endif
}

/* What a row's words are: all of a sample's polarizations, or each; and where they go. */
typedef struct unpack_words {
    int64_t columns;   /* of a piece */
    int64_t even, odd; /* bytes from one sample to the next, from one polarization to the other */
    int64_t to_row;    /* bytes */
    bool pairs;        /* both polarizations are one word */
} unpack_words;

static uint8_t *words_at(const unpack_words *words, uint8_t *to, int64_t column)
{
    if (words->pairs) return to + column * words->even;
    return to + column / 2 * words->even + column % 2 * words->odd;
}

#define LOW_8 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_8 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define LOW_16 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_16 4, 12, 5, 13, 6, 14, 7, 15
#define LOW_32 0, 4, 1, 5
#define HIGH_32 2, 6, 3, 7
#define LOW_64 0, 2
#define HIGH_64 1, 3

/* side: words of a vector, rows and columns of a tile. Interleaving rows i and i + side/2 as often
 * as side can be halved transposes the tile. */
#define UNPACK(bits, side)                                                                         \
    typedef uint##bits##_t words_##bits __attribute__((vector_size(16)));                          \
                                                                                                   \
    static inline void interleave_##bits(words_##bits y[side], const words_##bits x[side])         \
    {                                                                                              \
        for (int i = 0; i < side / 2; i++) {                                                       \
            y[2 * i] = __builtin_shufflevector(x[i], x[i + side / 2], LOW_##bits);                 \
            y[2 * i + 1] = __builtin_shufflevector(x[i], x[i + side / 2], HIGH_##bits);            \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static inline void tile_##bits(uint8_t *const to[side], int64_t at, const uint8_t *from,       \
                                   int64_t row)                                                    \
    {                                                                                              \
        words_##bits x[side], y[side];                                                             \
        for (int i = 0; i < side; i++)                                                             \
            memcpy(&x[i], from + i * row, 16);                                                     \
        for (int left = side; left > 1; left /= 2) {                                               \
            interleave_##bits(y, x);                                                               \
            memcpy(x, y, sizeof x);                                                                \
        }                                                                                          \
        for (int i = 0; i < side; i++)                                                             \
            memcpy(to[i] + at, &x[i], 16);                                                         \
    }                                                                                              \
                                                                                                   \
    /* The last tile of either side begins earlier where it would not be full. */                  \
    static void turn_##bits(const unpack_words *words, const ct_unpack_piece *piece, int64_t rows, \
                            int64_t row)                                                           \
    {                                                                                              \
        for (int64_t k = 0; k < words->columns; k += side) {                                       \
            uint8_t *to[side];                                                                     \
            if (k > words->columns - side) k = words->columns - side;                              \
            for (int i = 0; i < side; i++)                                                         \
                to[i] = words_at(words, piece->to, k + i);                                         \
            for (int64_t r = 0; r < rows; r += side) {                                             \
                if (r > rows - side) r = rows - side;                                              \
                tile_##bits(to, r *(bits / 8), piece->from + r * row + k * (bits / 8), row);       \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void scatter_##bits(const unpack_words *words, const ct_unpack_piece *piece,            \
                               int64_t rows, int64_t row)                                          \
    {                                                                                              \
        for (int64_t r = 0; r < rows; r++)                                                         \
            for (int64_t k = 0; k < words->columns; k++)                                           \
                memcpy(words_at(words, piece->to, k) + r * words->to_row,                          \
                       piece->from + r * row + k * (bits / 8), bits / 8);                          \
    }
UNPACK(8, 16)
UNPACK(16, 8)
UNPACK(32, 4)
UNPACK(64, 2)

#define EVEN_8 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODD_8 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define EVEN_16 0, 2, 4, 6, 8, 10, 12, 14
#define ODD_16 1, 3, 5, 7, 9, 11, 13, 15
#define EVEN_32 0, 2, 4, 6
#define ODD_32 1, 3, 5, 7

/* Two rows of one: a polarization's samples together. */
#define SPLIT(bits, side)                                                                          \
    static void split_##bits(uint8_t *x, uint8_t *y, const uint8_t *from, int64_t samples)         \
    {                                                                                              \
        int64_t i = 0;                                                                             \
        for (; i + side <= samples; i += side) {                                                   \
            words_##bits a[2], b[2];                                                               \
            memcpy(a, from + i * (bits / 4), sizeof a);                                            \
            b[0] = __builtin_shufflevector(a[0], a[1], EVEN_##bits);                               \
            b[1] = __builtin_shufflevector(a[0], a[1], ODD_##bits);                                \
            memcpy(x + i * (bits / 8), &b[0], sizeof b[0]);                                        \
            memcpy(y + i * (bits / 8), &b[1], sizeof b[1]);                                        \
        }                                                                                          \
        for (; i < samples; i++) {                                                                 \
            memcpy(x + i * (bits / 8), from + i * (bits / 4), bits / 8);                           \
            memcpy(y + i * (bits / 8), from + i * (bits / 4) + bits / 8, bits / 8);                \
        }                                                                                          \
    }
SPLIT(8, 16)
SPLIT(16, 8)
SPLIT(32, 4)

typedef void unpack_whole(const unpack_words *words, const ct_unpack_piece *piece, int64_t rows,
                          int64_t row);

static const struct {
    int bytes, side;
    unpack_whole *turn, *scatter;
    void (*split)(uint8_t *x, uint8_t *y, const uint8_t *from, int64_t samples);
} unpack_of[] = {{1, 16, turn_8, scatter_8, split_8},
                 {2, 8, turn_16, scatter_16, split_16},
                 {4, 4, turn_32, scatter_32, split_32},
                 {8, 2, turn_64, scatter_64, NULL}};

/* Beamlets or anything else fastest. */
static void unpack_words_of(const ct_unpack *unpack, const ct_unpack_piece *piece, int64_t rows,
                            int64_t row)
{
    const bool pairs = unpack->p == 1;
    const int word = pairs ? 2 * unpack->unit : unpack->unit;
    const unpack_words words = {.columns = pairs ? piece->samples : 2 * piece->samples,
                                .even = unpack->t * unpack->unit,
                                .odd = unpack->p * unpack->unit,
                                .to_row = unpack->c * unpack->unit,
                                .pairs = pairs};
    size_t i = 0;
    while (unpack_of[i].bytes != word)
        i++;
    const bool tiles =
        words.to_row == word && rows >= unpack_of[i].side && words.columns >= unpack_of[i].side;
    (tiles ? unpack_of[i].turn : unpack_of[i].scatter)(&words, piece, rows, row);
}

/* What goes past the cache is put together before: a run of an array. */
typedef struct unpack_run {
    uint8_t *to;
    size_t have;
    uint8_t bytes[UNPACK_RUN];
} unpack_run;

static void run_end(unpack_run *run)
{
    if (run->have > 0) ct_unpack_past(run->to, run->bytes, run->have);
    run->have = 0;
}

/* Room for what goes there. */
static uint8_t *run_at(unpack_run *run, uint8_t *to, size_t bytes)
{
    if (run->have > 0 && (run->to + run->have != to || run->have + bytes > sizeof run->bytes))
        run_end(run);
    if (run->have == 0) run->to = to;
    run->have += bytes;
    return run->bytes + run->have - bytes;
}

static void unpack_rows_past(const ct_unpack *unpack, const ct_unpack_piece *piece, int64_t pieces,
                             int64_t rows, int64_t row)
{
    unpack_run x, y;
    size_t i = 0;
    while (unpack_of[i].bytes != unpack->unit)
        i++;
    x.have = y.have = 0;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t n = 0; n < pieces; n++) {
            uint8_t *to = piece[n].to + r * unpack->c * unpack->unit;
            const uint8_t *from = piece[n].from + r * row;
            const size_t bytes = (size_t)(piece[n].samples * unpack->unit);
            if (unpack->t == 1)
                unpack_of[i].split(run_at(&x, to, bytes),
                                   run_at(&y, to + unpack->p * unpack->unit, bytes), from,
                                   piece[n].samples);
            else
                memcpy(run_at(&x, to, 2 * bytes), from, 2 * bytes);
        }
    run_end(&x);
    run_end(&y);
}

/* Time fastest, with both polarizations or one: a beamlet's samples of all pieces, then the next's,
 * since these lie far apart. */
static void unpack_rows(const ct_unpack *unpack, const ct_unpack_piece *piece, int64_t pieces,
                        int64_t rows, int64_t row)
{
    const int64_t p = unpack->p * unpack->unit, to_row = unpack->c * unpack->unit;
    size_t i = 0;
    while (unpack_of[i].bytes != unpack->unit)
        i++;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t n = 0; n < pieces; n++) {
            const ct_unpack_piece *one = &piece[n];
            uint8_t *to = one->to + r * to_row;
            if (unpack->t == 1)
                unpack_of[i].split(to, to + p, one->from + r * row, one->samples);
            else
                memcpy(to, one->from + r * row, (size_t)(2 * one->samples * unpack->unit));
        }
}

bool ct_unpack_is_rows(const ct_unpack *unpack)
{
    return unpack->t == 1 || (unpack->p == 1 && unpack->t == 2);
}

void ct_unpack_run(const ct_unpack *unpack, const ct_unpack_piece *piece, int64_t pieces,
                   int64_t rows, int64_t row)
{
    if (ct_unpack_is_rows(unpack)) {
        (unpack->past ? unpack_rows_past : unpack_rows)(unpack, piece, pieces, rows, row);
        return;
    }
    for (int64_t n = 0; n < pieces; n++)
        unpack_words_of(unpack, &piece[n], rows, row);
}

/* ---- other numbers */

/* The `index`-th real number. */
static int convert_get(const uint8_t *from, unsigned bits, size_t index)
{
    if (bits == 16) return (int16_t)(from[2 * index] | from[2 * index + 1] << 8);
    if (bits == 8) return from[index] < 128 ? from[index] : from[index] - 256;
    int nibble = from[index / 2] >> (index % 2 * 4) & 15;
    return nibble < 8 ? nibble : nibble - 16;
}

static void convert_put(uint8_t *out, unsigned bits, size_t index, int value)
{
    if (bits == 16) {
        int16_t wide = (int16_t)value;
        memcpy(out + 2 * index, &wide, 2);
    } else if (bits == 8) {
        out[index] = (uint8_t)value;
    } else if (index % 2 == 0) {
        out[index / 2] = (uint8_t)(value & 15);
    } else {
        out[index / 2] = (uint8_t)(out[index / 2] | (value & 15) << 4);
    }
}

/* Kinds of numbers are literals where this is called, so that the loop becomes one of vectors. */
static inline void convert_all(const ct_unpack_change *change, unsigned bits, unsigned to_bits,
                               uint8_t *to, const uint8_t *from, size_t numbers)
{
    const int lowest = -(1 << (bits - 1)) + change->clamp, scale = change->scale;
    for (size_t i = 0; i < numbers; i++) {
        const int value = convert_get(from, bits, i);
        convert_put(to, to_bits, i, (value < lowest ? lowest : value) * scale);
    }
}

void ct_unpack_convert(const ct_unpack_change *change, uint8_t *to, const uint8_t *from,
                       size_t numbers)
{
    if (change->bits == 8 && change->to_bits == 8)
        convert_all(change, 8, 8, to, from, numbers);
    else if (change->bits == 8 && change->to_bits == 16)
        convert_all(change, 8, 16, to, from, numbers);
    else if (change->bits == 16)
        convert_all(change, 16, 16, to, from, numbers);
    else
        convert_all(change, change->bits, change->to_bits, to, from, numbers);
}

/* fft_tile.c: moves a tile of rows between an array of any layout and contiguous rows, in the
 * array's own memory order, so that every cache line is touched once: groups of rows that lie
 * nearer to each other than two channels do, for each group the channels, for each channel the
 * rows.
 * Room: stages/fft. Knows strides. Does not know FFTW or threads. */
#include "fft_tile.h"
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { LINE = 8 };      /* elements of a cache line */
enum { PREFETCH = 16 }; /* channels ahead: hardware does not predict such strides */

static void tile_find_row(const fft_tile *tile, int64_t n, fft_row *row)
{
    *row = (fft_row){0, n * tile->row_stride};
    for (int i = tile->axes - 1; i >= 0; n /= tile->extent[i--])
        row->array += n % tile->extent[i] * tile->step[i];
}

void ct_fft_tile_order(fft_tile *tile)
{
    tile->count = tile->near = 1;
    for (int i = 0; i < tile->axes; i++) {
        tile->count *= tile->extent[i];
        if (tile->step[i] < tile->stride) tile->near *= tile->extent[i];
    }
    for (int64_t n = 0; n < tile->count; n++) {
        fft_row row;
        int64_t place = n;
        tile_find_row(tile, n, &row);
        for (; place > 0 && tile->row[place - 1].array > row.array; place--)
            tile->row[place] = tile->row[place - 1];
        tile->row[place] = row;
    }
}

#ifdef __SSE2__
/* Rows come in neighbouring pairs, and everything is even, so that 16 bytes move at a time. */
static bool tile_is_even(const fft_tile *tile, const fft_element *array)
{
    bool even = tile->near % 2 == 0 && tile->length % 2 == 0 && tile->stride % 2 == 0 &&
                (uintptr_t)array % 16 == 0;
    for (int64_t n = 0; n < tile->count && even; n += 2)
        even = tile->row[n].array % 2 == 0 && tile->row[n + 1].array == tile->row[n].array + 1;
    return even;
}

/* Two channels of two neighbouring rows, transposed in registers. */
static void tile_gather_pairs(const fft_tile *tile, fft_element *rows, const fft_element *from,
                              const fft_row *group)
{
    for (int64_t c = 0; c < tile->length; c += 2)
        for (int64_t n = 0; n < tile->near; n += 2) {
            const fft_element *at = from + group[n].array + c * tile->stride;
            __m128i a = _mm_load_si128((const __m128i *)at);
            __m128i b = _mm_load_si128((const __m128i *)(at + tile->stride));
            _mm_prefetch((const char *)(at + PREFETCH * tile->stride), _MM_HINT_T0);
            _mm_prefetch((const char *)(at + (PREFETCH + 1) * tile->stride), _MM_HINT_T0);
            _mm_store_si128((__m128i *)(rows + group[n].rows + c), _mm_unpacklo_epi64(a, b));
            _mm_store_si128((__m128i *)(rows + group[n + 1].rows + c), _mm_unpackhi_epi64(a, b));
        }
}

static void tile_scatter_pairs(const fft_tile *tile, fft_element *to, const fft_element *rows,
                               const fft_row *group)
{
    for (int64_t c = 0; c < tile->length; c += 2)
        for (int64_t n = 0; n < tile->near; n += 2) {
            fft_element *at = to + group[n].array + c * tile->stride;
            __m128i a = _mm_load_si128((const __m128i *)(rows + group[n].rows + c));
            __m128i b = _mm_load_si128((const __m128i *)(rows + group[n + 1].rows + c));
            _mm_stream_si128((__m128i *)at, _mm_unpacklo_epi64(a, b));
            _mm_stream_si128((__m128i *)(at + tile->stride), _mm_unpackhi_epi64(a, b));
        }
}

static void row_nontemporal(fft_element *to, const fft_element *row, int64_t length)
{
    for (int64_t c = 0; c < length; c += 2)
        _mm_stream_si128((__m128i *)(to + c), _mm_load_si128((const __m128i *)(row + c)));
}
#endif

static void tile_gather_group(const fft_tile *tile, fft_element *rows, const fft_element *from,
                              const fft_row *group)
{
    for (int64_t c = 0; c < tile->length; c++)
        for (int64_t n = 0; n < tile->near; n++)
            rows[group[n].rows + c] = from[group[n].array + c * tile->stride];
}

static void tile_scatter_group(const fft_tile *tile, fft_element *to, const fft_element *rows,
                               const fft_row *group)
{
    for (int64_t c = 0; c < tile->length; c++)
        for (int64_t n = 0; n < tile->near; n++)
            to[group[n].array + c * tile->stride] = rows[group[n].rows + c];
}

static void tile_scatter_row(const fft_tile *tile, fft_element *to, const fft_element *row,
                             bool nontemporal)
{
#ifdef __SSE2__
    if (nontemporal && (uintptr_t)to % 16 == 0 && tile->length % 2 == 0) {
        row_nontemporal(to, row, tile->length);
        return;
    }
#else
    (void)nontemporal;
#endif
    memcpy(to, row, (size_t)tile->length * sizeof *to);
}

void ct_fft_tile_prefetch(const fft_tile *tile, const fft_element *from)
{
    for (int64_t n = 0; n < tile->count; n++)
        for (int64_t c = 0; c < tile->length; c += LINE)
            __builtin_prefetch(from + tile->row[n].array + c);
}

void ct_fft_tile_gather(const fft_tile *tile, fft_element *rows, const fft_element *from)
{
    void (*gather)(const fft_tile *, fft_element *, const fft_element *, const fft_row *) =
        tile_gather_group;
#ifdef __SSE2__
    if (tile_is_even(tile, from)) gather = tile_gather_pairs;
#endif
    for (int64_t n = 0; n < tile->count; n += tile->near)
        gather(tile, rows, from, tile->row + n);
}

void ct_fft_tile_scatter(const fft_tile *tile, fft_element *to, const fft_element *rows,
                         bool nontemporal)
{
    void (*scatter)(const fft_tile *, fft_element *, const fft_element *, const fft_row *) =
        tile_scatter_group;
#ifdef __SSE2__
    if (nontemporal && tile_is_even(tile, to)) scatter = tile_scatter_pairs;
#endif
    for (int64_t n = 0; n < tile->count && tile->stride == 1; n++)
        tile_scatter_row(tile, to + tile->row[n].array, rows + tile->row[n].rows, nontemporal);
    for (int64_t n = 0; n < tile->count && tile->stride != 1; n += tile->near)
        scatter(tile, to, rows, tile->row + n);
}

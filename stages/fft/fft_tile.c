/* fft_tile.c: moves a tile of rows between an array of any layout and contiguous rows, along the
 * array's own memory order, so that every cache line is touched once.
 * Room: stages/fft. Knows strides. Does not know FFTW or threads.
 * Called by: fft_fftw.c, once per tile on the sides that are not contiguous. */
#include "fft_tile.h"
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* A plane of the tile: the axis with the smallest step, and the channels. */
typedef struct tile_plane {
    int64_t count, step, rows; /* of the axis: extent, step in the array, step in the rows */
    int64_t length, stride;    /* of the channels */
} tile_plane;

int64_t ct_fft_tile_rows(const fft_tile *tile)
{
    int64_t rows = 1;
    for (int i = 0; i < tile->axes; i++)
        rows *= tile->extent[i];
    return rows;
}

static int tile_fastest(const fft_tile *tile)
{
    int fastest = -1;
    for (int i = 0; i < tile->axes; i++)
        if (tile->extent[i] > 1 && (fastest < 0 || tile->step[i] < tile->step[fastest]))
            fastest = i;
    return fastest;
}

static tile_plane tile_make_plane(const fft_tile *tile, int axis)
{
    tile_plane plane = {1, 0, 0, tile->length, tile->stride};
    if (axis < 0) return plane;
    plane.count = tile->extent[axis];
    plane.step = tile->step[axis];
    plane.rows = tile->pitch;
    for (int i = axis + 1; i < tile->axes; i++)
        plane.rows *= tile->extent[i];
    return plane;
}

/* Where the n-th plane starts in the array and in the rows. */
static void tile_find_plane(const fft_tile *tile, int axis, int64_t n, int64_t *place, int64_t *row)
{
    int64_t rows = tile->pitch;
    *place = *row = 0;
    for (int i = tile->axes - 1; i >= 0; rows *= tile->extent[i--]) {
        if (i == axis) continue;
        *place += n % tile->extent[i] * tile->step[i];
        *row += n % tile->extent[i] * rows;
        n /= tile->extent[i];
    }
}

#ifdef __SSE2__
/* Two rows by two channels, transposed in registers; all even and aligned, axis step 1. */
static void plane_gather_pairs(const tile_plane *plane, fft_element *rows, const fft_element *from)
{
    for (int64_t c = 0; c < plane->length; c += 2)
        for (int64_t i = 0; i < plane->count; i += 2) {
            const fft_element *at = from + c * plane->stride + i;
            __m128i a = _mm_load_si128((const __m128i *)at);
            __m128i b = _mm_load_si128((const __m128i *)(at + plane->stride));
            fft_element *to = rows + i * plane->rows + c;
            _mm_store_si128((__m128i *)to, _mm_unpacklo_epi64(a, b));
            _mm_store_si128((__m128i *)(to + plane->rows), _mm_unpackhi_epi64(a, b));
        }
}

static void plane_scatter_pairs(const tile_plane *plane, fft_element *to, const fft_element *rows)
{
    for (int64_t c = 0; c < plane->length; c += 2)
        for (int64_t half = 0; half < 2; half++)
            for (int64_t i = 0; i < plane->count; i += 2) {
                const fft_element *at = rows + i * plane->rows + c;
                __m128i a = _mm_load_si128((const __m128i *)at);
                __m128i b = _mm_load_si128((const __m128i *)(at + plane->rows));
                __m128i both = half ? _mm_unpackhi_epi64(a, b) : _mm_unpacklo_epi64(a, b);
                _mm_stream_si128((__m128i *)(to + (c + half) * plane->stride + i), both);
            }
}

static void row_stream(fft_element *to, const fft_element *row, int64_t length)
{
    for (int64_t c = 0; c < length; c += 2)
        _mm_stream_si128((__m128i *)(to + c), _mm_load_si128((const __m128i *)(row + c)));
}

static bool plane_is_even(const tile_plane *plane, const fft_element *array)
{
    bool aligned = (uintptr_t)array % 16 == 0 && plane->rows % 2 == 0;
    return aligned && plane->length % 2 == 0 && plane->count % 2 == 0 && plane->step == 1 &&
           plane->stride % 2 == 0;
}
#endif

static void plane_gather(const tile_plane *plane, fft_element *rows, const fft_element *from)
{
#ifdef __SSE2__
    if (plane_is_even(plane, from)) {
        plane_gather_pairs(plane, rows, from);
        return;
    }
#endif
    for (int64_t c = 0; c < plane->length; c++)
        for (int64_t i = 0; i < plane->count; i++)
            rows[i * plane->rows + c] = from[c * plane->stride + i * plane->step];
}

static void plane_scatter(const tile_plane *plane, fft_element *to, const fft_element *rows,
                          bool stream)
{
#ifdef __SSE2__
    if (stream && plane_is_even(plane, to)) {
        plane_scatter_pairs(plane, to, rows);
        return;
    }
#else
    (void)stream;
#endif
    for (int64_t c = 0; c < plane->length; c++)
        for (int64_t i = 0; i < plane->count; i++)
            to[c * plane->stride + i * plane->step] = rows[i * plane->rows + c];
}

static void plane_copy_rows(const tile_plane *plane, fft_element *to, const fft_element *rows,
                            bool stream)
{
    for (int64_t i = 0; i < plane->count; i++) {
        fft_element *row = to + i * plane->step;
#ifdef __SSE2__
        if (stream && (uintptr_t)row % 16 == 0 && plane->length % 2 == 0) {
            row_stream(row, rows + i * plane->rows, plane->length);
            continue;
        }
#else
        (void)stream;
#endif
        memcpy(row, rows + i * plane->rows, (size_t)plane->length * sizeof *row);
    }
}

void ct_fft_tile_gather(const fft_tile *tile, fft_element *rows, const fft_element *from)
{
    int axis = tile_fastest(tile);
    tile_plane plane = tile_make_plane(tile, axis);
    int64_t planes = ct_fft_tile_rows(tile) / plane.count;
    for (int64_t n = 0; n < planes; n++) {
        int64_t place, row;
        tile_find_plane(tile, axis, n, &place, &row);
        plane_gather(&plane, rows + row, from + place);
    }
}

void ct_fft_tile_scatter(const fft_tile *tile, fft_element *to, const fft_element *rows,
                         bool stream)
{
    int axis = tile_fastest(tile);
    tile_plane plane = tile_make_plane(tile, axis);
    int64_t planes = ct_fft_tile_rows(tile) / plane.count;
    for (int64_t n = 0; n < planes; n++) {
        int64_t place, row;
        tile_find_plane(tile, axis, n, &place, &row);
        if (tile->stride == 1)
            plane_copy_rows(&plane, to + place, rows + row, stream);
        else
            plane_scatter(&plane, to + place, rows + row, stream);
    }
}

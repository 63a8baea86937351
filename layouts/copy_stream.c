/* copy_stream.c: a copy on the host that is written past the caches: whole cache lines, so that
 * none is read before it is written. For what is much larger than a cache, and not read again soon.
 *
 * Room: layouts. Knows strides and cache lines. Does not know dimensions' names, or what the bits
 * mean. */
#include <string.h>

#include "copy_stream.h"
#include "layout.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Lines of far rows do not follow each other, so the processor does not predict them. */
#ifdef __GNUC__
#define PREFETCH(at) __builtin_prefetch(at)
#else
#define PREFETCH(at) (void)(at)
#endif

enum { LINE = 64, RUN = 1024 };

#ifdef __SSE2__
static void stream_lines(char *to, const char *from, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += LINE)
        for (int k = 0; k < LINE; k += 16) {
            const __m128i word = _mm_loadu_si128((const __m128i *)(const void *)(from + at + k));
            _mm_stream_si128((__m128i *)(void *)(to + at + k), word);
        }
}

static void stream_end(void)
{
    _mm_sfence();
}
#else
static void stream_lines(char *to, const char *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

static void stream_end(void)
{
}
#endif

/* Lines that the run fills in part are written as ever. */
static void stream_run(char *to, const char *from, size_t bytes)
{
    const size_t before = (LINE - (uintptr_t)to % LINE) % LINE;
    if (bytes < before + LINE) {
        memcpy(to, from, bytes);
        return;
    }
    const size_t whole = (bytes - before) / LINE * LINE;
    memcpy(to, from, before);
    stream_lines(to + before, from + before, whole);
    memcpy(to + before + whole, from + before + whole, bytes - before - whole);
}

/* ---- where the fastest dimension is the same on both sides */

static void stream_rows(const ct_copy *copy, char *to, const char *from)
{
    const ct_copy_dim one = {.extent = 1, .from = 1, .to = 1};
    const int rank = copy->rank > 2 ? copy->rank - 2 : 0;
    const size_t bytes = (size_t)copy->dim[copy->rank - 1].extent * (size_t)copy->word;
    const ct_copy_dim rows = copy->rank > 1 ? copy->dim[rank] : one;
    ct_copy_place place = {.from = copy->from, .to = copy->to};
    do
        for (int64_t n = 0; n < rows.extent; n++) {
            const char *next = from + (place.from + (n + 2) * rows.from) * copy->word;
            for (size_t at = 0; at < bytes && bytes <= 4096; at += LINE)
                PREFETCH(next + at);
            stream_run(to + (place.to + n * rows.to) * copy->word,
                       from + (place.from + n * rows.from) * copy->word, bytes);
        }
    while (ct_copy_next(copy, rank, &place));
}

/* ---- where it is not: by way of a tile that stays in the cache */

/* A run along the target's fastest dimensions, and what is fastest in the source. */
typedef struct crossing {
    ct_copy_dim slow, near, far; /* the run is `slow` times `near` */
    int word;
} crossing;

#define GATHER(size)                                                                               \
    static void gather_##size(char *tile, const char *from, const crossing *c, int64_t lines)      \
    {                                                                                              \
        const int64_t run = c->slow.extent * c->near.extent;                                       \
        for (int64_t m = 0; m < c->slow.extent; m++)                                               \
            for (int64_t n = 0; n < c->near.extent; n++) {                                         \
                const char *line = from + (m * c->slow.from + n * c->near.from) * size;            \
                char *row = tile + (m * c->near.extent + n) * size;                                \
                PREFETCH(line + 2 * LINE);                                                         \
                if (lines == LINE / size)                                                          \
                    for (int64_t k = 0; k < LINE / size; k++)                                      \
                        memcpy(row + k * run * size, line + k * size, size);                       \
                else                                                                               \
                    for (int64_t k = 0; k < lines; k++)                                            \
                        memcpy(row + k * run * size, line + k * size, size);                       \
            }                                                                                      \
    }
GATHER(1)
GATHER(2)
GATHER(4)
GATHER(8)
GATHER(16)

static void cross(char *to, const char *from, const crossing *c)
{
    static void (*const gathers[17])(char *, const char *, const crossing *, int64_t) = {
        [1] = gather_1, [2] = gather_2, [4] = gather_4, [8] = gather_8, [16] = gather_16,
    };
    char tile[LINE * RUN];
    const int64_t lines = LINE / c->word, run = c->slow.extent * c->near.extent * c->word;
    for (int64_t first = 0; first < c->far.extent; first += lines) {
        const int64_t left = c->far.extent - first, some = left < lines ? left : lines;
        gathers[c->word](tile, from + first * c->word, c, some);
        for (int64_t k = 0; k < some; k++)
            stream_run(to + (first + k) * c->far.to * c->word, tile + k * run, (size_t)run);
    }
}

/* A run is as long as a tile's row at most. */
static void cross_in_runs(char *to, const char *from, const crossing *all)
{
    crossing c = *all;
    const int64_t near = RUN / c.word, slow = near / (near < c.near.extent ? near : c.near.extent);
    for (int64_t m = 0; m < all->slow.extent; m += slow)
        for (int64_t n = 0; n < all->near.extent; n += near) {
            const int64_t slows = all->slow.extent - m, nears = all->near.extent - n;
            c.slow.extent = slows < slow ? slows : slow;
            c.near.extent = nears < near ? nears : near;
            cross(to + (m * c.slow.to + n) * c.word,
                  from + (m * c.slow.from + n * c.near.from) * c.word, &c);
        }
}

static int far_of(const ct_copy *copy)
{
    for (int k = 0; k < copy->rank - 1; k++)
        if (copy->dim[k].from == 1) return k;
    return -1;
}

static void stream_crossing(const ct_copy *copy, int far, char *to, const char *from)
{
    ct_copy rest = *copy;
    crossing c = {.slow = {.extent = 1}, .far = copy->dim[far], .word = copy->word};
    ct_copy_place place = {.from = copy->from, .to = copy->to};
    for (int k = far; k < rest.rank - 1; k++)
        rest.dim[k] = rest.dim[k + 1];
    rest.rank -= 2;
    c.near = rest.dim[rest.rank];
    if (rest.rank > 0 && rest.dim[rest.rank - 1].to == c.near.extent)
        c.slow = rest.dim[--rest.rank];
    do
        cross_in_runs(to + place.to * copy->word, from + place.from * copy->word, &c);
    while (ct_copy_next(&rest, rest.rank, &place));
}

/* Less than a line lies together in the target: nothing to gain. */
static bool is_short(const ct_copy *copy)
{
    const ct_copy_dim *last = &copy->dim[copy->rank - 1];
    int64_t run = last->extent;
    if (copy->rank == 0 || last->to != 1) return true;
    for (int k = copy->rank - 2; k >= 0 && copy->dim[k].to == run; k--)
        run *= copy->dim[k].extent;
    return run * copy->word < 2 * LINE;
}

void ct_copy_stream(ct_array *to, const ct_array *from)
{
    ct_copy copy = ct_copy_make(to, from);
    ct_copy_sort(&copy, true);
    ct_copy_merge(&copy);
    ct_copy_widen(&copy, 16);
    const int far = copy.rank > 1 ? far_of(&copy) : -1;
    if (ct_copy_count(&copy) <= 0) return;
    if (copy.rank == 0 || is_short(&copy))
        ct_copy_run(&copy, to->data, from->data);
    else if (copy.dim[copy.rank - 1].from == 1)
        stream_rows(&copy, to->data, from->data);
    else if (far >= 0)
        stream_crossing(&copy, far, to->data, from->data);
    else
        ct_copy_run(&copy, to->data, from->data);
    stream_end();
}

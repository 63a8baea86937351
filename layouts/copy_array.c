/* copy_array.c: a strided copy as a value: made from two arrays, brought into its canonical form
 * (as few dimensions and as wide words as can be), and done on the host.
 *
 * Room: layouts. Knows strides. Does not know dimensions' names, OpenCL, or what the bits mean. */
#include <string.h>

#include "cornerturn_stage.h"
#include "layout.h"

/* ---------------------------------------------------------------- making */

void ct_copy_add(ct_copy *copy, ct_copy_dim dim)
{
    if (!copy) return;
    if (dim.extent == 1) return;
    dim.each = 1;
    if (copy->rank < CT_COPY_DIMS) copy->dim[copy->rank++] = dim;
}

/* One type of whole bytes, the same dimensions in any order, of the same extents. */
static bool is_possible(const ct_array *to, const ct_array *from)
{
    bool possible = to->type == from->type && ct_type_bits(to->type) >= 8 && to->rank == from->rank;
    for (int k = 0; k < to->rank && possible; k++) {
        const int place = ct_array_find(from, to->dim[k]);
        possible = place >= 0 && from->extent[place] == to->extent[k];
    }
    return possible;
}

ct_copy ct_copy_make(const ct_array *to, const ct_array *from)
{
    if (!to || !from) return (ct_copy){.rank = 1, .word = 1, .dim = {{.each = 1}}};
    ct_copy copy = {
        .word = (int)ct_type_bits(to->type) / 8, .from = from->offset, .to = to->offset};
    if (!is_possible(to, from)) return (ct_copy){.rank = 1, .word = 1, .dim = {{.each = 1}}};
    for (int k = 0; k < to->rank; k++) {
        const int place = ct_array_find(from, to->dim[k]);
        ct_copy_add(&copy, (ct_copy_dim){.extent = to->extent[k],
                                         .from = from->stride[place],
                                         .to = to->stride[k],
                                         .of = k});
    }
    return copy;
}

int64_t ct_copy_count(const ct_copy *copy)
{
    if (!copy) return 0;
    int64_t count = 1;
    for (int k = 0; k < copy->rank; k++)
        count *= copy->dim[k].extent;
    return count;
}

/* ---------------------------------------------------------------- the canonical form */

static bool is_slower(const ct_copy_dim *a, const ct_copy_dim *b, bool by_to)
{
    const int64_t one = by_to ? a->to : a->from, other = by_to ? b->to : b->from;
    return one != other ? one > other : by_to ? a->from > b->from : a->to > b->to;
}

void ct_copy_sort(ct_copy *copy, bool by_to)
{
    if (!copy) return;
    for (int k = 1; k < copy->rank; k++) {
        const ct_copy_dim dim = copy->dim[k];
        int place = k;
        for (; place > 0 && is_slower(&dim, &copy->dim[place - 1], by_to); place--)
            copy->dim[place] = copy->dim[place - 1];
        copy->dim[place] = dim;
    }
}

static void drop(ct_copy *copy, int k)
{
    copy->rank--;
    for (; k < copy->rank; k++)
        copy->dim[k] = copy->dim[k + 1];
}

/* One index of `outer` later is where the next index of `inner` would be, on both sides. */
static bool continues(const ct_copy_dim *outer, const ct_copy_dim *inner)
{
    return !inner->cut && outer->from == inner->extent * inner->from &&
           outer->to == inner->extent * inner->to;
}

/* Joins one pair; false where there is none. */
static bool merge_pair(ct_copy *copy)
{
    for (int i = 0; i < copy->rank; i++)
        for (int j = 0; j < copy->rank; j++) {
            ct_copy_dim *outer = &copy->dim[i], *inner = &copy->dim[j];
            if (i == j || !continues(outer, inner)) continue;
            outer->from = inner->from;
            outer->to = inner->to;
            outer->extent *= inner->extent;
            outer->each *= inner->extent;
            drop(copy, j);
            return true;
        }
    return false;
}

void ct_copy_merge(ct_copy *copy)
{
    if (!copy) return;
    while (merge_pair(copy))
        continue;
}

void ct_copy_split(ct_copy *copy, int most)
{
    const int parts = most > 0 ? copy->word / most : 0;
    if (parts < 2 || copy->word % most != 0) return;
    for (int k = 0; k < copy->rank; k++) {
        copy->dim[k].from *= parts;
        copy->dim[k].to *= parts;
    }
    copy->from *= parts;
    copy->to *= parts;
    copy->word = most;
    ct_copy_add(copy, (ct_copy_dim){.extent = parts, .from = 1, .to = 1, .of = -1});
}

/* The dimension with stride 1 on both sides; -1 where there is none. */
static int shared_fastest(const ct_copy *copy)
{
    for (int k = 0; k < copy->rank; k++)
        if (copy->dim[k].from == 1 && copy->dim[k].to == 1) return k;
    return -1;
}

static bool all_even(const ct_copy *copy, int fastest)
{
    if (copy->from % 2 || copy->to % 2 || copy->dim[fastest].extent % 2) return false;
    for (int k = 0; k < copy->rank; k++)
        if (k != fastest && (copy->dim[k].from % 2 || copy->dim[k].to % 2)) return false;
    return true;
}

/* Two words become one. */
static bool widen_once(ct_copy *copy, int most)
{
    const int fastest = shared_fastest(copy);
    if (2 * copy->word > most || fastest < 0 || copy->dim[fastest].cut) return false;
    if (!all_even(copy, fastest)) return false;
    for (int k = 0; k < copy->rank; k++) {
        if (k == fastest) continue;
        copy->dim[k].from /= 2;
        copy->dim[k].to /= 2;
    }
    copy->from /= 2;
    copy->to /= 2;
    copy->word *= 2;
    copy->dim[fastest].extent /= 2;
    if (copy->dim[fastest].extent == 1) drop(copy, fastest);
    return true;
}

void ct_copy_widen(ct_copy *copy, int most)
{
    while (widen_once(copy, most))
        continue;
}

/* ---------------------------------------------------------------- on the host */

bool ct_copy_next(const ct_copy *copy, int rank, ct_copy_place *place)
{
    if (!copy || !place) return false;
    for (int k = rank - 1; k >= 0; k--) {
        const ct_copy_dim *dim = &copy->dim[k];
        place->from += dim->from;
        place->to += dim->to;
        if (++place->index[k] < dim->extent) return true;
        place->from -= dim->from * dim->extent;
        place->to -= dim->to * dim->extent;
        place->index[k] = 0;
    }
    return false;
}

/* A literal size lets the compiler move a word in a register. */
#define COPY_WORDS(size)                                                                           \
    static void copy_words_##size(char *to, int64_t to_step, const char *from, int64_t from_step,  \
                                  int64_t count)                                                   \
    {                                                                                              \
        for (int64_t n = 0; n < count; n++)                                                        \
            memcpy(to + n * to_step, from + n * from_step, size);                                  \
    }
COPY_WORDS(1)
COPY_WORDS(2)
COPY_WORDS(4)
COPY_WORDS(8)
COPY_WORDS(16)

void ct_copy_row(void *to, int64_t to_stride, const void *from, int64_t from_stride, int64_t count,
                 int word)
{
    if (!to || !from) return;
    static void (*const copies[17])(char *, int64_t, const char *, int64_t, int64_t) = {
        [1] = copy_words_1, [2] = copy_words_2,   [4] = copy_words_4,
        [8] = copy_words_8, [16] = copy_words_16,
    };
    if (count <= 0 || word <= 0 || word > 16 || !copies[word]) return;
    if (to_stride == 1 && from_stride == 1)
        memcpy(to, from, (size_t)count * (size_t)word);
    else
        copies[word](to, to_stride * word, from, from_stride * word, count);
}

/* What is near in the target, fastest last, and what is near in the source. */
typedef struct crossing {
    ct_copy_dim slow, near, far;
} crossing;

/* A cache line of the source at a time goes to as many rows of the target. */
#define COPY_CROSS(size)                                                                           \
    static inline void copy_lines_##size(char *to, const char *from, const crossing *c,            \
                                         int64_t lines)                                            \
    {                                                                                              \
        for (int64_t m = 0; m < c->slow.extent; m++)                                               \
            for (int64_t n = 0; n < c->near.extent; n++) {                                         \
                char *row = to + (m * c->slow.to + n * c->near.to) * size;                         \
                const char *line = from + (m * c->slow.from + n * c->near.from) * size;            \
                for (int64_t k = 0; k < lines; k++)                                                \
                    memcpy(row + k * c->far.to * size, line + k * size, size);                     \
            }                                                                                      \
    }                                                                                              \
    static void copy_cross_##size(char *to, const char *from, const crossing *c)                   \
    {                                                                                              \
        enum { LINE = 64 / size };                                                                 \
        int64_t first = 0;                                                                         \
        for (; first + LINE <= c->far.extent; first += LINE)                                       \
            copy_lines_##size(to + first * c->far.to * size, from + first * size, c, LINE);        \
        copy_lines_##size(to + first * c->far.to * size, from + first * size, c,                   \
                          c->far.extent - first);                                                  \
    }
COPY_CROSS(1)
COPY_CROSS(2)
COPY_CROSS(4)
COPY_CROSS(8)
COPY_CROSS(16)

static void copy_cross(char *to, const char *from, const crossing *c, int word)
{
    static void (*const copies[17])(char *, const char *, const crossing *) = {
        [1] = copy_cross_1, [2] = copy_cross_2,   [4] = copy_cross_4,
        [8] = copy_cross_8, [16] = copy_cross_16,
    };
    if (word > 0 && word <= 16 && copies[word]) copies[word](to, from, c);
}

/* Where the last dimension is fastest in the target only: the one that is so in the source; -1. */
static int far_of(const ct_copy *copy)
{
    const ct_copy_dim *last = &copy->dim[copy->rank - 1];
    if (last->to != 1 || last->from == 1) return -1;
    for (int k = 0; k < copy->rank - 1; k++)
        if (copy->dim[k].from == 1) return k;
    return -1;
}

static void run_crossing(const ct_copy *copy, int far, char *to, const char *from)
{
    ct_copy rest = *copy;
    crossing c = {.slow = {.extent = 1}, .far = copy->dim[far]};
    ct_copy_place place = {.from = copy->from, .to = copy->to};
    drop(&rest, far);
    c.near = rest.dim[--rest.rank];
    if (rest.rank > 0) c.slow = rest.dim[--rest.rank];
    do
        copy_cross(to + place.to * copy->word, from + place.from * copy->word, &c, copy->word);
    while (ct_copy_next(&rest, rest.rank, &place));
}

/* All but the last two dimensions are counted, these are loops. */
static void run_rows(const ct_copy *copy, char *to, const char *from)
{
    const ct_copy_dim one = {.extent = 1, .from = 1, .to = 1};
    const int rank = copy->rank > 2 ? copy->rank - 2 : 0;
    const ct_copy_dim row = copy->rank > 0 ? copy->dim[copy->rank - 1] : one;
    const ct_copy_dim rows = copy->rank > 1 ? copy->dim[rank] : one;
    ct_copy_place place = {.from = copy->from, .to = copy->to};
    do
        for (int64_t n = 0; n < rows.extent; n++)
            ct_copy_row(to + (place.to + n * rows.to) * copy->word, row.to,
                        from + (place.from + n * rows.from) * copy->word, row.from, row.extent,
                        copy->word);
    while (ct_copy_next(copy, rank, &place));
}

void ct_copy_run(const ct_copy *copy, void *to, const void *from)
{
    if (!copy || !to || !from) return;
    if (ct_copy_count(copy) <= 0) return;
    const int k = copy->rank < 2 ? -1 : far_of(copy);
    if (k >= 0)
        run_crossing(copy, k, to, from);
    else
        run_rows(copy, to, from);
}

void ct_copy_array(ct_array *to, const ct_array *from)
{
    if (!to || !from) return;
    ct_copy copy = ct_copy_make(to, from);
    ct_copy_sort(&copy, true); /* memory is written from its beginning to its end */
    ct_copy_merge(&copy);
    ct_copy_widen(&copy, 16);
    ct_copy_run(&copy, to->data, from->data);
}

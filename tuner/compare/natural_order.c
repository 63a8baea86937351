/* natural_order.c: see natural_order.h. A tile spans the dimension that is fastest in memory and
 * the one that is fastest in natural order; where they are the same, rows are looked at where they
 * lie. Room: tuner/compare. */
#include "natural_order.h"

/* Elements along each side; along a row that lies in memory as it is; bytes of an element. */
enum { TILES_SIDE = 64, TILES_ROW = 4096, TILES_WORD = 16 };

/* `from`: the place in memory, `to`: the natural one. */
typedef struct natural_side {
    ct_copy_dim dim;
    int64_t most; /* elements of a tile */
    int place;    /* among the dimensions that are walked; -1: there is one tile */
} natural_side;

typedef struct tiles {
    char *data;
    int size; /* of an element */
    natural_side down, along;
    ct_copy walk; /* over the tiles */
    ct_natural_order_look *look;
    ct_natural_order_make *make; /* NULL: they are looked at */
    void *of;
} tiles;

/* The dimension with the least stride in memory, or in natural order; -1: there is none. */
static int natural_fastest(const ct_copy *copy, bool natural)
{
    int fastest = copy->rank - 1;
    for (int k = 0; k < copy->rank; k++) {
        const ct_copy_dim *a = &copy->dim[k], *b = &copy->dim[fastest];
        if (natural ? a->to < b->to : a->from < b->from) fastest = k;
    }
    return fastest;
}

static natural_side natural_cut(ct_copy *walk, const ct_copy_dim *dim, int64_t most)
{
    const ct_copy_dim tile = {
        .extent = (dim->extent + most - 1) / most, .from = most * dim->from, .to = most * dim->to};
    const int place = tile.extent > 1 ? walk->rank : -1;
    ct_copy_add(walk, tile);
    return (natural_side){*dim, most, place};
}

static void natural_plan(tiles *t, const ct_array *array)
{
    const ct_copy_dim one = {.extent = 1, .from = 1, .to = 1};
    ct_array natural = *array;
    ct_array_dense(&natural, NULL);
    ct_copy copy = ct_copy_make(&natural, array);
    ct_copy_sort(&copy, false);
    ct_copy_merge(&copy);
    const int down = natural_fastest(&copy, false), along = natural_fastest(&copy, true);
    const bool together = down == along;
    t->walk = (ct_copy){.word = copy.word, .from = copy.from, .to = copy.to};
    for (int k = 0; k < copy.rank; k++)
        if (k != down && k != along) ct_copy_add(&t->walk, copy.dim[k]);
    t->down = natural_cut(&t->walk, together ? &one : &copy.dim[down], TILES_SIDE);
    t->along = natural_cut(&t->walk, along < 0 ? &one : &copy.dim[along],
                           together ? TILES_ROW : TILES_SIDE);
}

/* Elements of this tile: the last one may be narrower. */
static int64_t natural_count(const natural_side *side, const ct_copy_place *place)
{
    const int64_t before = side->place < 0 ? 0 : place->index[side->place] * side->most;
    const int64_t left = side->dim.extent - before;
    return left < side->most ? left : side->most;
}

static void natural_row(const tiles *t, int64_t natural, int64_t at, int64_t count)
{
    _Alignas(TILES_WORD) char row[TILES_ROW * TILES_WORD];
    char *place = t->data + at * t->size;
    const int64_t stride = t->along.dim.from;
    if (stride == 1) {
        t->make ? t->make(t->of, natural, count, place) : t->look(t->of, natural, count, place);
    } else if (t->make) {
        t->make(t->of, natural, count, row);
        ct_copy_row(place, stride, row, 1, count, t->size);
    } else {
        ct_copy_row(row, 1, place, stride, count, t->size);
        t->look(t->of, natural, count, row);
    }
}

static void natural_each(tiles *t, const ct_array *array)
{
    if (ct_array_count(array) <= 0) return;
    t->data = array->data;
    t->size = (int)ct_type_bits(array->type) / 8;
    natural_plan(t, array);
    ct_copy_place place = {.from = t->walk.from, .to = t->walk.to};
    do {
        const int64_t rows = natural_count(&t->down, &place),
                      count = natural_count(&t->along, &place);
        for (int64_t i = 0; i < rows; i++)
            natural_row(t, place.to + i * t->down.dim.to, place.from + i * t->down.dim.from, count);
    } while (ct_copy_next(&t->walk, t->walk.rank, &place));
}

void ct_natural_order_read(const ct_array *array, ct_natural_order_look *look, void *of)
{
    tiles t = {.look = look, .of = of};
    natural_each(&t, array);
}

void ct_natural_order_write(const ct_array *array, ct_natural_order_make *make, void *of)
{
    tiles t = {.make = make, .of = of};
    natural_each(&t, array);
}

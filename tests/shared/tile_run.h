/* tile_run.h: PACK and STORE, generated, compiled and run, against index arithmetic on the host.
 * Many generated functions stand in one program, since a build is slow.
 *
 * Room: tests. Order: add_case as often as wanted, check_run; or check_kind for all layouts. */
#ifndef CT_TESTS_TILE_RUN_H
#define CT_TESTS_TILE_RUN_H
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exhaustive.h"
#include "kernel.h"
#include "layout.h"
#include "text.h"
#include "tile.h"

enum { CASES = 128, GUARD = 64, INNER = 4 };

/* One generated function and what it is run on. */
typedef struct tile_case {
    char port[8], name[8], order[CT_DIMS + 1];
    ct_array array; /* of the port, with its data */
    ct_array tiles; /* its last dimension's stride counts tiles: one tile for each box */
    ct_box box;
    int64_t boxes[CT_DIMS], length[CT_DIMS]; /* along each dimension of the array */
    int64_t count;                           /* of boxes */
} tile_case;

typedef struct tile_run {
    kernel_device *device;
    int cases;
    tile_case each[CASES];
    ct_text text;
} tile_run;

/* What a family of cases has in common. */
typedef struct tile_kind {
    const char *dims;
    ct_type type;
    const char *tile;
    ct_type tile_type;
    int64_t extent[CT_DIMS], box[CT_DIMS]; /* in the order of dims */
    bool write;
    int group, vector, nontemporal;
    int64_t tile_padding, padding,
        offset;  /* of the tile's rows; of the array's rows; of the array */
    char padded; /* the tile's padding follows this letter's runs */
} tile_kind;

static inline void shape_array(ct_array *array, const tile_kind *kind, const ct_layout *layout)
{
    *array = (ct_array){.type = kind->type};
    for (int k = 0; kind->dims[k]; k++)
        ct_array_add(array, kind->dims[k], kind->extent[k]);
    array->layout = *layout;
    array->offset = kind->offset;
    int64_t stride = 1;
    for (int k = layout->rank - 1; k >= 0; k--) {
        const int place = ct_array_find(array, layout->dim[k]);
        array->stride[place] = stride;
        stride = stride * array->extent[place] + (k == layout->rank - 1 ? kind->padding : 0);
    }
}

static inline void fill(ct_array *array, int64_t elements, unsigned seed)
{
    for (int64_t k = 0; k < elements; k++) {
        seed = seed * 1664525u + 1013904223u;
        ct_array_save(array, k, 0.5 * ((int)(seed >> 8 & 511) - 256),
                      0.5 * ((int)(seed >> 20 & 511) - 256));
    }
}

static inline void *bytes_of(size_t bytes)
{
    void *data = NULL;
    assert_int_equal(posix_memalign(&data, 64, bytes + GUARD), 0);
    memset(data, 0xA5, bytes + GUARD);
    return data;
}

/* Strides of the tile, in the order of `order`; returns its size. */
static inline int64_t tile_strides(const ct_box *box, int64_t stride[CT_DIMS])
{
    const int last = (int)strlen(box->order) - 1;
    const char padded = box->padded ? box->padded : box->order[last];
    int64_t size = 1;
    for (int k = last; k >= 0; k--) {
        stride[k] = size;
        size *= box->extent[k];
        if (box->order[k] == padded) size += box->padding;
    }
    return size;
}

static inline int64_t tile_size(const ct_box *box)
{
    int64_t stride[CT_DIMS];
    return tile_strides(box, stride);
}

/* `order` may have inner parts: a capital and its small letter share the dimension's extent. */
static inline void shape_box(tile_case *one, const tile_kind *kind, const char *order)
{
    strcpy(one->order, order);
    one->box = (ct_box){.name = one->name,
                        .order = one->order,
                        .padding = kind->tile_padding,
                        .padded = kind->padded,
                        .type = kind->tile,
                        .group = kind->group,
                        .vector = kind->vector,
                        .nontemporal = kind->nontemporal,
                        .prefetch = 1};
    one->box.access = (ct_access){.name = one->port,
                                  .letters = kind->dims,
                                  .aliases = kind->dims,
                                  .array = &one->array,
                                  .write = kind->write};
    for (int k = 0; order[k]; k++) {
        const int place = (int)(strchr(kind->dims, toupper(order[k])) - kind->dims);
        const bool split = islower(order[k]) || strchr(order, tolower(order[k]));
        one->box.extent[k] = !split              ? kind->box[place]
                             : islower(order[k]) ? INNER
                                                 : kind->box[place] / INNER;
    }
    one->count = 1;
    for (int k = 0; kind->dims[k]; k++) {
        one->length[k] = kind->box[k];
        one->boxes[k] = (kind->extent[k] + kind->box[k] - 1) / kind->box[k];
        one->count *= one->boxes[k];
    }
}

static inline void emit_kernel(ct_text *text, const tile_case *one, const tile_kind *kind)
{
    ct_text_add(text,
                "kernel void run_%s(global %s%s_TYPE *restrict %s_data, global %s_TYPE *io)\n{\n"
                "    %s_SPACE %s_TYPE tile[%s_SIZE] __attribute__((aligned(64)));\n"
                "    int box = 0;\n",
                one->name, kind->write ? "" : "const ", one->port, one->port, one->name, one->name,
                one->name, one->name);
    for (int k = 0; kind->dims[k]; k++) {
        const int letter = tolower((unsigned char)kind->dims[k]);
        ct_text_add(text, "    for (int %c = 0; %c < %d; %c += %d)\n", letter, letter,
                    (int)kind->extent[k], letter, (int)kind->box[k]);
    }
    ct_text add = {0};
    for (int k = 0; kind->dims[k]; k++)
        ct_text_add(&add, ", %c", tolower((unsigned char)kind->dims[k]));
    const char *n = one->name;
    if (kind->write)
        ct_text_add(
            text,
            "    { for (int k = CT_LID; k < %s_SIZE; k += CT_ITEMS) tile[k] = "
            "io[box * %s_SIZE + k]; CT_BARRIER; STORE_%s(tile%s); CT_BARRIER; box++; }\n}\n",
            n, n, n, add.data);
    else
        ct_text_add(text,
                    "    { PREFETCH_%s(%s); PACK_%s(tile%s); CT_BARRIER; for (int k = CT_LID; k < "
                    "%s_SIZE; k += "
                    "CT_ITEMS) io[box * %s_SIZE + k] = tile[k]; CT_BARRIER; box++; }\n}\n",
                    n, add.data + 1, n, add.data, n, n);
    ct_text_free(&add);
}

static inline void add_case(tile_run *run, const tile_kind *kind, const ct_layout *layout,
                            const char *order)
{
    assert_true(run->cases < CASES);
    tile_case *one = &run->each[run->cases];
    ct_error err = {0};
    sprintf(one->port, "X%d", run->cases);
    sprintf(one->name, "A%d", run->cases++);
    shape_array(&one->array, kind, layout);
    shape_box(one, kind, order);
    one->tiles = (ct_array){.type = kind->tile_type};
    ct_access_emit(&run->text, &one->box.access);
    if (ct_tile_emit(&run->text, &one->box, &err) != CT_OK) fail_msg("%s", err.text);
    emit_kernel(&run->text, one, kind);
    const int64_t elements = one->count * tile_size(&one->box);
    one->array.data = bytes_of(ct_array_bytes(&one->array));
    one->tiles.data = bytes_of((size_t)elements * ct_type_bits(kind->tile_type) / 8);
    if (kind->write)
        fill(&one->tiles, elements, (unsigned)run->cases);
    else
        fill(&one->array, ct_array_span(&one->array), (unsigned)run->cases);
}

/* A walk over all elements of all boxes: where each lies in the array (-1: outside) and in its
 * tile. */
typedef struct tile_place {
    int64_t array, tile;
} tile_place;

static inline tile_place place_of(const tile_case *one, int64_t box, int64_t element)
{
    const ct_array *array = &one->array;
    int64_t stride[CT_DIMS], coordinate[CT_DIMS] = {0};
    tile_place place = {array->offset, box * tile_strides(&one->box, stride)};
    for (int k = (int)strlen(one->order) - 1; k >= 0; k--) {
        const int dim = ct_array_find(array, (char)toupper(one->order[k]));
        const int64_t index = element % one->box.extent[k];
        const bool outer = strchr(one->order, tolower(one->order[k])) && isupper(one->order[k]);
        element /= one->box.extent[k];
        coordinate[dim] += outer ? index * INNER : index;
        place.tile += index * stride[k];
    }
    bool outside = false;
    for (int k = array->rank - 1; k >= 0; k--) {
        coordinate[k] += box % one->boxes[k] * one->length[k];
        box /= one->boxes[k];
        outside |= coordinate[k] >= array->extent[k];
        place.array += coordinate[k] * array->stride[k];
    }
    if (outside) place.array = -1;
    return place;
}

static inline void expect_pack(const tile_case *one, int64_t box, int64_t element)
{
    const tile_place place = place_of(one, box, element);
    const ct_complex found = ct_array_load(&one->tiles, place.tile);
    const ct_complex expected =
        place.array < 0 ? (ct_complex){0, 0} : ct_array_load(&one->array, place.array);
    if (found.re != expected.re || found.im != expected.im)
        fail_msg("%s of %s to %s: box %d element %d: %g,%g for %g,%g", one->name,
                 one->array.layout.dim, one->order, (int)box, (int)element, found.re, found.im,
                 expected.re, expected.im);
}

/* Pack: every element of every tile. Store: every byte of the array, its padding and guard too. */
static inline void check_case(tile_run *run, tile_case *one)
{
    const size_t bytes = ct_array_bytes(&one->array) + GUARD;
    int64_t elements = 1;
    for (int k = 0; one->order[k]; k++)
        elements *= one->box.extent[k];
    ct_array expected = one->array;
    expected.data = bytes_of(bytes - GUARD);
    char entry[16];
    sprintf(entry, "run_%s", one->name);
    const kernel_memory memory[] = {
        {one->array.data, bytes},
        {one->tiles.data,
         (size_t)(one->count * tile_size(&one->box)) * ct_type_bits(one->tiles.type) / 8 + GUARD}};
    const size_t group = (size_t)one->box.group;
    assert_true(kernel_run(run->device, entry, group, group, memory, 2));
    for (int64_t box = 0; box < one->count; box++)
        for (int64_t k = 0; k < elements; k++) {
            const tile_place place = place_of(one, box, k);
            if (!one->box.access.write)
                expect_pack(one, box, k);
            else if (place.array >= 0) {
                const ct_complex value = ct_array_load(&one->tiles, place.tile);
                ct_array_save(&expected, place.array, value.re, value.im);
            }
        }
    if (one->box.access.write && memcmp(expected.data, one->array.data, bytes) != 0)
        fail_msg("%s from %s to %s: wrong", one->name, one->order, one->array.layout.dim);
    free(expected.data);
    free(one->array.data);
    free(one->tiles.data);
}

static inline void check_run(tile_run *run)
{
    assert_true(kernel_build(run->device, run->text.data));
    for (int k = 0; k < run->cases; k++)
        check_case(run, &run->each[k]);
    ct_text_free(&run->text);
    run->cases = 0;
}

/* Every `stride`-th layout of the array, or a few of these, each with another order of the tile. */
static inline void check_kind(kernel_device *device, const tile_kind *kind, int64_t stride)
{
    tile_run *run = calloc(1, sizeof *run);
    run->device = device;
    const int64_t all = ct_layout_permutations((int)strlen(kind->dims));
    for (int64_t n = few_or_all(stride * 2 % all, 0); n < all; n += stride * few_or_all(5, 1)) {
        const ct_layout layout = ct_layout_permutation(kind->dims, n);
        const ct_layout order = ct_layout_permutation(kind->dims, n * 7 % all);
        add_case(run, kind, &layout, order.dim);
    }
    check_run(run);
    free(run);
}

#endif

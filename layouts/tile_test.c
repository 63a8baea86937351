/* tile_test.c: PACK and STORE, generated, compiled and run, against index arithmetic on the host.
 *
 * Room: layouts (test). Many generated functions stand in one program, since a build is slow. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel.h"
#include "layout.h"
#include "text.h"
#include "tile.h"

enum { CASES = 128, GUARD = 64 };

/* One generated function and what it is run on. */
typedef struct tile_case {
    char port[8], name[8], order[CT_DIMS + 1];
    ct_array array; /* of the port, with its data */
    ct_array tiles; /* its last dimension's stride counts tiles: one tile for each box */
    ct_box box;
    int64_t boxes[CT_DIMS], count; /* along each dimension of the array, and all */
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
    int64_t pitch, padding, offset; /* of the tile's rows; of the array's rows; of the array */
} tile_kind;

static void shape_array(ct_array *array, const tile_kind *kind, const ct_layout *layout)
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

static void fill(ct_array *array, int64_t elements, unsigned seed)
{
    for (int64_t k = 0; k < elements; k++) {
        seed = seed * 1664525u + 1013904223u;
        ct_array_save(array, k, (int)(seed >> 8 & 255) - 128, (int)(seed >> 20 & 255) - 128);
    }
}

static void *bytes_of(size_t bytes)
{
    void *data = NULL;
    assert_int_equal(posix_memalign(&data, 64, bytes + GUARD), 0);
    memset(data, 0xA5, bytes + GUARD);
    return data;
}

static int64_t tile_size(const ct_box *box)
{
    const size_t last = strlen(box->order) - 1;
    int64_t rows = 1;
    for (size_t k = 0; k < last; k++)
        rows *= box->extent[k];
    return rows * (box->extent[last] + box->pitch);
}

static void shape_box(tile_case *one, const tile_kind *kind, const ct_layout *order)
{
    strcpy(one->order, order->dim);
    one->box = (ct_box){.name = one->name,
                        .order = one->order,
                        .pitch = kind->pitch,
                        .type = kind->tile,
                        .group = kind->group,
                        .vector = kind->vector,
                        .nontemporal = kind->nontemporal};
    one->box.access = (ct_access){.name = one->port,
                                  .letters = kind->dims,
                                  .aliases = kind->dims,
                                  .array = &one->array,
                                  .write = kind->write};
    one->count = 1;
    for (int k = 0; k < order->rank; k++) {
        const int place = (int)(strchr(kind->dims, order->dim[k]) - kind->dims);
        one->box.extent[k] = kind->box[place];
        one->boxes[place] = (kind->extent[place] + kind->box[place] - 1) / kind->box[place];
        one->count *= one->boxes[place];
    }
}

static void emit_kernel(ct_text *text, const tile_case *one, const tile_kind *kind)
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
                    "    { PACK_%s(tile%s); CT_BARRIER; for (int k = CT_LID; k < %s_SIZE; k += "
                    "CT_ITEMS) io[box * %s_SIZE + k] = tile[k]; CT_BARRIER; box++; }\n}\n",
                    n, add.data, n, n);
    ct_text_free(&add);
}

static void add_case(tile_run *run, const tile_kind *kind, const ct_layout *layout,
                     const ct_layout *order)
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

static tile_place place_of(const tile_case *one, int64_t box, int64_t element)
{
    tile_place place = {one->array.offset, box * tile_size(&one->box)};
    int64_t stride = 1;
    int64_t inside[CT_DIMS];
    for (int k = one->array.rank - 1; k >= 0; k--) {
        const int at = ct_array_find(&one->array, one->order[k]);
        inside[at] = element % one->box.extent[k];
        element /= one->box.extent[k];
        place.tile += inside[at] * stride;
        stride *= one->box.extent[k];
        if (k == one->array.rank - 1) stride += one->box.pitch;
    }
    bool outside = false;
    for (int k = one->array.rank - 1; k >= 0; k--) {
        const int in_order = (int)(strchr(one->order, one->array.dim[k]) - one->order);
        const int64_t coordinate = box % one->boxes[k] * one->box.extent[in_order] + inside[k];
        box /= one->boxes[k];
        outside |= coordinate >= one->array.extent[k];
        place.array += coordinate * one->array.stride[k];
    }
    if (outside) place.array = -1;
    return place;
}

static void expect_pack(const tile_case *one, int64_t box, int64_t element)
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
static void check_case(tile_run *run, tile_case *one)
{
    const size_t bytes = ct_array_bytes(&one->array) + GUARD;
    int64_t elements = 1;
    for (int k = 0; k < one->array.rank; k++)
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

static void check_run(tile_run *run)
{
    assert_true(kernel_build(run->device, run->text.data));
    for (int k = 0; k < run->cases; k++)
        check_case(run, &run->each[k]);
    ct_text_free(&run->text);
    run->cases = 0;
}

/* Every layout of the array, each with one order of the tile that moves along. */
static void check_kind(kernel_device *device, const tile_kind *kind)
{
    tile_run *run = calloc(1, sizeof *run);
    run->device = device;
    const int rank = (int)strlen(kind->dims);
    const int64_t all = ct_layout_permutations(rank);
    for (int64_t n = 0; n < all; n++) {
        const ct_layout layout = ct_layout_permutation(kind->dims, n);
        const ct_layout order = ct_layout_permutation(kind->dims, n * 7 % all);
        add_case(run, kind, &layout, &order);
    }
    check_run(run);
    free(run);
}

static const tile_kind four = {.dims = "SPTC",
                               .type = CT_CF32,
                               .tile = "float2",
                               .tile_type = CT_CF32,
                               .extent = {5, 2, 19, 11},
                               .box = {3, 2, 8, 4},
                               .group = 1,
                               .pitch = 3,
                               .padding = 2,
                               .offset = 7};

static void packs_four_dimensions(void **state)
{
    tile_kind kind = four;
    check_kind(*state, &kind);
    kind.type = CT_CI8;
    kind.group = 8;
    check_kind(*state, &kind);
}

static void stores_four_dimensions(void **state)
{
    tile_kind kind = four;
    kind.write = true;
    check_kind(*state, &kind);
    kind.type = CT_CI8;
    kind.group = 8;
    check_kind(*state, &kind);
}

int main(void)
{
    kernel_device device;
    if (!kernel_open(&device)) {
        puts("skipped: no OpenCL device");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(packs_four_dimensions, &device),
        cmocka_unit_test_prestate(stores_four_dimensions, &device),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    kernel_close(&device);
    return failed;
}

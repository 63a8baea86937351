/* tile_convert_test.c: types are converted on the way into a tile and out of it.
 *
 * Room: layouts (test). Oracle: ct_array_load and ct_array_save on the host (tile_run.h). */
#include "exhaustive.h"
#include "tile_run.h"

static const tile_kind four = {.dims = "SPTC",
                               .type = CT_CF32,
                               .tile = "float2",
                               .tile_type = CT_CF32,
                               .extent = {5, 2, 19, 11},
                               .box = {3, 2, 9, 6},
                               .group = 1,
                               .vector = 64,
                               .tile_padding = 3,
                               .padding = 2,
                               .offset = 7};
/* What is stored, and what stands in the tile. */
static void types_are_converted(void **state)
{
    static const struct {
        ct_type type;
        const char *tile;
        ct_type tile_type;
    } pairs[] = {
        {CT_CI8, "float2", CT_CF32}, {CT_CI16, "float2", CT_CF32}, {CT_CF16, "float2", CT_CF32},
        {CT_CI8, "char2", CT_CI8},   {CT_CI8, "short2", CT_CI16},  {CT_CI4, "char2", CT_CI8},
        {CT_CI4, "float2", CT_CF32}, {CT_U8, "float", CT_F32},     {CT_U16, "float", CT_F32},
        {CT_F16, "float", CT_F32},   {CT_U8, "ushort", CT_U16},    {CT_F32, "float", CT_F32}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        tile_kind kind = four;
        kind.type = pairs[k].type;
        kind.tile = pairs[k].tile;
        kind.tile_type = pairs[k].tile_type;
        kind.padding = (int64_t)k % 2 * 2; /* some strides allow wider words */
        kind.offset = (int64_t)k % 3 * 2;
        check_kind(*state, &kind, 5);
        kind.write = true;
        check_kind(*state, &kind, 7);
    }
}

int main(void)
{
    kernel_device device;
    if (!kernel_open(&device)) {
        puts("skipped: no OpenCL device");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(types_are_converted, &device),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    kernel_close(&device);
    return failed;
}

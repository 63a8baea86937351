/* fft_group_test.c: what the FFT takes on a GPU: which engine by default, and local memory that is what
 * `where` counts on, in every layout. What the kernel computes is verified on a CPU in place of a GPU.
 * Room: stages/fft, tests. */
#include "emit.h"
#include "stage.h"
#include "step_inner.h"
#include "text.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

extern const ct_stage ct_stage_fft;

static void make(stage_case *fft, const char *extents, const char *read, const char *write)
{
    ct_layout layout;
    stage_make(fft, &ct_stage_fft, "{}", extents, CT_CF32);
    fft->step->gpu = true;
    assert_int_equal(ct_layout_parse(&layout, read, NULL), CT_OK);
    assert_int_equal(ct_step_set_layout(fft->step, 0, &layout, NULL), CT_OK);
    assert_int_equal(ct_layout_parse(&layout, write, NULL), CT_OK);
    assert_int_equal(ct_step_set_layout(fft->step, 1, &layout, NULL), CT_OK);
}

/* ---------------------------------------------------------------- the engine */

static void expect_engine(const char *extents, int64_t local_bytes, const char *engine)
{
    stage_case fft;
    char is[64];
    make(&fft, extents, "SPTC", "CTSP");
    ct_step_in(fft.step)->local_bytes = local_bytes;
    ct_step_default_tunables(fft.step);
    snprintf(is, sizeof is, "ENGINE_IS_%s", engine);
    if (!ct_step_holds(fft.step, is)) fail_msg("%s in %lld bytes: not %s", extents, (long long)local_bytes, engine);
    assert_true(ct_step_is_legal(fft.step));
    stage_free(&fft);
}

static bool has_engine(const char *name)
{
    stage_case fft;
    make(&fft, "S=1 P=1 T=1 C=4", "SPTC", "SPTC");
    ct_step_default_tunables(fft.step);
    const bool has = ct_step_set_tunable(fft.step, "ENGINE", name, NULL) == CT_OK && ct_step_is_legal(fft.step);
    stage_free(&fft);
    return has;
}

static void test_gpus_transform_by_the_kernel_where_it_can(void **state)
{
    (void)state;
    expect_engine("S=5 P=2 T=70 C=2", 49152, "native");
    expect_engine("S=5 P=2 T=70 C=420", 49152, "native");
    expect_engine("S=5 P=2 T=7 C=4096", 49152, "native");
    expect_engine("S=5 P=2 T=7 C=2048", 32768, "native"); /* with a smaller tile */
    if (has_engine("clfft")) {
        expect_engine("S=5 P=2 T=7 C=4096", 32768, "clfft");
        expect_engine("S=5 P=2 T=7 C=8192", 49152, "clfft");
        expect_engine("S=5 P=2 T=7 C=26", 49152, "clfft");
    }
    if (has_engine("fftw")) expect_engine("S=5 P=2 T=7 C=34", 49152, "fftw");
}

/* ---------------------------------------------------------------- local memory */

static long long number_of(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    assert_non_null(at);
    return atoll(at + strlen(name));
}

/* Spectra of the tile do not overlap, and there are no more places than `where` says. */
static void check_places(ct_step *step, const char *what)
{
    ct_text text = {0};
    int64_t bytes = 0, length = ct_array_extent(&step->port[0], 'C');
    assert_int_equal(ct_step_evaluate(step, "GROUP_BYTES", &bytes, NULL), CT_OK);
    assert_int_equal(ct_stage_fft.kernel.emit(step, &text, NULL), CT_OK);
    const long long size = number_of(text.data, "#define Z_SIZE ");
    if (size * 8 > bytes) fail_msg("%s: %lld places, %lld bytes", what, size, (long long)bytes);
    const long long along[] = {number_of(text.data, "#define Z_STRIDE_S "), number_of(text.data, "#define Z_STRIDE_P "),
                               number_of(text.data, "#define Z_STRIDE_T ")};
    const long long tile[] = {ct_step_tunable(step, "TILE_S"), ct_step_tunable(step, "TILE_P"),
                              ct_step_tunable(step, "TILE_T")};
    char *taken = calloc(1, (size_t)size);
    for (long long row = 0; row < tile[0] * tile[1] * tile[2]; row++) {
        const long long at = row / (tile[1] * tile[2]) * along[0] + row / tile[2] % tile[1] * along[1] +
                             row % tile[2] * along[2];
        assert_true(at + length <= size);
        for (int64_t q = 0; q < length; q++)
            if (taken[at + q]++) fail_msg("%s: spectra overlap", what);
    }
    free(taken);
    ct_text_free(&text);
}

static void test_local_memory_is_what_where_counts(void **state)
{
    static const char *const layouts[][2] = {{"SPTC", "SPTC"}, {"SPCT", "SPTC"}, {"SPTC", "TCPS"},
                                             {"SPCT", "TCPS"}, {"TSCP", "CTSP"}, {"CPTS", "SPCT"}};
    static const int lengths[] = {2, 5, 16, 18, 32, 49, 64, 105, 128, 256, 343, 480, 512, 768, 1000, 1024, 2048, 3584, 4096};
    static const char *const tiles[][3] = {{"1", "1", "1"}, {"1", "1", "16"}, {"16", "1", "1"}, {"1", "2", "2"},
                                           {"4", "1", "4"}, {"2", "2", "8"},  {"8", "2", "8"}};
    (void)state;
    for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++)
        for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++)
            for (size_t k = 0; k < sizeof tiles / sizeof *tiles; k++) {
                char extents[64], what[128];
                stage_case fft;
                snprintf(extents, sizeof extents, "S=33 P=2 T=65 C=%d", lengths[n]);
                snprintf(what, sizeof what, "%d, %s to %s, tile %s %s %s", lengths[n], layouts[l][0], layouts[l][1],
                         tiles[k][0], tiles[k][1], tiles[k][2]);
                make(&fft, extents, layouts[l][0], layouts[l][1]);
                ct_step_default_tunables(fft.step);
                ct_step_set_tunable(fft.step, "TILE_S", tiles[k][0], NULL);
                ct_step_set_tunable(fft.step, "TILE_P", tiles[k][1], NULL);
                ct_step_set_tunable(fft.step, "TILE_T", tiles[k][2], NULL);
                check_places(fft.step, what);
                stage_free(&fft);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gpus_transform_by_the_kernel_where_it_can),
        cmocka_unit_test(test_local_memory_is_what_where_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* device_class_test.c: devices' classes follow from what platforms and devices are called, and from
 * the processor that a CPU device runs on.
 * Room: core/device. Needs no OpenCL platform. */
#include "device_class.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const ct_device_processor zen_4 = {0x19, true, true, true, false},
                                 zen_3 = {0x19, true, true, false, false},
                                 zen_5 = {0x1a, true, true, true, false},
                                 xeon = {6, false, true, true, false},
                                 old = {6, false, false, false, false},
                                 arm = {0, false, false, false, true};

static const struct {
    bool gpu;
    const char *platform, *name;
    const ct_device_processor *processor;
    const char *words;
} devices[] = {
    {false, "Portable Computing Language", "pthread-skylake-avx512-AMD EPYC", &zen_4,
     "cpu pocl amd avx512 two-passes"},
    {false, "Portable Computing Language", "cpu-znver3-AMD EPYC 7763 64-Core Processor", &zen_3,
     "cpu pocl amd avx2"},
    {false, "Portable Computing Language", "cpu-znver5-AMD EPYC", &zen_5, "cpu pocl amd avx512"},
    {false, "Portable Computing Language", "pthread-skylake-avx512-Intel(R) Xeon(R) Processor",
     &xeon, "cpu pocl intel avx512"},
    {false, "Portable Computing Language", "pthread-cortex-a76", &arm, "cpu pocl neon"},
    {false, "Portable Computing Language", "pthread-core2", &old, "cpu pocl"},
    {false, "Intel(R) OpenCL", "Intel(R) Xeon(R) Processor", &xeon,
     "cpu intel-opencl intel avx512"},
    {false, "Intel(R) OpenCL", "AMD EPYC", &zen_4, "cpu intel-opencl amd avx512 two-passes"},
    {false, "Apple", "Apple M2", &arm, "cpu apple neon"},
    {false, "Portable Computing Language", "pthread-skylake-avx512-AMD EPYC", NULL, "cpu pocl amd"},
    {true, "NVIDIA CUDA", "NVIDIA H200", &zen_4, "gpu nvidia"},
    {true, "NVIDIA CUDA", "Tesla T4", &xeon, "gpu nvidia"},
    {true, "Portable Computing Language", "NVIDIA A100", NULL, "gpu nvidia"},
    {true, "AMD Accelerated Parallel Processing", "gfx90a:sramecc+:xnack-", &xeon, "gpu amd"},
    {true, "Intel(R) OpenCL Graphics", "Intel(R) Arc(TM) A770", &zen_4, "gpu intel"},
    {true, "rusticl", "something", &xeon, "gpu"},
};

static void names_and_processors_make_a_class(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        char words[CT_DEVICE_CLASS_TEXT];
        const ct_device_class of = ct_device_class_of(devices[i].gpu, devices[i].platform,
                                                      devices[i].name, devices[i].processor);
        assert_string_equal(ct_device_class_print(of, words), devices[i].words);
    }
}

static void each_word_has_a_bit_of_its_own(void **state)
{
    ct_device_class all = 0;
    char words[CT_DEVICE_CLASS_TEXT];
    (void)state;
    for (int n = 0; ct_device_class_word(n); n++) {
        const char *word = ct_device_class_word(n);
        const ct_device_class bit = ct_device_class_find(word, strlen(word));
        assert_int_not_equal(bit, 0);
        assert_int_equal(all & bit, 0);
        all |= bit;
    }
    assert_true(strlen(ct_device_class_print(all, words)) + 1 < sizeof words);
    assert_string_equal(ct_device_class_print(0, words), "");
    assert_int_equal(ct_device_class_find("avx", 3), 0);
    assert_int_equal(ct_device_class_find("avx512", 4), 0);
}

/* No processor has both widths of one kind, and only AMD's have two passes. */
static void the_processor_here_is_one(void **state)
{
    const ct_device_processor is = ct_device_processor_here();
    (void)state;
    assert_true(!is.avx512 || is.avx2);
    assert_true(!is.neon || !is.avx2);
#if defined(__x86_64__)
    assert_true(is.family >= 5);
#else
    assert_int_equal(is.family, 0);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_processors_make_a_class),
        cmocka_unit_test(each_word_has_a_bit_of_its_own),
        cmocka_unit_test(the_processor_here_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

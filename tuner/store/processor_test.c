/* processor_test.c: processors as /proc/cpuinfo describes them.
 * Room: tuner/store (test). */
#define _GNU_SOURCE
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "processor.h"

static ct_processor of(const char *text)
{
    char name[] = "/tmp/processor_test_XXXXXX";
    ct_processor out;
    FILE *file = fdopen(mkstemp(name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    ct_processor_read(&out, name);
    remove(name);
    return out;
}

/* In virtual machines Zen 2 to 5 have one name. */
static void is_told_by_family_and_vectors(void **state)
{
    (void)state;
    ct_processor x =
        of("processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n"
           "model name\t: AMD EPYC\nstepping\t: 1\nflags\t\t: fpu sse4_2 aes avx avx2 "
           "avx512f amd_x\n\nprocessor\t: 1\nmodel name\t: another\n");
    assert_string_equal(x.name, "AMD EPYC, family 25, model 17");
    assert_string_equal(x.vectors, "sse4_2 avx avx2 avx512f");
    x = of(
        "processor\t: 0\nFeatures\t: fp asimd sve\nCPU implementer\t: 0x41\nCPU part\t: 0xd4f\n");
    assert_string_equal(x.name, "0x41, part 0xd4f");
    assert_string_equal(x.vectors, "asimd sve");
    x = of("");
    assert_string_equal(x.name, "");
}

static void cores_are_those_it_may_use(void **state)
{
    cpu_set_t all, one;
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    assert_int_equal(ct_processor_cores(1000000), CPU_COUNT(&all));
    assert_int_equal(ct_processor_cores(1), 1);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(ct_processor_cores(1000000), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_told_by_family_and_vectors),
                                       cmocka_unit_test(cores_are_those_it_may_use)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* memory_test.c: zeroed, aligned, and a failure if there is none. */
#include "memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_zero(const unsigned char *memory, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        assert_int_equal(memory[i], 0);
}

static void small_memory(void **state)
{
    (void)state;
    unsigned char *memory = ct_memory_get(1001);
    assert_zero(memory, 1001);
    memset(memory, 7, 1001);
    assert_int_equal(ct_memory_grow(&memory, 5000, NULL), CT_OK);
    for (int i = 0; i < 1001; i++)
        assert_int_equal(memory[i], 7);
    ct_memory_free(memory);
    memory = ct_memory_get(0);
    assert_non_null(memory);
    ct_memory_free(memory);
    char *copy = ct_memory_copy("voltages");
    assert_string_equal(copy, "voltages");
    ct_memory_free(copy);
}

/* What cannot be had: without the sanitizer, which ends the program itself. */
static void refused_memory_is_a_failure(void **state)
{
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip();
#endif
    const size_t most = SIZE_MAX / 4;
    ct_error err = {0};
    char *list = ct_memory_copy("beam"), *old = list;
    assert_null(ct_memory_get(most));
    assert_int_equal(ct_memory_grow(&list, most, &err), CT_FAILED);
    assert_ptr_equal(list, old);
    assert_string_equal(err.text, "out of memory: 4611686018427387903 bytes cannot be had");
    ct_memory_free(list);
}

static void an_arena_remembers_what_it_lacks(void **state)
{
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip();
#endif
    ct_error err = {0};
    ct_arena *owner = NULL;
    assert_null(ct_arena_begin(&owner, SIZE_MAX / 4));
    assert_null(owner);
    assert_int_equal(ct_arena_check(NULL, NULL), CT_FAILED);
    assert_string_equal(ct_arena_copy(NULL, "beam"), "");
    int *first = ct_arena_begin(&owner, sizeof *first);
    assert_non_null(first);
    assert_int_equal(ct_arena_check(owner, &err), CT_OK);
    assert_null(ct_arena_get(owner, SIZE_MAX));
    assert_null(ct_arena_get(owner, SIZE_MAX / 4));
    assert_string_equal(ct_arena_print(owner, "%s", "beam"), "beam"); /* small ones can be had */
    assert_int_equal(ct_arena_check(owner, &err), CT_FAILED);
    assert_string_equal(err.text, "out of memory: 18446744073709551615 bytes cannot be had");
    ct_arena_free(owner);
}

static void pages(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 4096, 4097, (2u << 20) - 1, 2u << 20, (5u << 20) + 3};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        unsigned char *memory = ct_memory_pages(sizes[i]);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % (sizes[i] >= 2u << 20 ? 2u << 20 : 4096), 0);
        assert_zero(memory, sizes[i]);
        memset(memory, 0xa5, sizes[i]);
        ct_memory_pages_free(memory, sizes[i]);
    }
    assert_null(ct_memory_pages(SIZE_MAX));
    assert_null(ct_memory_pages(SIZE_MAX / 4));
    ct_memory_pages_free(NULL, 100);
}

static void arena(void **state)
{
    (void)state;
    ct_arena *owner = ct_arena_new();
    unsigned char *pieces[400];
    for (size_t i = 0; i < 400; i++) {
        pieces[i] = ct_arena_get(owner, i * 7);
        assert_int_equal((uintptr_t)pieces[i] % _Alignof(max_align_t), 0);
        assert_zero(pieces[i], i * 7);
        memset(pieces[i], (int)(i % 251), i * 7);
    }
    unsigned char *large = ct_arena_get(owner, 1000000);
    assert_zero(large, 1000000);
    memset(large, 255, 1000000);
    assert_string_equal(ct_arena_copy(owner, "beam"), "beam");
    assert_string_equal(ct_arena_print(owner, "%s %d", "beam", 12), "beam 12");
    for (size_t i = 0; i < 400; i++)
        for (size_t k = 0; k < i * 7; k++)
            assert_int_equal(pieces[i][k], i % 251);
    ct_arena_free(owner);
    ct_arena_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_memory),
                                       cmocka_unit_test(refused_memory_is_a_failure),
                                       cmocka_unit_test(an_arena_remembers_what_it_lacks),
                                       cmocka_unit_test(pages), cmocka_unit_test(arena)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

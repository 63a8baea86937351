/* memory_test.c: zeroed, aligned, and a sentence where there is none. */
#include "memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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
    memory = ct_memory_grow(memory, 5000);
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

static void refused_memory_ends_with_a_sentence(void **state)
{
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); /* the sanitizer ends the program itself */
#endif
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        ct_memory_get(SIZE_MAX / 4);
        _exit(0);
    }
    close(ends[1]);
    char said[200] = {0};
    assert_true(read(ends[0], said, sizeof said - 1) > 0);
    close(ends[0]);
    int result = 0;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), 1);
    assert_non_null(strstr(said, "cornerturn: out of memory"));
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
                                       cmocka_unit_test(refused_memory_ends_with_a_sentence),
                                       cmocka_unit_test(pages), cmocka_unit_test(arena)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* tile_sizes_test.c: A_SIZE and A_BYTES in expressions are what the generator writes for kernels,
 * for every tile of every stage, in each case of verify, with many tunables. Room: tests. */
#include "emit.h"
#include "memory.h"
#include "text.h"
#include "verify_inner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What stands after "#define NAME_SIZE "; 0 where it is not defined. */
static int64_t defined(const char *source, const char *name, const char *what)
{
    char line[64];
    snprintf(line, sizeof line, "#define %s_%s ", name, what);
    const char *at = strstr(source, line);
    return at ? strtoll(at + strlen(line), NULL, 10) : 0;
}

static int64_t bytes_of(const char *type)
{
    static const struct {
        const char *type;
        int64_t bytes;
    } types[] = {{"char2", 2}, {"short2", 4}, {"float2", 8}, {"char", 1},
                 {"short", 2}, {"float", 4},  {"uchar", 1}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (!strcmp(types[i].type, type)) return types[i].bytes;
    fail_msg("a type that this test does not know: %s", type);
    return 0;
}

/* The type of the tile that is generated, of several with one name. */
static int64_t defined_bytes(const char *source, const char *name)
{
    char line[64], type[16] = "";
    snprintf(line, sizeof line, "#define %s_TYPE ", name);
    const char *at = strstr(source, line);
    if (!at) return 0;
    snprintf(type, sizeof type, "%.*s", (int)strcspn(at + strlen(line), " \n"), at + strlen(line));
    const int64_t size = defined(source, name, "SIZE"); /* 0: the kernel calls another tile so */
    return size > 0 ? size * bytes_of(type) : 0;
}

static int64_t value_of(const ct_step *step, const char *name, const char *what)
{
    char expression[64];
    int64_t value = -1;
    snprintf(expression, sizeof expression, "%s_%s", name, what);
    assert_int_equal(ct_step_evaluate(step, expression, &value, NULL), CT_OK);
    return value;
}

/* How many tiles were there. */
static int compare(const ct_step *step)
{
    ct_text source = {0};
    ct_error err = {0};
    int count = 0;
    if (ct_emit_source(&source, step, &err) != CT_OK) fail_msg("%s", err.text);
    for (const ct_tile *tile = step->stage->kernel.tiles; tile->name; tile++) {
        const int64_t size = defined(source.data, tile->name, "SIZE");
        assert_int_equal(value_of(step, tile->name, "SIZE"), size);
        assert_int_equal(value_of(step, tile->name, "BYTES"),
                         defined_bytes(source.data, tile->name));
        count += size > 0;
    }
    ct_text_free(&source);
    return count;
}

static int compare_case(const ct_stage *stage, int number)
{
    verify_case one;
    int64_t *list = NULL;
    int count = 0;
    assert_int_equal(ct_verify_case_new(&one, stage, NULL, number, false, NULL, NULL), CT_OK);
    const int64_t all = ct_verify_tunables(&list, one.step, 40, 0);
    for (int64_t n = 0; n < all; n++) {
        assert_true(ct_verify_combination(one.step, list[n]));
        ct_step_settle(one.step);
        count += compare(one.step);
    }
    ct_memory_free(list);
    ct_verify_case_free(&one);
    return count;
}

static void sizes_are_those_of_the_kernel(void **state)
{
    (void)state;
    ct_context *context = NULL;
    const ct_stage *stage;
    int tiles = 0;
    assert_int_equal(ct_context_open(&context, NULL), CT_OK);
    for (size_t i = 0; (stage = ct_context_stage_at(context, i)) != NULL; i++)
        for (int n = 1;
             stage->kernel.tiles && stage->verify.cases && stage->verify.cases[n - 1].extents; n++)
            tiles += compare_case(stage, n);
    assert_true(tiles > 500);
    ct_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sizes_are_those_of_the_kernel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

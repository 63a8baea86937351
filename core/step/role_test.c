/* role_test.c: what is a source, a sink, a kernel, and which mixtures are refused.
 * Room: tests of core/step. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "step.h"

#define IN(name)                                                                                   \
    {                                                                                              \
        name, CT_IN, 0, "T", "f32", "*", NULL, ""                                                  \
    }
#define OUT(name)                                                                                  \
    {                                                                                              \
        name, CT_OUT, 0, "T", "f32", "*", NULL, ""                                                 \
    }
#define TABLE(name)                                                                                \
    {                                                                                              \
        name, CT_TABLE, 0, "T", "f32", "*", NULL, ""                                               \
    }

typedef struct role_row {
    ct_role role;
    const char *refused; /* what adding it to a context says; NULL: it is taken */
    ct_port ports[4];
} role_row;

static const role_row rows[] = {
    {CT_ROLE_SOURCE, NULL, {OUT("Y")}},
    {CT_ROLE_SINK, NULL, {IN("X")}},
    {CT_ROLE_KERNEL, NULL, {IN("X"), OUT("Y")}},
    {CT_ROLE_KERNEL, NULL, {IN("X"), TABLE("W"), IN("Z"), OUT("Y")}},
    {CT_ROLE_SINK, NULL, {IN("X"), IN("Z")}},
    {CT_ROLE_SINK, "port W: a sink has inputs only", {IN("X"), TABLE("W")}},
    {CT_ROLE_SOURCE, "port Z: a source has one port", {OUT("Y"), OUT("Z")}},
    {CT_ROLE_KERNEL, "port Y: the first port of a stage with inputs", {OUT("Y"), IN("X")}},
};

static void test_roles(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ct_context *context;
        ct_error err = {0};
        ct_stage stage = {.api = CT_API, .version = 1, .name = "mine", .summary = ""};
        memcpy(stage.ports, rows[i].ports, sizeof rows[i].ports);
        assert_int_equal(ct_role_of_stage(&stage), rows[i].role);
        assert_int_equal(ct_context_open(&context, &err), CT_OK);
        ct_status status = ct_context_add_stage(context, &stage, &err);
        assert_int_equal(status, rows[i].refused ? CT_INVALID : CT_OK);
        if (rows[i].refused) assert_non_null(strstr(err.text, rows[i].refused));
        ct_context_free(context);
    }
}

static void test_first_output(void **state)
{
    (void)state;
    ct_stage stage = {.ports = {IN("X"), TABLE("W"), OUT("Y"), OUT("Z")}};
    ct_step step = {.stage = &stage};
    assert_int_equal(ct_step_first_output(&step), 2);
    stage.ports[2] = stage.ports[3] = (ct_port){0};
    assert_int_equal(ct_step_first_output(&step), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_roles),
                                       cmocka_unit_test(test_first_output)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* tunable_defaults_test.c: each row of the table of defaults names a stage, a class and tunables
 * that exist, with declared values, and says what it follows from; for the class of each row every
 * stage's defaults are legal, and for one that no row has they are the declared ones.
 *
 * Room: tests. Oracle: the stages' declarations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "class_defaults.h"
#include "verify_inner.h"
#include "word.h"

static void check_row(const ct_context *context, const ct_class_default *row)
{
    const ct_stage *stage = ct_context_stage(context, row->stage);
    char name[32], value[32];
    int n = 0;
    if (!stage) fail_msg("there is no stage %s", row->stage);
    if (!ct_class_defaults_class(row)) fail_msg("there is no class %s", row->of_class);
    if (strlen(row->measured) < 5) fail_msg("%s: what was measured?", row->stage);
    for (; ct_class_defaults_at(row, n, name, value); n++) {
        const ct_tunable *t = stage->tuning.tunables;
        while (t->name && strcmp(t->name, name) != 0)
            t++;
        if (!t->name) fail_msg("%s has no tunable %s", row->stage, name);
        if (ct_word_find(t->values, value) < 0)
            fail_msg("%s: %s cannot be %s", row->stage, name, value);
    }
    assert_true(n > 0);
}

/* Ordered by stages, and there by the number of words: what is special comes later. */
static void check_order(const ct_class_default *before, const ct_class_default *row)
{
    char word[32];
    int words[2] = {0, 0};
    const int order = strcmp(before->stage, row->stage);
    while (ct_word_at(before->of_class, words[0], word, sizeof word))
        words[0]++;
    while (ct_word_at(row->of_class, words[1], word, sizeof word))
        words[1]++;
    if (order > 0 || (order == 0 && words[0] > words[1]))
        fail_msg("%s, %s: before the row of %s, %s", row->stage, row->of_class, before->stage,
                 before->of_class);
}

static void rows_are_of_what_there_is(void **state)
{
    const char *at = ct_class_defaults_table();
    ct_class_default row, before = {.stage = ""};
    ct_context *context = NULL;
    (void)state;
    assert_int_equal(ct_context_open(&context, NULL), CT_OK);
    for (; ct_class_defaults_next(&at, &row); before = row) {
        check_row(context, &row);
        check_order(&before, &row);
    }
    ct_context_free(context);
}

/* Without a row the declared values are what suggest() begins with, so a stage that has neither row
 * nor suggest() keeps them. */
static void check_case(const ct_stage *stage, int number, ct_device *device)
{
    verify_case one;
    ct_error err = {0};
    if (ct_verify_case_shape(&one, stage, NULL, number, false, device, &err) != CT_OK)
        fail_msg("%s", err.text);
    ct_step_set_device(one.step, device);
    ct_step_default_tunables(one.step);
    if (!ct_step_is_legal(one.step))
        fail_msg("%s, case %d: the defaults are not legal", stage->name, number);
    ct_verify_case_free(&one);
}

static void check_class(const ct_context *context, ct_device *device)
{
    const ct_stage *stage;
    for (size_t i = 0; (stage = ct_context_stage_at(context, i)); i++) {
        if (!stage->tuning.tunables || !stage->verify.cases) continue;
        for (int number = 1; stage->verify.cases[number - 1].extents; number++)
            check_case(stage, number, device);
    }
}

static void defaults_are_legal_in_every_class(void **state)
{
    const char *at = ct_class_defaults_table();
    ct_class_default row;
    ct_context *context = NULL;
    ct_device device = {.local_bytes = 32768};
    const ct_device_class gpu = ct_device_class_find("gpu", 3);
    (void)state;
    assert_int_equal(ct_context_open(&context, NULL), CT_OK);
    check_class(context, &device);
    while (ct_class_defaults_next(&at, &row)) {
        device.of_class = ct_class_defaults_class(&row);
        device.gpu = device.of_class & gpu;
        check_class(context, &device);
    }
    ct_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_of_what_there_is),
        cmocka_unit_test(defaults_are_legal_in_every_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* tunables_test.c: a stage knows its tunables by their names: another one that is declared before
 * them all changes no default, no verdict on a combination and no text but its own definition.
 *
 * Room: tests. Oracle: the stage as it is, next to a copy of it with one more tunable, over all
 * cases, for CPUs and GPUs, with each layout in turn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "emit.h"
#include "text.h"
#include "verify_inner.h"

enum { LAYOUTS = 12 }; /* most pairs of layouts per case */

typedef struct twins {
    ct_stage stage; /* the copy */
    ct_tunable tunables[CT_TUNABLES + 2];
    verify_case one, two; /* of the stage, of its copy */
} twins;

static void copy_stage(twins *of, const ct_stage *stage)
{
    int count = 0;
    memset(of, 0, sizeof *of);
    of->stage = *stage;
    of->tunables[0] = (ct_tunable){"DECOY", "0 1", "0", "0", ""};
    for (const ct_tunable *t = stage->tuning.tunables; t->name; t++)
        of->tunables[++count] = *t;
    assert_in_range(count, 1, CT_TUNABLES - 1);
    of->stage.tuning.tunables = of->tunables;
}

/* The n-th layout of each port, in turn; ports that follow another one ("=X") take its layout. */
static void set_layouts(ct_step *step, int64_t n)
{
    for (int i = 0; i < ct_step_ports(step); i++) {
        ct_layout *list = NULL;
        const char *pattern = step->stage->ports[i].layout;
        if (step->port[i].type == CT_NONE) continue;
        const int64_t count = ct_step_layouts(&list, step, i, NULL);
        const ct_layout layout = pattern[0] == '='
                                     ? step->port[ct_step_find_port(step, pattern + 1)].layout
                                     : list[(n * 7 + n * i) % count];
        assert_int_equal(ct_step_set_layout(step, i, &layout, NULL), CT_OK);
        ct_memory_free(list);
    }
}

static void same_tunables(const ct_step *one, const ct_step *two)
{
    for (int i = 0; i < ct_step_tunables(one); i++)
        if (one->tunable[i] != two->tunable[i + 1])
            fail_msg("%s: %s is %lld by default, and %lld after another tunable", one->stage->name,
                     one->stage->tuning.tunables[i].name, (long long)one->tunable[i],
                     (long long)two->tunable[i + 1]);
}

/* Each tunable's values in turn, the others as they are. */
static void same_verdicts(ct_step *one, ct_step *two)
{
    for (int i = 0; i < ct_step_tunables(one); i++) {
        const int64_t usual = one->tunable[i];
        for (int n = 0; n < ct_step_tunable_count(one, i); n++) {
            one->tunable[i] = two->tunable[i + 1] = ct_step_tunable_value(one, i, n);
            if (ct_step_is_legal(one) != ct_step_is_legal(two))
                fail_msg("%s: %s=%lld is legal with or without another tunable", one->stage->name,
                         one->stage->tuning.tunables[i].name, (long long)one->tunable[i]);
        }
        one->tunable[i] = two->tunable[i + 1] = usual;
    }
}

static void cut(char *text, const char *word)
{
    char *at = strstr(text, word);
    assert_non_null(at);
    memmove(at, at + strlen(word), strlen(at + strlen(word)) + 1);
}

static void same_text(ct_step *one, ct_step *two)
{
    ct_text text[2] = {{0}, {0}};
    ct_error err = {0};
    if (!one->stage->kernel.text) return;
    ct_step_settle(one);
    ct_step_settle(two);
    if (ct_emit_source(&text[0], one, &err) != CT_OK) fail_msg("%s", err.text);
    if (ct_emit_source(&text[1], two, &err) != CT_OK) fail_msg("%s", err.text);
    cut(text[1].data, " DECOY=0");
    cut(text[1].data, "#define DECOY 0\n");
    assert_string_equal(text[0].data, text[1].data);
    ct_text_free(&text[0]);
    ct_text_free(&text[1]);
}

static void compare(twins *of, bool gpu, int64_t n)
{
    ct_step *one = NULL, *two = NULL;
    assert_int_equal(ct_step_copy(&one, of->one.step, NULL), CT_OK);
    assert_int_equal(ct_step_copy(&two, of->two.step, NULL), CT_OK);
    one->gpu = two->gpu = gpu;
    set_layouts(one, n);
    set_layouts(two, n);
    ct_step_default_tunables(one);
    ct_step_default_tunables(two);
    same_tunables(one, two);
    same_verdicts(one, two);
    same_text(one, two);
    ct_step_free(one);
    ct_step_free(two);
}

static void check_stage(const ct_stage *stage)
{
    static twins of;
    ct_error err = {0};
    copy_stage(&of, stage);
    for (int number = 1; stage->verify.cases[number - 1].extents; number++) {
        if (ct_verify_case_new(&of.one, stage, NULL, number, false, NULL, &err) != CT_OK ||
            ct_verify_case_new(&of.two, &of.stage, NULL, number, false, NULL, &err) != CT_OK)
            fail_msg("%s", err.text);
        for (int64_t n = 0; n < 2 * LAYOUTS; n++)
            compare(&of, n % 2, n / 2);
        ct_verify_case_free(&of.one);
        ct_verify_case_free(&of.two);
    }
}

static void names_do_not_depend_on_places(void **state)
{
    ct_context *context = NULL;
    const ct_stage *stage;
    int checked = 0;
    (void)state;
    assert_int_equal(ct_context_open(&context, NULL), CT_OK);
    for (size_t i = 0; (stage = ct_context_stage_at(context, i)); i++) {
        if (!stage->tuning.tunables || !stage->verify.cases) continue;
        check_stage(stage);
        checked++;
    }
    assert_true(checked >= 8);
    ct_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_do_not_depend_on_places)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

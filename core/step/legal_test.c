/* legal_test.c: why tunables are not legal together is said with the numbers and the nearest change
 * that would help.
 * Room: core/step. */
#include "step.h"
#include "text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { TB, CG, MODE };

static const ct_tunable tunables[] = {{"TB", "8 16 64 256", "16", "16", "times"},
                                      {"CG", "1 2 4 8", "2", "2", "channels"},
                                      {"MODE", "rows tiles", "tiles", "tiles", "how"},
                                      {0}};

static bool fits(const ct_step *step)
{
    return step->tunable[TB] * step->tunable[CG] <= 128;
}

static bool never(const ct_step *step)
{
    (void)step;
    return false;
}

static const ct_term terms[] = {
    {"ROWS", "TB / 8", "rows of eight times"}, {"CELLS", "ROWS * CG", "cells"}, {0}};
static const ct_stage plain = {.name = "plain", .tuning = {.tunables = tunables, .terms = terms}};

/* The sentence for these tunables; it leaves them as they were. */
static void expect(const char *where, bool (*legal)(const ct_step *), int64_t tb, int64_t cg,
                   int64_t mode, const char *expected)
{
    ct_stage stage = plain;
    ct_text sentence = {0};
    ct_step *step = NULL;
    stage.tuning.where = where;
    stage.tuning.legal = legal;
    stage.tuning.legal_why = legal == never ? "nothing pleases it" : NULL;
    assert_int_equal(ct_step_new(&step, &stage, "x", NULL, NULL, NULL, NULL), CT_OK);
    step->tunable[TB] = tb;
    step->tunable[CG] = cg;
    step->tunable[MODE] = mode;
    assert_false(ct_step_is_legal(step));
    ct_step_say_illegal(step, &sentence);
    assert_string_equal(sentence.data, expected);
    assert_int_equal(step->tunable[TB], tb);
    assert_int_equal(step->tunable[CG], cg);
    assert_int_equal(step->tunable[MODE], mode);
    ct_text_free(&sentence);
    ct_step_free(step);
}

static void the_condition_that_fails_is_named(void **state)
{
    (void)state;
    expect("CG < 8 && TB % (CG * 8) == 0 && TB > CG", NULL, 16, 4, 1,
           ": TB % (CG * 8) == 0 does not hold for TB=16, CG=4; TB=64 or CG=2 would be legal");
    expect("CG < 8 && TB % (CG * 8) == 0 && TB > CG", NULL, 16, 8, 1,
           ": CG < 8 does not hold for CG=8; CG=2 would be legal");
    expect("CG < 8 && TB / (CG - 4) < 0", NULL, 16, 4, 1,
           ": TB / (CG - 4) < 0 does not hold for TB=16, CG=4 (expression \"TB / (CG - 4) < 0\", "
           "column 4: division by 0); CG=2 would be legal");
    expect("(TB < CG && MODE == 0) || CG == 1", NULL, 16, 4, 1,
           ": (TB < CG && MODE == 0) || CG == 1 does not hold for TB=16, CG=4, MODE=1; "
           "CG=1 would be legal");
}

static void terms_are_taken_apart(void **state)
{
    (void)state;
    expect("CELLS < 8 && MODE_IS_rows", NULL, 16, 4, 0,
           ": CELLS < 8 does not hold for CELLS=8 (ROWS=2 (TB=16), CG=4); TB=8 or CG=2 would be "
           "legal");
    expect("BELOW_TB < 16", NULL, 64, 4, 0,
           ": BELOW_TB < 16 does not hold for BELOW_TB=16; TB=16 would be legal");
}

static void a_where_that_cannot_be_read_is_named(void **state)
{
    (void)state;
    static const ct_term wrong[] = {{"ROWS", "TB / 0 +", "no rows"}, {0}};
    ct_stage stage = plain;
    ct_step *step = NULL;
    ct_error err = {0};
    stage.tuning.where = "CG < 8 && TB % CQ == 0";
    assert_int_equal(ct_step_new(&step, &stage, "x", NULL, NULL, NULL, &err), CT_INVALID);
    assert_null(step);
    assert_string_equal(err.text, "expression \"TB % CQ == 0\", column 6: expected the name of a "
                                  "number, found \"CQ\"\nstage plain: `where` cannot be used");
    err = (ct_error){0};
    stage.tuning.where = NULL;
    stage.tuning.terms = wrong;
    assert_int_equal(ct_step_new(&step, &stage, "x", NULL, NULL, NULL, &err), CT_INVALID);
    assert_string_equal(err.text,
                        "expression \"TB / 0 +\", column 9: expected a number, a name or "
                        "\"(\", found its end\nstage plain: the term ROWS cannot be used");
}

/* A walk that gives up early finds the same as one that asks for each combination. */
static void conditions_are_asked_as_soon_as_possible(void **state)
{
    (void)state;
    ct_stage stage = plain;
    ct_step *step = NULL;
    stage.tuning.where = "MODE == 0 && TB > 8 && TB * CG <= 128 && GPU == 0";
    assert_int_equal(ct_step_new(&step, &stage, "x", NULL, NULL, NULL, NULL), CT_OK);
    for (int tb = 0; tb < 4; tb++)
        for (int cg = 0; cg < 4; cg++)
            for (int mode = 0; mode < 2; mode++) {
                bool all = true;
                step->tunable[TB] = ct_step_tunable_value(step, TB, tb);
                step->tunable[CG] = ct_step_tunable_value(step, CG, cg);
                step->tunable[MODE] = mode;
                assert_int_equal(ct_step_is_legal_so_far(step, TB), step->tunable[TB] > 8);
                assert_int_equal(ct_step_is_legal_so_far(step, CG),
                                 step->tunable[TB] * step->tunable[CG] <= 128);
                assert_int_equal(ct_step_is_legal_so_far(step, MODE), mode == 0);
                for (int t = 0; t < 3; t++)
                    all = all && ct_step_is_legal_so_far(step, t);
                assert_int_equal(ct_step_is_legal(step), all);
            }
    ct_step_free(step);
}

static void conditions_stand_between_ands(void **state)
{
    (void)state;
    static const char *const parts[] = {"TB > 8", "(CG && 1)", "min(CG, 2 && 1) > 0"};
    ct_stage stage = plain;
    size_t length = 0;
    stage.tuning.where = " TB > 8 && (CG && 1)  &&min(CG, 2 && 1) > 0 ";
    for (int n = 0; n < 3; n++) {
        const char *text = ct_stage_condition(&stage, n, &length);
        assert_int_equal(length, strlen(parts[n]));
        assert_memory_equal(text, parts[n], length);
    }
    assert_null(ct_stage_condition(&stage, 3, &length));
    stage.tuning.where = "TB && CG || MODE && TB";
    assert_ptr_equal(ct_stage_condition(&stage, 0, &length), stage.tuning.where);
    assert_int_equal(length, strlen(stage.tuning.where));
    assert_null(ct_stage_condition(&stage, 1, &length));
    stage.tuning.where = NULL;
    assert_null(ct_stage_condition(&stage, 0, &length));
}

static void a_stage_that_refuses_is_answered_with_what_it_takes(void **state)
{
    (void)state;
    expect(NULL, fits, 256, 1, 0, ": TB=256, CG=1, MODE=rows; TB=64 would be legal");
    expect("CG > 1", fits, 256, 8, 0, ": TB=256, CG=8, MODE=rows; TB=16 would be legal");
    expect("CG % 2 == 0", fits, 250, 1, 0,
           ": CG % 2 == 0 does not hold for CG=1; TB=64 with CG=2 would be legal");
    expect(NULL, never, 8, 1, 0, ": TB=8, CG=1, MODE=rows (nothing pleases it)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_condition_that_fails_is_named),
        cmocka_unit_test(terms_are_taken_apart),
        cmocka_unit_test(a_where_that_cannot_be_read_is_named),
        cmocka_unit_test(conditions_are_asked_as_soon_as_possible),
        cmocka_unit_test(conditions_stand_between_ands),
        cmocka_unit_test(a_stage_that_refuses_is_answered_with_what_it_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* legal_test.c: why tunables are not legal together is said with the numbers and the nearest change
 * that would help.
 * Room: core/step. */
#include "step.h"
#include "text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

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

static const ct_stage plain = {.name = "plain", .tunables = tunables};

/* The sentence for these tunables; it leaves them as they were. */
static void expect(const char *where, bool (*legal)(const ct_step *), int64_t tb, int64_t cg,
                   int64_t mode, const char *expected)
{
    ct_stage stage = plain;
    ct_text sentence = {0};
    ct_step step = {.stage = &stage, .name = "x", .tunable = {tb, cg, mode}};
    stage.where = where;
    stage.legal = legal;
    assert_false(ct_step_is_legal(&step));
    ct_step_say_illegal(&step, &sentence);
    assert_string_equal(sentence.data, expected);
    assert_int_equal(step.tunable[TB], tb);
    assert_int_equal(step.tunable[CG], cg);
    assert_int_equal(step.tunable[MODE], mode);
    ct_text_free(&sentence);
}

static void the_condition_that_fails_is_named(void **state)
{
    (void)state;
    expect("CG < 8 && TB % (CG * 8) == 0 && TB > CG", NULL, 16, 4, 1,
           ": TB % (CG * 8) == 0 does not hold for TB=16, CG=4; TB=64 or CG=2 would be legal");
    expect("CG < 8 && TB % (CG * 8) == 0 && TB > CG", NULL, 16, 8, 1,
           ": CG < 8 does not hold for CG=8; CG=2 would be legal");
    expect("(TB < CG && MODE == 0) || CG == 1", NULL, 16, 4, 1,
           ": (TB < CG && MODE == 0) || CG == 1 does not hold for TB=16, CG=4, MODE=1; "
           "CG=1 would be legal");
}

static void a_stage_that_refuses_is_answered_with_what_it_takes(void **state)
{
    (void)state;
    expect(NULL, fits, 256, 1, 0, ": TB=256, CG=1, MODE=rows; TB=64 would be legal");
    expect("CG > 1", fits, 256, 8, 0, ": TB=256, CG=8, MODE=rows; TB=16 would be legal");
    expect("CG % 2 == 0", fits, 250, 1, 0,
           ": CG % 2 == 0 does not hold for CG=1; TB=64 with CG=2 would be legal");
    expect(NULL, never, 8, 1, 0, ": TB=8, CG=1, MODE=rows");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_condition_that_fails_is_named),
        cmocka_unit_test(a_stage_that_refuses_is_answered_with_what_it_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* stage_check_test.c: descriptors that cannot work are refused when they are added, or when their
 * infer() is asked, each with a sentence. Room: tests of core/step. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "stage_check.h"
#include "step.h"

static const ct_stage sound = {.api = CT_API,
                               .version = 1,
                               .name = "mine",
                               .summary = "",
                               .ports = {{"X", CT_IN, 0, "S?[BP]TC", "ci8 f32", "*C", NULL, ""},
                                         {"Y", CT_OUT, 0, "S?[BP]TC", "=X", "=X", NULL, ""}}};

static const ct_tunable twice[] = {{"WG", "1 2", "1", "1", ""}, {"WG", "1 2", "1", "1", ""}, {0}};
static const ct_tunable outside[] = {{"WG", "1 2", "1", "4", ""}, {0}};
static const ct_param same[] = {
    {"n", CT_PARAM_INT, "1", NULL, 0, 0, ""}, {"n", CT_PARAM_INT, "1", NULL, 0, 0, ""}, {0}};
static const ct_param empty[] = {{"n", CT_PARAM_INT, "5", NULL, 9, 3, ""}, {0}};
static const ct_param taken[] = {{"tunables", CT_PARAM_INT, "5", NULL, 0, 0, ""}, {0}};
static const ct_tile orderless[] = {{"A", "X", "", "1,1", NULL, "float", NULL}, {0}};
static const ct_tile untyped[] = {{"A", "X", "TC", "1,1", NULL, "", NULL}, {0}};
static const ct_term valueless[] = {{"ROWS", NULL, ""}, {0}};
static const ct_term doubled[] = {{"ROWS", "1", ""}, {"ROWS", "2", ""}, {0}};
static const ct_tile lost[] = {{"A", "Z", "TC", "1,1", NULL, "float", NULL}, {0}};

/* What is changed of the sound one. */
typedef struct wrong {
    const char *says, *name, *dims, *types, *layout, *prefer, *second;
    const ct_tunable *tunables;
    const ct_param *params;
    const ct_tile *tiles;
    const ct_term *terms;
    unsigned in, out, more; /* flags of X, of Y, and of another output */
} wrong;

static const wrong rows[] = {
    {.says = NULL},
    {.says = "letters, digits", .name = "a b"},
    {.says = "letters, digits", .name = "a\nb"},
    {.says = "without a name", .name = ""},
    {.says = "dims \"SPT[C\": column 4", .dims = "SPT[C"},
    {.says = "column 1", .dims = "[]TC"},
    {.says = "column 2", .dims = "Tc"},
    {.says = "at most 8", .dims = "ABCDEFGHI"},
    {.says = "twice", .dims = "T[CT]"},
    {.says = "\"f31\" is no type", .types = "f32 f31"},
    {.says = "expected \"*\"", .types = " "},
    {.says = "is no type and no other port", .types = "=Q"},
    {.says = "expected letters", .layout = "=Q"},
    {.says = "expected letters", .layout = "x"},
    {.says = "C stands there twice", .layout = "T*CCCCCCCCC"},
    {.says = "prefer \"TTC\"", .prefer = "TTC"},
    {.says = "two ports are called X", .second = "X"},
    {.says = "only an output accumulates", .in = CT_PORT_ACCUMULATE},
    {.says = "carries sums on, but does not accumulate", .out = CT_PORT_CARRY},
    {.says = "all carry sums on, or none",
     .out = CT_PORT_ACCUMULATE | CT_PORT_CARRY,
     .more = CT_PORT_ACCUMULATE},
    {.says = "two tunables", .tunables = twice},
    {.says = "default 4 is not among the values: 1 2", .tunables = outside},
    {.says = "two parameters", .params = same},
    {.says = "at least 9 and at most 3", .params = empty},
    {.says = "\"tunables\" is no parameter of its stage", .params = taken},
    {.says = "there is no port Z", .tiles = lost},
    {.says = "expected 1 to 8 letters", .tiles = orderless},
    {.says = "such as \"float2\"", .tiles = untyped},
    {.says = "term ROWS: it lacks its value", .terms = valueless},
    {.says = "two terms are called ROWS", .terms = doubled},
};

static void test_tolerances(void **state)
{
    static const double values[] = {-1, NAN, INFINITY};
    ct_stage stage = sound;
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        ct_error err = {0};
        stage.verify.tolerance = values[i];
        assert_int_equal(ct_stage_check(&stage, &err), CT_INVALID);
        if (!strstr(err.text, "expected a tolerance of at least 0")) fail_msg("%s", err.text);
    }
    stage.verify.tolerance = 0;
    assert_int_equal(ct_stage_check(&stage, NULL), CT_OK);
}

#define FILLS(...)                                                                                 \
    .fills = (const ct_fill[])                                                                     \
    {                                                                                              \
        {__VA_ARGS__},                                                                             \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }
#define ARRAYS(...)                                                                                \
    .arrays = (const ct_case_array[])                                                              \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

static void test_what_is_given_as_texts_and_files(void **state)
{
    static const ct_case cases[] = {{NULL, "T=3 C=2", "f32", NULL}, {0}};
    const struct {
        const char *says;
        const ct_fill *fills;
        const ct_case_array *arrays;
        const void *reserved;
    } all[] = {{"fill Y, which is no table", FILLS("Y", "fill")},
               {"no text that kernel fill", FILLS("G", "fill")},
               {"case 2: X: there is no such", ARRAYS({2, "X", "x.npy", NULL})},
               {"G is no input and no output", ARRAYS({1, "G", "g.npy", NULL})},
               {"found neither", ARRAYS({1, "X", NULL, NULL})},
               {"case 1: X is given twice", ARRAYS({1, "X", "a", NULL}, {1, "X", "b", NULL})},
               {"reserved room of its", .reserved = cases}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        ct_error err = {0};
        ct_stage stage = sound;
        stage.ports[2] = (ct_port){"G", CT_TABLE, 0, "C", "f32", "*", NULL, ""};
        stage.verify.cases = cases;
        stage.kernel.fills = all[i].fills;
        stage.verify.arrays = all[i].arrays;
        stage.reserved[0] = all[i].reserved;
        assert_int_equal(ct_stage_check(&stage, &err), CT_INVALID);
        if (!strstr(err.text, all[i].says)) fail_msg("%s: %s", all[i].says, err.text);
    }
}

static ct_stage make(const wrong *w)
{
    ct_stage stage = sound;
    if (w->name) stage.name = w->name;
    if (w->dims) stage.ports[0].dims = w->dims;
    if (w->types) stage.ports[0].types = w->types;
    if (w->layout) stage.ports[0].layout = w->layout;
    if (w->prefer) stage.ports[0].prefer = w->prefer;
    if (w->second) stage.ports[1].name = w->second;
    stage.ports[0].flags = w->in;
    stage.ports[1].flags = w->out;
    if (w->more) stage.ports[2] = (ct_port){"Z", CT_OUT, w->more, "S?[BP]TC", "=X", "=X", NULL, ""};
    stage.tuning.tunables = w->tunables;
    stage.params = w->params;
    stage.kernel.tiles = w->tiles;
    stage.tuning.terms = w->terms;
    return stage;
}

static void test_descriptors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ct_context *context;
        ct_error err = {0};
        const ct_stage stage = make(&rows[i]);
        assert_int_equal(ct_context_open(&context, &err), CT_OK);
        const ct_status status = ct_context_add_stage(context, &stage, &err);
        assert_int_equal(status, rows[i].says ? CT_INVALID : CT_OK);
        assert_int_equal(err.count, rows[i].says ? 1 : 0);
        if (rows[i].says && !strstr(err.text, rows[i].says))
            fail_msg("\"%s\" does not say \"%s\"", err.text, rows[i].says);
        ct_context_free(context);
    }
}

/* ---- infer() */

static ct_status silent(ct_step *step, ct_error *err)
{
    (void)step, (void)err;
    return CT_INVALID;
}

static ct_status no_decimate(ct_step *step, ct_error *err)
{
    (void)err;
    step->decimate = 0;
    return CT_OK;
}

static ct_status backwards(ct_step *step, ct_error *err)
{
    (void)err;
    step->overlap = -3;
    return CT_OK;
}

static ct_status negative(ct_step *step, ct_error *err)
{
    (void)err;
    ct_array_set(ct_step_port(step, "Y"), 'C', -4);
    return CT_OK;
}

static ct_status nothing(ct_step *step, ct_error *err)
{
    (void)err;
    ct_array_set(ct_step_port(step, "Y"), 'C', 0);
    return CT_OK;
}

static ct_status countless(ct_step *step, ct_error *err)
{
    (void)err;
    ct_array_set(ct_step_port(step, "Y"), 'C', INT64_MAX);
    return CT_OK;
}

static void test_infer(void **state)
{
    (void)state;
    static const struct {
        ct_status (*infer)(ct_step *, ct_error *);
        const char *says;
    } infers[] = {{silent, "does not say why"},  {no_decimate, "decimate 0"},
                  {backwards, "overlap -3"},     {negative, "port Y -4 along C"},
                  {nothing, "port Y 0 along C"}, {countless, "port Y has more elements than"}};
    for (size_t i = 0; i < sizeof infers / sizeof *infers; i++) {
        ct_stage stage = sound;
        ct_step *step;
        ct_error err = {0};
        stage.infer = infers[i].infer;
        assert_int_equal(ct_step_new(&step, &stage, "mine", NULL, NULL, NULL, &err), CT_OK);
        step->port[0].type = CT_F32;
        ct_array_add(&step->port[0], 'P', 2);
        ct_array_add(&step->port[0], 'T', 7);
        ct_array_add(&step->port[0], 'C', 5);
        assert_int_equal(ct_step_infer(step, &err), CT_INVALID);
        if (!strstr(err.text, infers[i].says))
            fail_msg("\"%s\" does not say \"%s\"", err.text, infers[i].says);
        ct_step_free(step);
    }
}

/* A condition that does not parse, or knows no such name, is no condition that is ignored. */
static void test_where(void **state)
{
    (void)state;
    static const char *const conditions[] = {"WG <=", "WG <= NOTHING", "1 +* 2", NULL};
    for (int i = 0; conditions[i]; i++) {
        ct_stage stage = sound;
        ct_step *step;
        ct_error err = {0};
        stage.tuning.tunables = twice + 1;
        stage.tuning.where = conditions[i];
        assert_int_equal(ct_step_new(&step, &stage, "mine", NULL, NULL, NULL, &err), CT_INVALID);
        assert_null(step);
        assert_non_null(strstr(err.text, "where"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tolerances),
                                       cmocka_unit_test(test_descriptors),
                                       cmocka_unit_test(test_infer), cmocka_unit_test(test_where),
                                       cmocka_unit_test(test_what_is_given_as_texts_and_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

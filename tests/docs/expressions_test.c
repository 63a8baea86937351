/* expressions_test.c: docs/expressions.md and the code say the same: each example of the page has
 * the value that stands beside it, each operator, function and kind of name of the code is on the
 * page, and what it shows of stages stands in their descriptors. Room: tests. */
#include "emit.h"
#include "file.h"
#include "memory.h"
#include "step.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *page;

/* ---- the sample stage of the page */

static ct_status infer(ct_step *step, ct_error *err)
{
    (void)err;
    step->decimate = 16;
    step->overlap = (ct_step_int(step, "taps") - 1) * 16;
    ct_array_add(&step->port[1], 'C', 16);
    return CT_OK;
}

static const ct_param params[] = {
    {"taps", CT_PARAM_INT, "4", NULL, 1, 64, ""},
    {"center", CT_PARAM_BOOL, "true", NULL, 0, 0, ""},
    {"mode", CT_PARAM_TEXT, "coherent", "coherent incoherent", 0, 0, ""},
    {0}};
static const ct_tunable tunables[] = {{"TILE_T", "1 2 4 8 16", "8", "8", ""},
                                      {"VECTOR_C", "1 2 4 8", "4", "4", ""},
                                      {"WG", "1 16", "16", "16", ""},
                                      {"ENGINE", "fftw clfft", "clfft", "clfft", ""},
                                      {0}};
static const ct_tile tiles[] = {{"A", "X", "SPT", "1,2,TILE_T", "2", "short2", NULL}, {0}};
static const ct_term terms[] = {{"ROWS", "N_S * N_P", "rows"}, {0}};
static const ct_stage sample = {
    .api = CT_API,
    .name = "sample",
    .ports = {{"X", CT_IN, 0, "SPT", "ci8", "*", NULL, ""},
              {"Y", CT_OUT, 0, "SPTC", "cf32", "*", NULL, ""},
              {"W", CT_TABLE, CT_PORT_OPTIONAL, "K", "f32", "*", NULL, ""}},
    .params = params,
    .infer = infer,
    .tuning = {.tunables = tunables, .terms = terms},
    .kernel = {.tiles = tiles},
};

static ct_step *sample_step(const ct_stage *stage)
{
    ct_step *step = NULL;
    ct_layout layout;
    assert_int_equal(ct_step_new(&step, stage, "sample", NULL, NULL, NULL, NULL), CT_OK);
    step->port[0].type = CT_CI8;
    ct_array_add(&step->port[0], 'S', 3);
    ct_array_add(&step->port[0], 'P', 2);
    ct_array_add(&step->port[0], 'T', 64);
    assert_int_equal(ct_step_infer(step, NULL), CT_OK);
    ct_step_extend(step);
    ct_layout_parse(&layout, "TSP", NULL);
    assert_int_equal(ct_step_set_layout(step, 0, &layout, NULL), CT_OK);
    assert_int_equal(ct_step_set_layout(step, 1, NULL, NULL), CT_OK);
    ct_step_default_tunables(step);
    return step;
}

/* ---- the page's tables */

enum { CELLS = 4, CELL = 256 };

/* "| `a` | 1 | ... |": the cells without blanks, backticks and the escapes of "|". */
static int split(const char *line, char cell[CELLS][CELL])
{
    int count = 0;
    for (const char *at = line + 1; *line == '|' && *at && *at != '\n' && count < CELLS; count++) {
        size_t length = 0;
        for (at += strspn(at, " "); *at && *at != '\n' && *at != '|'; at++) {
            at += at[0] == '\\' && at[1] == '|';
            if (*at != '`' && length + 1 < CELL) cell[count][length++] = *at;
        }
        while (length > 0 && cell[count][length - 1] == ' ')
            length--;
        cell[count][length] = 0;
        at += *at == '|';
    }
    return count;
}

/* Calls back for each row of the tables whose first column is `head`; how many there were. */
static int each_row(const char *head, void (*visit)(char cell[CELLS][CELL]))
{
    bool inside = false;
    int rows = 0;
    for (const char *line = page; line; line = strchr(line, '\n')) {
        char cell[CELLS][CELL] = {{0}};
        line += *line == '\n';
        if (*line != '|') inside = false;
        if (split(line, cell) < 2 || strncmp(cell[0], "---", 3) == 0) continue;
        if (strcmp(cell[0], head) == 0) {
            inside = true;
        } else if (inside) {
            visit(cell);
            rows++;
        }
    }
    return rows;
}

static void check_value(const char *expression, const char *value)
{
    ct_step *step = sample_step(&sample);
    ct_error err = {0};
    int64_t found = 0;
    if (ct_step_evaluate(step, expression, &found, &err) != CT_OK) fail_msg("%s", err.text);
    if (found != strtoll(value, NULL, 10))
        fail_msg("%s is %lld, the page says %s", expression, (long long)found, value);
    ct_step_free(step);
}

static void visit_name(char cell[CELLS][CELL])
{
    check_value(cell[0], cell[1]);
}

/* The operator stands in its example, and at its level. */
static void visit_operator(char cell[CELLS][CELL])
{
    const bool choice = strcmp(cell[0], "? :") == 0;
    assert_non_null(strstr(cell[2], choice ? "?" : cell[0]));
    check_value(cell[2], cell[3]);
}

static void visit_function(char cell[CELLS][CELL])
{
    assert_non_null(strstr(cell[1], cell[0]));
    check_value(cell[1], cell[2]);
}

static void examples_have_their_values(void **state)
{
    (void)state;
    assert_int_equal(each_row("name", visit_name), 23);
    assert_int_equal(each_row("operator", visit_operator), 15);
    assert_int_equal(each_row("function", visit_function), 3);
}

/* ---- levels: "a SIGN b" binds tighter where the level is higher */

static char signs[16][CELL];
static int levels[16], sign_count;

static void visit_level(char cell[CELLS][CELL])
{
    if (!isdigit((unsigned char)cell[1][0]) || !strcmp(cell[0], "!")) return;
    levels[sign_count] = atoi(cell[1]);
    strcpy(signs[sign_count++], cell[0]);
}

enum grouping { PLAIN, LEFT, RIGHT };

/* "n[0] a n[1] b n[2]", with parentheses around the left or the right pair. */
static int64_t value_of(const ct_step *step, const char *a, const char *b, const int n[3],
                        enum grouping group)
{
    char text[CELL];
    int64_t value = 0;
    snprintf(text, sizeof text, "%s%d %s %s%d%s %s %d%s", group == LEFT ? "(" : "", n[0], a,
             group == RIGHT ? "(" : "", n[1], group == LEFT ? ")" : "", b, n[2],
             group == RIGHT ? ")" : "");
    if (ct_step_evaluate(step, text, &value, NULL) != CT_OK) return INT64_MIN; /* divides by 0 */
    return value;
}

static void operators_bind_as_the_page_says(void **state)
{
    (void)state;
    static const int numbers[][3] = {{7, 5, 2}, {1, 3, 2}, {2, 2, 1}, {6, 4, 3}, {0, 1, 9}};
    ct_step *step = sample_step(&sample);
    each_row("operator", visit_level);
    assert_int_equal(sign_count, 13);
    for (int a = 0; a < sign_count; a++)
        for (int b = 0; b < sign_count; b++)
            for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++)
                assert_int_equal(value_of(step, signs[a], signs[b], numbers[n], PLAIN),
                                 value_of(step, signs[a], signs[b], numbers[n],
                                          levels[b] > levels[a] ? RIGHT : LEFT));
    ct_step_free(step);
}

/* ---- what the code has is on the page */

/* Every quoted text of the source after `from` that is made of these letters stands on the page. */
static void literals_are_on_the_page(const char *file, const char *from, const char *letters,
                                     int least)
{
    char *source = NULL;
    int count = 0;
    assert_int_equal(ct_file_read(&source, NULL, file, NULL), CT_OK);
    for (const char *at = strstr(source, from); at && (at = strchr(at, '"')) != NULL;) {
        char literal[64];
        const size_t length = strspn(at + 1, letters);
        const char *end = strchr(at + 1, '"');
        if (length > 0 && length < sizeof literal && at[1 + length] == '"') {
            memcpy(literal, at + 1, length);
            literal[length] = 0;
            if (strcmp(literal, "||") == 0) strcpy(literal, "\\|\\|");
            if (!strstr(page, literal)) fail_msg("%s: %s is not on the page", file, literal);
            count++;
        }
        at = end ? end + 1 : NULL;
    }
    assert_true(count >= least);
    ct_memory_free(source);
}

static void kinds_of_names_and_operators_are_on_the_page(void **state)
{
    (void)state;
    literals_are_on_the_page("core/step/step_names.c", "#include", "ABCDEFGHIJKLMNOPQRSTUVWXYZ_",
                             14);
    literals_are_on_the_page("base/expr_operators.c", "expr_operators[]", "|&=!<>+-*/%", 13);
    literals_are_on_the_page("base/expr_operators.c", "expr_functions[]",
                             "abcdefghijklmnopqrstuvwxyz_", 3);
}

/* ---- examples of stages */

static ct_context *context;

static bool has_text(const ct_stage *stage, const char *text)
{
    size_t length;
    const char *at;
    for (int n = 0; (at = ct_stage_condition(stage, n, &length)) != NULL; n++)
        if (strlen(text) == length && strncmp(at, text, length) == 0) return true;
    for (const ct_term *t = stage->tuning.terms; t && t->name; t++)
        if (strcmp(t->value, text) == 0) return true;
    return false;
}

static void visit_stage(char cell[CELLS][CELL])
{
    const ct_stage *stage = ct_context_stage(context, cell[0]);
    assert_non_null(stage);
    if (!has_text(stage, cell[1])) fail_msg("%s does not say %s", cell[0], cell[1]);
}

static void examples_stand_in_their_stages(void **state)
{
    (void)state;
    assert_int_equal(ct_context_open(&context, NULL), CT_OK);
    assert_true(each_row("stage", visit_stage) > 4);
    ct_context_free(context);
}

/* ---- parallel */

static void visit_parallel(char cell[CELLS][CELL])
{
    ct_stage stage = sample;
    ct_launch launch[CT_LAUNCHES];
    ct_error err = {0};
    char size[64];
    stage.kernel.parallel = cell[0];
    ct_step *step = sample_step(&stage);
    if (ct_emit_launches(step, launch, &err) != 1) fail_msg("%s", err.text);
    snprintf(size, sizeof size, "%zu %zu %zu", launch[0].global[0], launch[0].global[1],
             launch[0].global[2]);
    assert_string_equal(size, cell[1]);
    snprintf(size, sizeof size, "%zu %zu %zu", launch[0].local[0], launch[0].local[1],
             launch[0].local[2]);
    assert_string_equal(size, cell[2]);
    ct_step_free(step);
}

static void parallel_is_as_the_page_says(void **state)
{
    (void)state;
    assert_true(each_row("written", visit_parallel) >= 3);
}

static int open_page(void **state)
{
    (void)state;
    return ct_file_read(&page, NULL, "docs/expressions.md", NULL) == CT_OK ? 0 : -1;
}

static int close_page(void **state)
{
    (void)state;
    ct_memory_free(page);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_have_their_values),
        cmocka_unit_test(operators_bind_as_the_page_says),
        cmocka_unit_test(kinds_of_names_and_operators_are_on_the_page),
        cmocka_unit_test(examples_stand_in_their_stages),
        cmocka_unit_test(parallel_is_as_the_page_says)};
    return cmocka_run_group_tests(tests, open_page, close_page);
}

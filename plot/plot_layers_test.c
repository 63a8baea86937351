/* plot_layers_test.c: boxes of a graph: each below all that it needs, no two of a layer in one
 * place, and lines of trees that do not cross. */
#include "io_trial.h"
#include "plot_layers.h"

#include "memory.h"

static void make(ct_layers *of, int boxes, const int (*line)[2], int lines)
{
    *of = (ct_layers){.boxes = boxes, .lines = lines};
    of->line = ct_memory_get((size_t)(lines + 1) * sizeof *of->line);
    for (int l = 0; l < lines; l++)
        of->line[l] = (ct_layers_line){.from = line[l][0], .to = line[l][1]};
    assert_int_equal(ct_layers_make(of, NULL), CT_OK);
    for (int l = 0; l < lines; l++)
        assert_true(of->layer[line[l][0]] < of->layer[line[l][1]]);
    for (int i = 0; i < of->places; i++)
        for (int j = 0; j < i; j++)
            assert_true(of->layer[i] != of->layer[j] || of->at[i] != of->at[j]);
}

static void chains_are_straight(void **unused)
{
    (void)unused;
    static const int line[][2] = {{0, 1}, {1, 2}, {2, 3}};
    ct_layers of;
    make(&of, 4, line, 3);
    assert_int_equal(of.depth, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(of.layer[i], i);
        assert_true(of.at[i] == 0);
    }
    ct_layers_free(&of);
}

/* A line over two layers has a place in each between, so that no box lies on it. */
static void long_lines_have_places(void **unused)
{
    (void)unused;
    static const int line[][2] = {{0, 1}, {1, 2}, {2, 3}, {0, 3}};
    ct_layers of;
    make(&of, 4, line, 4);
    assert_int_equal(of.places, 6);
    assert_int_equal(of.layer[of.line[3].first], 1);
    assert_int_equal(of.layer[of.line[3].first + 1], 2);
    assert_true(of.at[of.line[3].first] != of.at[1]);
    ct_layers_free(&of);
}

/* 0 feeds 1 and 2; of what these feed, numbered the other way round, none crosses. */
static void trees_do_not_cross(void **unused)
{
    (void)unused;
    static const int line[][2] = {{0, 1}, {0, 2}, {2, 3}, {1, 4}, {2, 5}, {1, 6}};
    ct_layers of;
    make(&of, 7, line, 6);
    for (int a = 2; a < 6; a++)
        for (int b = 2; b < 6; b++)
            if (of.at[line[a][0]] < of.at[line[b][0]])
                assert_true(of.at[line[a][1]] < of.at[line[b][1]]);
    ct_layers_free(&of);
}

/* A table that is read late stands late. */
static void sources_stand_above_their_readers(void **unused)
{
    (void)unused;
    static const int line[][2] = {{0, 1}, {1, 3}, {2, 3}};
    ct_layers of;
    make(&of, 4, line, 3);
    assert_int_equal(of.layer[2], 1);
    ct_layers_free(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_are_straight), cmocka_unit_test(long_lines_have_places),
        cmocka_unit_test(trees_do_not_cross), cmocka_unit_test(sources_stand_above_their_readers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

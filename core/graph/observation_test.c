/* observation_test.c: what a pipeline says of telescope and sky reaches every step, and mistakes in
 * it have a place. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graph.h"
#include "step.h"

#define NODES                                                                                      \
    "\"nodes\": {\"in\": {\"stage\": \"source.simulate\", \"samples\": 8},"                        \
    " \"out\": {\"stage\": \"sink.npy\", \"input\": \"in\", \"file\": \"out.npy\"}}}"
#define STATIONS "[[3826577.4, 461022.6, 5064892.5], [3826579.4, 461024.6, 5064894.5]]"

static ct_graph *load(const char *observation, ct_error *err)
{
    ct_context *context = NULL;
    ct_graph *graph = NULL;
    char text[2048];
    assert_int_equal(ct_context_open(&context, err), CT_OK);
    snprintf(text, sizeof text, "{\"cornerturn\": 1, \"observation\": %s,\n " NODES, observation);
    (void)ct_graph_parse(&graph, context, text, "/nowhere/sky.json", NULL, err);
    ct_context_free(context);
    return graph;
}

static void all_members_arrive(void **unused)
{
    ct_error err = {0};
    ct_graph *graph =
        load("{\"telescope\": \"LOFAR\", \"source_name\": \"Cas A\", \"ra_deg\": 350.85,"
             " \"dec_deg\": 58.8, \"dut1_s\": -0.1, \"names\": [\"a\", \"b\"],"
             " \"stations\": " STATIONS "}",
             &err);
    (void)unused;
    if (!graph) fail_msg("%s", err.text);
    for (size_t n = 0; n < 2; n++) {
        const ct_observation *seen = ct_step_observation(ct_graph_step_at(graph, n));
        assert_string_equal(seen->telescope, "LOFAR");
        assert_string_equal(seen->source_name, "Cas A");
        assert_true(seen->radec[0] == 350.85 && seen->radec[1] == 58.8 && *seen->dut1_s == -0.1);
        assert_int_equal(seen->stations, 2);
        assert_string_equal(seen->names[1], "b");
        assert_true(seen->station[1][2] == 5064894.5);
        assert_true(fabs(seen->site[0] - 3826578.4) < 1e-6); /* the middle */
    }
    ct_graph_free(graph);
}

static void without_it_nothing_is_said(void **unused)
{
    ct_error err = {0};
    double out[3];
    ct_graph *graph = load("{}", &err);
    (void)unused;
    if (!graph) fail_msg("%s", err.text);
    const ct_step *step = ct_graph_step_at(graph, 0);
    assert_null(ct_step_observation(step)->site);
    assert_int_equal(ct_step_local(step, (const double[3]){0}, out, &err), CT_INVALID);
    assert_non_null(strstr(err.text, "neither \"site\" nor \"stations\""));
    ct_graph_free(graph);
}

static void mistakes_have_a_place(void **unused)
{
    static const struct {
        const char *observation, *sentence;
    } wrong[] = {
        {"[]", "1:34: /observation: expected an object"},
        {"{\"telescop\": \"x\"}", "/observation/telescop: unknown key \"telescop\", expected"},
        {"{\"telescop\": \"x\"}", "did you mean \"telescope\"?"},
        {"{\"telescope\": 3}", "/observation/telescope: expected a text"},
        {"{\"site\": [1, 2]}", "/observation/site: expected an ITRF position [x, y, z]"},
        {"{\"site\": [10, 20, 30]}", "counts from the Earth's centre"},
        {"{\"stations\": 5}", "/observation/stations: expected a list of ITRF positions"},
        {"{\"stations\": []}", "expected 1 to 4096 positions, found 0"},
        {"{\"stations\": [[0, 0, 6.37e6], [1, 2]]}", "/observation/stations/1: expected"},
        {"{\"stations\": \"none.parset\"}", "/observation/stations: /nowhere/none.parset"},
        {"{\"names\": [\"a\"], \"stations\": " STATIONS "}", "a name for each of the 2 stations"},
        {"{\"ra_deg\": 10}", "/observation/ra_deg: a right ascension needs \"dec_deg\", too"},
        {"{\"ra_deg\": 10, \"dec_deg\": 91}", "expected a number from -90 to 90, found 91"},
        {"{\"dut1_s\": 37}", "/observation/dut1_s: expected a number from -1 to 1, found 37"}};
    (void)unused;
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
        ct_error err = {0};
        assert_null(load(wrong[n].observation, &err));
        if (!strstr(err.text, wrong[n].sentence))
            fail_msg("expected \"%s\", found \"%s\"", wrong[n].sentence, err.text);
    }
}

static void parameter_sets_are_read_by_name(void **unused)
{
    static const char set[] = "# a comment\n"
                              "PIC.Core.CS001LBA.phaseCenter = [3826923.9, 460915.1, 5064643.2]\n"
                              "PIC.Core.CS001LBA.other = [1, 2, 3]\n"
                              "PIC.Core.CS002LBA.phaseCenter = [ 3826577.5, 461022.6 ,5064892.5]\n";
    char name[] = "/tmp/observation_test.parset", text[256];
    ct_error err = {0};
    FILE *file = fopen(name, "w");
    (void)unused;
    assert_non_null(file);
    fputs(set, file);
    fclose(file);
    snprintf(text, sizeof text, "{\"stations\": \"%s\", \"names\": [\"CS002LBA\", \"CS001LBA\"]}",
             name);
    ct_graph *graph = load(text, &err);
    if (!graph) fail_msg("%s", err.text);
    const ct_observation *seen = ct_step_observation(ct_graph_step_at(graph, 0));
    assert_true(seen->station[0][1] == 461022.6 && seen->station[1][0] == 3826923.9);
    ct_graph_free(graph);
    snprintf(text, sizeof text, "{\"stations\": \"%s\", \"names\": [\"CS003LBA\"]}", name);
    assert_null(load(text, &err));
    assert_non_null(strstr(err.text, "/observation/names/0: "));
    assert_non_null(strstr(err.text, "no field \"CS003LBA\"; did you mean \"CS001LBA\"?"));
    err = (ct_error){0};
    snprintf(text, sizeof text, "{\"stations\": \"%s\"}", name);
    assert_null(load(text, &err));
    assert_non_null(strstr(err.text, "2 fields: expected \"names\""));
    remove(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_members_arrive), cmocka_unit_test(without_it_nothing_is_said),
        cmocka_unit_test(mistakes_have_a_place), cmocka_unit_test(parameter_sets_are_read_by_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

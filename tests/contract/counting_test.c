/* counting_test.c: what sources and sinks count, as the run tells it: one by one, as JSON, as
 * OpenMetrics. */
#include "contract.h"
#include "cornerturn_stage.h"

/* A sink with two lanes. */
typedef struct counts {
    contract_end end;
    ct_counter counter[5];
    double packets[2], level;
    const char *name;
} counts;

static const ct_counter *counts_give(void *state)
{
    counts *of = (counts *)state;
    static const char *const lanes[] = {"0", "1"};
    memset(of->counter, 0, sizeof of->counter);
    for (int i = 0; i < 2; i++)
        of->counter[i] = (ct_counter){.name = of->name ? of->name : "packets_lost",
                                      .help = "Lost: \"never\\more\".",
                                      .lane = lanes[i],
                                      .value = of->packets[i]};
    of->counter[2] =
        (ct_counter){.name = "ring", .unit = "bytes", .value = of->level, .level = true};
    return of->counter;
}

static ct_status counts_write(void *state, const ct_array *block, int64_t first, int64_t count,
                              ct_error *err)
{
    (void)block, (void)first, (void)count, (void)err;
    return contract_act(&((counts *)state)->end, err);
}

static const char pipeline[] =
    CONTRACT_HEAD CONTRACT_SOURCE CONTRACT_SINK("raw", "in") "," CONTRACT_SINK("out", "in") "}}";

static void bind_counts(contract *c, counts *of)
{
    ct_error err = {0};
    const ct_io io = {.size = sizeof io, .state = of, .write = counts_write, .count = counts_give};
    contract_open(c, pipeline);
    contract_must(ct_run_bind(c->run, "out", &io, &err), &err);
}

/* The value of a step's counter; -1: there is none. */
static double value_of(const ct_run *run, const char *step, const char *name, const char *lane)
{
    ct_counter one;
    const char *whose;
    for (size_t n = 0; ct_run_counter(run, n, &one, &whose); n++)
        if (!strcmp(whose, step) && !strcmp(one.name, name) &&
            (one.lane ? lane && !strcmp(one.lane, lane) : !lane))
            return one.value;
    return -1;
}

static void what_is_counted_is_told(void **state)
{
    contract c;
    ct_error err = {0};
    counts of = {.packets = {3, 4}, .level = 7};
    (void)state;
    bind_counts(&c, &of);
    assert_true(value_of(c.run, "out", "packets_lost", "0") < 0); /* nobody was asked yet */
    contract_must(ct_run_block(c.run, &err), &err);
    assert_true(value_of(c.run, "out", "packets_lost", "0") == 3);
    assert_true(value_of(c.run, "out", "packets_lost", "1") == 4);
    assert_true(value_of(c.run, "out", "ring", NULL) == 7);
    of.packets[0] = 2; /* only levels fall */
    of.packets[1] = 9;
    of.level = 1;
    contract_must(ct_run_block(c.run, &err), &err);
    assert_true(value_of(c.run, "out", "packets_lost", "0") == 3);
    assert_true(value_of(c.run, "out", "packets_lost", "1") == 9);
    assert_true(value_of(c.run, "out", "ring", NULL) == 1);
    assert_true(value_of(c.run, "in", "samples", NULL) == 480);
    assert_true(value_of(c.run, "in", "station_samples", NULL) == 960);
    contract_must(ct_run_block(c.run, &err), &err);
    contract_must(ct_run_block(c.run, &err), &err);
    contract_must(ct_run_finish(c.run, &err), &err);
    assert_true(value_of(c.run, "raw", "written", NULL) == 960 * 2 * 2 * 2);
    contract_close(&c);
}

static void a_line_has_the_sums_of_lanes(void **state)
{
    contract c;
    ct_error err = {0};
    char *line = NULL;
    ct_value *root = NULL;
    counts of = {.packets = {3, 4}, .level = 7};
    (void)state;
    bind_counts(&c, &of);
    contract_must(ct_run_block(c.run, &err), &err);
    contract_must(ct_run_stats(&line, c.run, NULL, CT_FORM_JSON, &err), &err);
    assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
    contract_must(ct_value_parse(&root, line, "line", &err), &err);
    const ct_value *out = ct_value_get(ct_value_get(root, "nodes"), "out");
    const ct_value *lanes = ct_value_get(out, "lanes");
    assert_true(ct_value_real(ct_value_get(out, "packets_lost"), 0) == 7);
    assert_true(ct_value_real(ct_value_get(out, "ring_bytes"), 0) == 7);
    assert_int_equal(ct_value_count(lanes), 2);
    assert_string_equal(ct_value_text(ct_value_get(ct_value_at(lanes, 1), "lane"), ""), "1");
    assert_true(ct_value_real(ct_value_get(ct_value_at(lanes, 1), "packets_lost"), 0) == 4);
    assert_false(ct_value_bool(ct_value_get(root, "final"), true));
    ct_value_free(root);
    free(line);
    contract_close(&c);
}

static void metrics_are_escaped_and_end(void **state)
{
    contract c;
    ct_error err = {0};
    char *text = NULL;
    counts of = {.packets = {3, 4}, .level = 7};
    (void)state;
    bind_counts(&c, &of);
    contract_must(ct_run_block(c.run, &err), &err);
    contract_must(ct_run_stats(&text, c.run, NULL, CT_FORM_METRICS, &err), &err);
    assert_non_null(strstr(text, "# TYPE cornerturn_node_packets_lost counter\n"
                                 "# HELP cornerturn_node_packets_lost Lost: "
                                 "\\\"never\\\\more\\\".\n"
                                 "cornerturn_node_packets_lost_total{pipeline=\""));
    assert_non_null(strstr(text, "/p.json\",node=\"out\",lane=\"1\"} 4\n"));
    assert_non_null(strstr(text, "# TYPE cornerturn_node_ring_bytes gauge\n"
                                 "# UNIT cornerturn_node_ring_bytes bytes\n"
                                 "cornerturn_node_ring_bytes{"));
    assert_string_equal(text + strlen(text) - 7, "\n# EOF\n");
    free(text);
    assert_int_equal(ct_run_stats(&text, c.run, NULL, CT_FORM_TEXT, &err), CT_USAGE);
    assert_null(text);
    contract_close(&c);
}

static void a_name_that_is_no_word_is_refused(void **state)
{
    static const char *const names[] = {"Lost", "lost packets", "lost_total", "0lost"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        contract c;
        ct_error err = {0};
        counts of = {.name = names[i]};
        bind_counts(&c, &of);
        assert_int_equal(ct_run_block(c.run, &err), CT_FAILED);
        assert_non_null(strstr(err.text, "node \"out\": its count() gives a name \""));
        assert_non_null(strstr(err.text, names[i]));
        contract_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_counted_is_told),
        cmocka_unit_test(a_line_has_the_sums_of_lanes),
        cmocka_unit_test(metrics_are_escaped_and_end),
        cmocka_unit_test(a_name_that_is_no_word_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

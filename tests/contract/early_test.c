/* early_test.c: a run that its program ends before its data end says what its files hold; and a run
 * is not called by the functions that it calls. */
#include "contract.h"
#include "cornerturn_stage.h"

static void run_blocks(const contract *c, int count)
{
    ct_error err = {0};
    for (int i = 0; i < count; i++)
        contract_must(ct_run_block(c->run, &err), &err);
}

/* What the JSON file beside an array says. */
static void expect_description(const contract *c, const char *name, const char *incomplete)
{
    char path[96];
    ct_error err = {0};
    ct_value *root = NULL;
    snprintf(path, sizeof path, "%s/%s", c->folder, name);
    contract_must(ct_value_load(&root, path, &err), &err);
    const char *found = ct_value_text(ct_value_get(root, "incomplete"), NULL);
    assert_int_equal(found == NULL, incomplete == NULL);
    if (found) assert_string_equal(found, incomplete);
    ct_value_free(root);
}

static void it_says_what_files_hold(void **state)
{
    contract c;
    ct_error err = {0};
    (void)state;
    contract_open(&c, CONTRACT_PIPELINE);
    run_blocks(&c, 3);
    contract_must(ct_run_finish(c.run, &err), &err);
    assert_int_equal(contract_files(&c), 4);
    for (size_t i = 0; i < 4; i++) {
        const char *holds = ct_run_file_holds(c.run, i);
        if (!holds || strncmp(holds, "3 of 4 blocks, ", 15) != 0)
            fail_msg("%s: %s", ct_run_file(c.run, i), holds ? holds : "all");
    }
    expect_description(&c, "raw.npy.json", "stopped after block 3 of 4");
    expect_description(&c, "out.npy.json", "stopped after block 3 of 4");
    contract_close(&c);
}

static void nothing_is_said_of_all_blocks(void **state)
{
    contract c;
    ct_error err = {0};
    (void)state;
    contract_open(&c, CONTRACT_PIPELINE);
    run_blocks(&c, 4);
    contract_must(ct_run_finish(c.run, &err), &err);
    assert_null(ct_run_file_holds(c.run, 0));
    expect_description(&c, "raw.npy.json", NULL);
    contract_close(&c);
}

static void without_a_block_files_are_empty(void **state)
{
    contract c;
    ct_error err = {0};
    (void)state;
    contract_open(&c, CONTRACT_PIPELINE);
    contract_must(ct_run_finish(c.run, &err), &err);
    expect_description(&c, "raw.npy.json", "stopped after block 0 of 4");
    contract_close(&c);
}

/* ---------------------------------------------------------------- calls inside calls */

typedef struct inside {
    ct_run *run;
    int refused;
} inside;

static void expect_refused(inside *of, ct_status status, ct_error *err)
{
    of->refused += status == CT_USAGE && strstr(err->text, "inside") != NULL;
    *err = (ct_error){0};
}

static void call_the_run(void *of)
{
    inside *in = of;
    contract_end end = {0};
    const ct_io io = {sizeof io, &end, contract_read, contract_write, NULL};
    ct_error err = {0};
    expect_refused(in, ct_run_block(in->run, &err), &err);
    expect_refused(in, ct_run_finish(in->run, &err), &err);
    expect_refused(in, ct_run_bind(in->run, "out", &io, &err), &err);
    expect_refused(in, ct_run_keep(in->run, &err), &err);
    expect_refused(in, ct_run_resume(in->run, 0, NULL, &err), &err);
}

static void a_source_asks_for_no_block(void **state)
{
    contract c;
    ct_error err = {0};
    inside in = {0};
    contract_end source = {.at = 2, .act = call_the_run, .of = &in};
    (void)state;
    contract_open(&c, CONTRACT_PIPELINE);
    in.run = c.run;
    contract_bind(c.run, "in", &source);
    run_blocks(&c, 4);
    assert_int_equal(in.refused, 5);
    assert_int_equal(source.calls, 4);
    assert_int_equal(ct_run_block(c.run, &err), CT_EOF);
    contract_must(ct_run_finish(c.run, &err), &err);
    assert_null(ct_run_file_holds(c.run, 0));
    contract_close(&c);
}

static void nor_does_a_sink(void **state)
{
    contract c;
    inside in = {0};
    contract_end sink = {.at = 1, .act = call_the_run, .of = &in};
    (void)state;
    contract_open(&c, CONTRACT_PIPELINE);
    in.run = c.run;
    contract_bind(c.run, "out", &sink);
    run_blocks(&c, 2);
    assert_int_equal(in.refused, 5);
    assert_int_equal(sink.calls, 2);
    contract_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_says_what_files_hold),
        cmocka_unit_test(nothing_is_said_of_all_blocks),
        cmocka_unit_test(without_a_block_files_are_empty),
        cmocka_unit_test(a_source_asks_for_no_block),
        cmocka_unit_test(nor_does_a_sink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

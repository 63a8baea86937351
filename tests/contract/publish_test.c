/* publish_test.c: "Finishing": the files of all sinks get their names, or none does and each name
 * has what it had before; a sink of one's own takes part with nothing but ct_step_create. */
#include "contract.h"

#include <sys/stat.h>

#include "cornerturn_stage.h"

/* ---------------------------------------------------------------- a sink as a user writes it */

typedef struct tally {
    ct_output_file staged;
    int64_t samples;
} tally;

static ct_status tally_open(ct_step *step, void **state, ct_error *err)
{
    tally *of = ct_step_alloc(step, sizeof *of);
    *state = of;
    return ct_step_create(step, ct_step_path(step, "file"), &of->staged, err);
}

static ct_status tally_write(void *state, const ct_array *block, int64_t first, int64_t count,
                             ct_error *err)
{
    (void)block, (void)first, (void)err;
    ((tally *)state)->samples += count;
    return CT_OK;
}

static ct_status tally_close(void *state, bool complete, ct_error *err)
{
    tally *of = state;
    char text[32];
    const int length = snprintf(text, sizeof text, "%lld\n", (long long)of->samples);
    ct_status status = CT_OK;
    if (complete && write(of->staged.handle, text, (size_t)length) != length)
        status = ct_error_add(err, CT_DATA, "the tally cannot be written");
    (void)close(of->staged.handle);
    return status;
}

static const ct_param tally_params[] = {{"file", CT_PARAM_FILE, "!", NULL, 0, 0, "a number"}, {0}};
static const ct_stage tally_stage = {
    .api = CT_API,
    .version = 1,
    .name = "sink.tally",
    .summary = "counts samples",
    .ports = {{"X", CT_IN, 0, "*", "cf32 ci8", "*", NULL, "what is counted"}},
    .params = tally_params,
    .io = {.open = tally_open, .write = tally_write, .close = tally_close},
};

/* ---------------------------------------------------------------- three sinks */

#define TALLY "\"tally\": {\"stage\": \"sink.tally\", \"input\": \"in\", \"file\": \"tally.txt\"}"

static void open_three(contract *c, ct_context *context)
{
    ct_error err = {0};
    static const char pipeline[] = CONTRACT_HEAD CONTRACT_SOURCE CONTRACT_SINK(
        "first", "in") "," TALLY "," CONTRACT_SINK("last", "in") "}}";
    contract_must(ct_graph_parse(&c->graph, context, pipeline, c->name, NULL, &err), &err);
    contract_must(ct_plan_default(&c->plan, c->graph, c->device, &err), &err);
    contract_must(ct_run_new(&c->run, c->plan, c->device, &err), &err);
}

static void make_folder(contract *c)
{
    ct_error err = {0};
    memset(c, 0, sizeof *c);
    strcpy(c->folder, "/tmp/ct_contract_XXXXXX");
    assert_non_null(mkdtemp(c->folder));
    snprintf(c->name, sizeof c->name, "%s/p.json", c->folder);
    contract_must(ct_context_open(&c->context, &err), &err);
    contract_must(ct_context_add_stage(c->context, &tally_stage, &err), &err);
    contract_must(ct_device_open(&c->device, NULL, &err), &err);
    open_three(c, c->context);
}

static const char *in_folder(const contract *c, const char *file)
{
    static char path[4][96];
    static unsigned next;
    char *out = path[next++ % 4];
    snprintf(out, 96, "%s/%s", c->folder, file);
    return out;
}

static void put(const contract *c, const char *file, const char *text)
{
    FILE *to = fopen(in_folder(c, file), "w");
    assert_non_null(to);
    fputs(text, to);
    assert_int_equal(fclose(to), 0);
}

static void expect(const contract *c, const char *file, const char *text)
{
    char found[64] = "";
    FILE *from = fopen(in_folder(c, file), "r");
    assert_non_null(from);
    found[fread(found, 1, sizeof found - 1, from)] = 0;
    fclose(from);
    assert_string_equal(found, text);
}

static void run_to_the_end(const contract *c)
{
    ct_error err = {0};
    ct_status status = CT_OK;
    while (status == CT_OK)
        status = ct_run_block(c->run, &err);
    assert_int_equal(status, CT_EOF);
}

static void every_sink_has_its_file(void **state)
{
    contract c;
    ct_error err = {0};
    (void)state;
    make_folder(&c);
    put(&c, "tally.txt", "old");
    run_to_the_end(&c);
    expect(&c, "tally.txt", "old");
    assert_int_equal(contract_files(&c), 1);
    contract_must(ct_run_finish(c.run, &err), &err);
    expect(&c, "tally.txt", "960\n");
    assert_int_equal(contract_files(&c), 5);
    assert_string_equal(ct_run_file(c.run, 2), in_folder(&c, "tally.txt"));
    assert_non_null(ct_run_file(c.run, 4));
    assert_null(ct_run_file(c.run, 5));
    contract_close(&c);
}

/* The last sink's second file cannot get its name: a folder has it. */
static void or_none_has(void **state)
{
    contract c;
    ct_error err = {0};
    (void)state;
    make_folder(&c);
    put(&c, "tally.txt", "old");
    put(&c, "first.npy", "old");
    run_to_the_end(&c);
    assert_int_equal(mkdir(in_folder(&c, "last.npy.json"), 0700), 0);
    assert_int_equal(ct_run_finish(c.run, &err), CT_DATA);
    assert_non_null(strstr(err.text, "last.npy.json: cannot be put in place"));
    assert_int_equal(contract_files(&c), 3);
    expect(&c, "tally.txt", "old");
    expect(&c, "first.npy", "old");
    assert_null(ct_run_file(c.run, 0));
    contract_close(&c);
}

static void what_is_cancelled_last_publishes_nothing(void **state)
{
    contract c;
    ct_error err = {0};
    (void)state;
    make_folder(&c);
    run_to_the_end(&c);
    ct_run_cancel(c.run);
    assert_int_equal(ct_run_finish(c.run, &err), CT_INTERRUPTED);
    assert_int_equal(contract_files(&c), 0);
    contract_close(&c);
}

/* Before anything is read: the source is asked for nothing. */
static void a_name_is_refused_before_the_work(void **state)
{
    contract c;
    ct_error err = {0};
    contract_end source = {0};
    (void)state;
    make_folder(&c);
    contract_bind(c.run, "in", &source);
    assert_int_equal(mkdir(in_folder(&c, "last.npy"), 0700), 0);
    assert_int_equal(ct_run_block(c.run, &err), CT_DATA);
    assert_int_equal(source.calls, 0);
    contract_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sink_has_its_file),
        cmocka_unit_test(or_none_has),
        cmocka_unit_test(what_is_cancelled_last_publishes_nothing),
        cmocka_unit_test(a_name_is_refused_before_the_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

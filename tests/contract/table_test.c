/* table_test.c: new contents of a table between two blocks: what comes out is that of a run with
 * the old ones up to there, and of a run with the new ones from there on, in any order of the
 * table. */
#include "caller.h"
#include "cornerturn_stage.h"

/* Five blocks; the last one is not full. */
enum { BLOCK = 4, SAMPLES = 18, S = 3, C = 5, UNIT = S * C, CHANGE = 2 };

/* ---- a stage with a table that a parameter makes */

static const char gains_cl[] = "kernel void gains(CT_ARGS)\n"
                               "{\n"
                               "    if (CT_OUTSIDE) return;\n"
                               "    const float g = G_LOAD(ID_S, ID_C);\n"
                               "    Y_SAVE(ID_S, ID_T, ID_C, g * X_LOAD(ID_S, ID_T, ID_C));\n"
                               "}\n";

static double gain(int64_t seed, int64_t s, int64_t c)
{
    return (double)((seed * 31 + s * 7 + c * 3) % 11) - 4;
}

static ct_status gains_infer(ct_step *step, ct_error *err)
{
    ct_array *g = ct_step_port(step, "G");
    (void)err;
    g->rank = 0;
    g->type = CT_F32;
    ct_array_add(g, 'S', S);
    ct_array_add(g, 'C', C);
    return CT_OK;
}

static void fill_gains(ct_array *g, int64_t seed)
{
    for (int64_t s = 0; s < S; s++)
        for (int64_t c = 0; c < C; c++)
            ct_array_save(g, g->offset + s * ct_array_stride(g, 'S') + c * ct_array_stride(g, 'C'),
                          gain(seed, s, c), 0);
}

static ct_status gains_table(const ct_step *step, const char *port, ct_array *fill, ct_error *err)
{
    (void)port, (void)err;
    fill_gains(fill, ct_step_int(step, "seed"));
    return CT_OK;
}

static const ct_param gains_params[] = {{"seed", CT_PARAM_INT, "1", NULL, 0, 100, "of the gains"},
                                        {0}};

static const ct_stage gains = {
    .api = CT_API,
    .version = 1,
    .name = "my.gains",
    .summary = "each channel of each station with a gain",
    .ports = {{"X", CT_IN, 0, "STC", "f32", "*", NULL, "powers"},
              {"G", CT_TABLE, 0, "SC", "f32", "*", NULL, "gains"},
              {"Y", CT_OUT, 0, "STC", "f32", "*", NULL, "powers with gains"}},
    .params = gains_params,
    .infer = gains_infer,
    .table = gains_table,
    .kernel = {.text = gains_cl, .name = "gains.cl", .entry = "gains", .parallel = "C, T, S"},
};

/* ---- runs of it */

static float data[SAMPLES * UNIT], old[SAMPLES * UNIT], new[SAMPLES * UNIT];

static const char pipeline[] =
    "{\"cornerturn\": 1, \"block\": {\"T\": 4}, \"nodes\": {"
    "\"in\": {\"stage\": \"source.caller\", \"dims\": \"TSC\", \"type\": \"f32\", "
    "\"sizes\": {\"S\": 3, \"C\": 5}},"
    "\"gains\": {\"stage\": \"my.gains\", \"input\": \"in\"},"
    "\"out\": {\"stage\": \"sink.caller\", \"input\": \"gains\"}}}";

/* As contract_open, with the stage above, gains of this seed, and the table in this order. */
static void open_gains(contract *c, const char *seed, const char *order)
{
    ct_error err = {0};
    char *text = NULL;
    const char *const settings[] = {seed, NULL};
    memset(c, 0, sizeof *c);
    strcpy(c->folder, "/tmp/ct_contract_XXXXXX");
    assert_non_null(mkdtemp(c->folder));
    snprintf(c->name, sizeof c->name, "%s/p.json", c->folder);
    contract_must(ct_context_open(&c->context, &err), &err);
    contract_must(ct_context_add_stage(c->context, &gains, &err), &err);
    contract_must(ct_device_open(&c->device, NULL, &err), &err);
    contract_must(ct_graph_parse(&c->graph, c->context, pipeline, c->name, settings, &err), &err);
    contract_must(ct_plan_default(&c->plan, c->graph, c->device, &err), &err);
    contract_must(ct_plan_print(&text, c->plan, &err), &err);
    char *layout = strstr(text, "\"G\": \"");
    assert_non_null(layout);
    memcpy(layout + 6, order, 2);
    ct_plan_free(c->plan);
    contract_must(ct_plan_parse(&c->plan, c->graph, text, "plan", c->device, &err), &err);
    free(text);
    contract_must(ct_run_new(&c->run, c->plan, c->device, &err), &err);
}

/* The run, with `fill` from block CHANGE on (NULL: never). */
static void run_gains(contract *c, const ct_array *fill, float *out)
{
    ct_error err = {0};
    caller_samples from = {.data = (const char *)data, .count = SAMPLES};
    caller_samples to = {.taken = (char *)out, .count = SAMPLES};
    caller_bind(c->run, "in", &from);
    caller_bind(c->run, "out", &to);
    for (int block = 0; block < CHANGE; block++)
        contract_must(ct_run_block(c->run, &err), &err);
    if (fill) contract_must(ct_run_table(c->run, "gains", "G", fill, &err), &err);
    caller_run(c->run);
    assert_int_equal(to.at, SAMPLES);
}

static void run_whole(const char *seed, float *out)
{
    contract c;
    open_gains(&c, seed, "SC");
    run_gains(&c, NULL, out);
    contract_close(&c);
}

/* The array of a program: gains of seed 2 in this type and order, with gaps and an offset. */
static ct_array own_gains(const ct_plan *plan, ct_type type, const char *order, double *room)
{
    const ct_array *table = NULL;
    ct_layout layout;
    ct_error err = {0};
    contract_must(ct_plan_find(&table, plan, "gains.G", &err), &err);
    contract_must(ct_layout_parse(&layout, order, &err), &err);
    ct_array fill = *table;
    fill.type = type;
    fill.data = room;
    assert_true(ct_array_dense(&fill, &layout));
    for (int d = 0; d < 2; d++)
        fill.stride[d] *= fill.stride[d] > 1 ? 2 : 1;
    fill.offset = 3;
    fill_gains(&fill, 2);
    return fill;
}

static void expect_joined(const float *out)
{
    const size_t before = CHANGE * BLOCK * UNIT;
    assert_memory_equal(out, old, before * sizeof *out);
    assert_memory_equal(out + before, new + before, (SAMPLES * UNIT - before) * sizeof *out);
}

static void blocks_behind_have_the_new_one(void **state)
{
    static const char *const orders[] = {"SC", "CS"};
    static const ct_type types[] = {CT_F32, CT_F64, CT_I8, CT_F16};
    float out[SAMPLES * UNIT];
    double room[4 * UNIT];
    (void)state;
    for (int plan = 0; plan < 2; plan++)
        for (int mine = 0; mine < 2; mine++)
            for (int type = 0; type < 4; type++) {
                contract c;
                memset(out, 0, sizeof out);
                open_gains(&c, "gains.seed=1", orders[plan]);
                const ct_array fill = own_gains(c.plan, types[type], orders[mine], room);
                run_gains(&c, &fill, out);
                expect_joined(out);
                contract_close(&c);
            }
}

/* One value for all channels, and dimensions in another order. */
static void strides_may_be_nothing(void **state)
{
    contract c;
    float out[SAMPLES * UNIT], each[S] = {2, 3, 5};
    ct_array fill = {.type = CT_F32, .data = each};
    (void)state;
    ct_array_add(&fill, 'C', C);
    ct_array_add(&fill, 'S', S);
    fill.stride[1] = 1;
    open_gains(&c, "gains.seed=1", "SC");
    run_gains(&c, &fill, out);
    for (int64_t i = CHANGE * BLOCK * UNIT; i < SAMPLES * UNIT; i++)
        assert_true(out[i] == data[i] * each[i / C % S]);
    contract_close(&c);
}

/* Each of two runs of a plan has its own. */
static void runs_have_their_own(void **state)
{
    contract c;
    float out[SAMPLES * UNIT];
    double room[4 * UNIT];
    ct_error err = {0};
    ct_run *other = NULL;
    (void)state;
    open_gains(&c, "gains.seed=1", "CS");
    contract_must(ct_run_new(&other, c.plan, c.device, &err), &err);
    const ct_array fill = own_gains(c.plan, CT_F32, "SC", room);
    contract_must(ct_run_table(other, "gains", "G", &fill, &err), &err);
    run_gains(&c, NULL, out);
    assert_memory_equal(out, old, sizeof old);
    ct_run_free(c.run);
    c.run = other;
    run_gains(&c, NULL, out);
    assert_memory_equal(out, new, sizeof new);
    contract_close(&c);
}

/* ---- mistakes: each is said, and nothing happens to the run */

static void expect_mistake(contract *c, const char *node, const char *port, const ct_array *fill,
                           const char *sentence)
{
    ct_error err = {0};
    assert_int_equal(ct_run_table(c->run, node, port, fill, &err), CT_USAGE);
    assert_int_equal(err.count, 1);
    assert_string_equal(err.text, sentence);
}

static void mistakes(void **state)
{
    contract c;
    float out[SAMPLES * UNIT];
    double room[4 * UNIT];
    ct_error err = {0};
    (void)state;
    open_gains(&c, "gains.seed=1", "CS");
    ct_array fill = own_gains(c.plan, CT_F32, "SC", room), wrong = fill;
    expect_mistake(&c, "gain", "G", &fill, "no node \"gain\"; did you mean \"gains\"?");
    expect_mistake(&c, "gains", "W", &fill,
                   "node \"gains\" (my.gains) has no port \"W\": expected one of X, G, Y");
    expect_mistake(&c, "gains", "Y", &fill, "port Y of node \"gains\" is no table");
    expect_mistake(&c, "gains", "G", NULL, "ct_run_table: there is no fill");
    wrong.extent[0] = 4;
    expect_mistake(&c, "gains", "G", &wrong, "table G of node \"gains\" is S=3 C=5, found S=4 C=5");
    wrong = fill;
    wrong.dim[1] = 'B';
    expect_mistake(&c, "gains", "G", &wrong, "table G of node \"gains\" is S=3 C=5, found S=3 B=5");
    wrong = fill;
    wrong.data = NULL;
    expect_mistake(&c, "gains", "G", &wrong,
                   "table G of node \"gains\": expected data of a type such as f32, found no data");
    wrong = fill;
    wrong.type = CT_CF32;
    expect_mistake(&c, "gains", "G", &wrong,
                   "table G of node \"gains\" (gains) is f32: expected a real type, found cf32");
    assert_int_equal(ct_run_table(NULL, "gains", "G", &fill, &err), CT_USAGE);
    run_gains(&c, NULL, out);
    assert_memory_equal(out, old, sizeof old);
    expect_mistake(&c, "gains", "G", &fill,
                   "ct_run_table: the run is finished; ct_run_new makes another one");
    contract_close(&c);
}

/* ---- arrays of a plan by name */

static void expect_no_port(const contract *c, const char *port, const char *sentence)
{
    const ct_array *array = &(ct_array){0};
    ct_error err = {0};
    assert_int_equal(ct_plan_find(&array, c->plan, port, &err), CT_USAGE);
    assert_null(array);
    assert_string_equal(err.text, sentence);
}

static const ct_array *find(const contract *c, const char *port)
{
    const ct_array *array = NULL;
    ct_error err = {0};
    contract_must(ct_plan_find(&array, c->plan, port, &err), &err);
    return array;
}

static void ports_by_name(void **state)
{
    contract c;
    (void)state;
    open_gains(&c, "gains.seed=1", "CS");
    assert_ptr_equal(find(&c, "in"), find(&c, "in.Y"));
    assert_ptr_equal(find(&c, "gains"), find(&c, "gains.Y"));
    assert_ptr_equal(find(&c, "out"), find(&c, "out.X"));
    assert_int_equal(ct_array_extent(find(&c, "in"), 'T'), BLOCK);
    assert_int_equal(find(&c, "in")->meta.total, -1);
    assert_string_equal(find(&c, "gains.G")->layout.dim, "CS");
    assert_int_equal(ct_array_extent(find(&c, "gains.G"), 'C'), C);
    expect_no_port(&c, "gains.Z",
                   "node \"gains\" (my.gains) has no port \"Z\": expected one of X, G, Y");
    expect_no_port(&c, "gaims", "no node \"gaims\"; did you mean \"gains\"?");
    expect_no_port(&c, "", "no node \"\"");
    expect_no_port(&c, NULL, "ct_plan_find: there is no port");
    contract_close(&c);
}

static int make_data(void **state)
{
    (void)state;
    for (int i = 0; i < SAMPLES * UNIT; i++)
        data[i] = (float)(i * 37 % 101 - 50);
    run_whole("gains.seed=1", old);
    run_whole("gains.seed=2", new);
    return memcmp(old, new, sizeof old) == 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_behind_have_the_new_one),
        cmocka_unit_test(strides_may_be_nothing),
        cmocka_unit_test(runs_have_their_own),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(ports_by_name),
    };
    return cmocka_run_group_tests(tests, make_data, NULL);
}

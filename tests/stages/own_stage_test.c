/* own_stage_test.c: a stage that is a page of JSON and a kernel, in a pipeline that names its file:
 * what it computes against the same in C, at several block sizes, and what its outputs'
 * descriptions say. Extents are pairwise coprime. Room: tests. Knows only cornerturn.h. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cornerturn_stage.h"
#include "one_device.h"

enum { S = 2, P = 3, T = 65, C = 77, SUM = 5, MEAN = 7, T_OUT = T / SUM, C_OUT = C / MEAN };

static const char page[] =
    "{ \"cornerturn\": 1, \"stage\": \"power\", \"summary\": \"power, channels averaged\",\n"
    "  \"source\": \"power.cl\", \"entry\": \"power\",\n"
    "  \"ports\": {\n"
    "    \"X\": { \"is\": \"in\", \"dims\": \"SPTC\", \"types\": \"cf32 ci8\" },\n"
    "    \"G\": { \"is\": \"table\", \"dims\": \"SC\", \"types\": \"f32\", \"from\": \"gains\" },\n"
    "    \"Y\": { \"is\": \"out\", \"dims\": \"STC\", \"types\": \"f32\",\n"
    "           \"group\": { \"T\": \"P_SUM\", \"C\": \"P_MEAN\" } },\n"
    "    \"Z\": { \"is\": \"out\", \"dims\": \"ST\", \"types\": \"f32\",\n"
    "           \"group\": { \"T\": \"P_SUM\" } } },\n"
    "  \"params\": { \"mean\": { \"kind\": \"integer\", \"default\": 4, \"range\": [1, 4096] },\n"
    "              \"sum\": { \"kind\": \"integer\", \"default\": 1 },\n"
    "              \"gains\": { \"kind\": \"file\", \"needed\": true } },\n"
    "  \"require\": [{ \"that\": \"X_N_C % P_MEAN == 0\", \"param\": \"mean\",\n"
    "               \"say\": \"must divide the channels\" }],\n"
    "  \"overlap\": 2, \"parallel\": \"C:WG, T, S\", \"where\": \"WG <= Y_N_C\",\n"
    "  \"tunables\": { \"WG\": { \"values\": [1, 4, 64], \"cpu\": 1, \"gpu\": 64 } },\n"
    "  \"flops\": \"4 * X_N_S * X_N_P * X_N_T * X_N_C\", \"tolerance\": 1e-6 }\n";

/* Each output also has the two samples before its own. */
static const char kernel_text[] =
    "#include \"square.cl\"\n"
    "kernel void power(CT_ARGS)\n"
    "{\n"
    "    if (CT_OUTSIDE) return;\n"
    "    float sum = 0.0f;\n"
    "    for (int t = 0; t < P_SUM + OVERLAP; t++)\n"
    "        for (int p = 0; p < N_P; p++)\n"
    "            for (int c = 0; c < P_MEAN; c++) {\n"
    "                const int channel = ID_C * P_MEAN + c;\n"
    "                const float2 x = X_LOAD(ID_S, p, ID_T * P_SUM + t, channel);\n"
    "                sum += G(ID_S, channel) * square(x);\n"
    "            }\n"
    "    Y_SAVE(ID_S, ID_T, ID_C, sum / P_MEAN);\n"
    "    if (ID_C == 0) Z_SAVE(ID_S, ID_T, X_LOAD(ID_S, 0, ID_T * P_SUM + OVERLAP, 1).x);\n"
    "}\n";

static const char square[] = "float square(float2 x)\n{\n    return x.x * x.x + x.y * x.y;\n}\n";

/* Two kernels with memory between them: the mean along time is taken away. */
static const char level_page[] =
    "{ \"cornerturn\": 1, \"stage\": \"level\", \"source\": \"level.cl\",\n"
    "  \"ports\": {\n"
    "    \"X\": { \"is\": \"in\", \"dims\": \"STC\", \"types\": \"f32\" },\n"
    "    \"M\": { \"is\": \"scratch\", \"dims\": \"SC\", \"types\": \"f32\" },\n"
    "    \"Y\": { \"is\": \"out\", \"dims\": \"STC\", \"types\": \"f32\" } },\n"
    "  \"launches\": [{ \"entry\": \"mean\", \"parallel\": \"C, S\" },\n"
    "               { \"entry\": \"take\", \"global\": [\"Y_N_C\", \"Y_N_T\", \"Y_N_S\"],\n"
    "                 \"local\": [\"WG\"] }],\n"
    "  \"tunables\": { \"WG\": { \"values\": [4] } } }\n";

static const char level_text[] =
    "kernel void mean(CT_ARGS)\n"
    "{\n"
    "    const int c = ID_C, s = ID_S;\n"
    "    float sum = 0.0f;\n"
    "    for (int t = 0; t < X_N_T; t++)\n"
    "        sum += X_LOAD(s, t, c);\n"
    "    M_SAVE(s, c, sum / X_N_T);\n"
    "}\n"
    "kernel void take(CT_ARGS)\n"
    "{\n"
    "    const int c = get_global_id(0), t = get_global_id(1), s = get_global_id(2);\n"
    "    if (c < N_C) Y_SAVE(s, t, c, X_LOAD(s, t, c) - M_LOAD(s, c));\n"
    "}\n";

static const char level_pipeline[] =
    "{ \"cornerturn\": 1, \"stages\": [\"mine/level.json\"], \"nodes\": {\n"
    "  \"in\": { \"stage\": \"source.raw\", \"file\": \"level.raw\", \"dims\": \"STC\",\n"
    "    \"type\": \"f32\", \"sizes\": { \"S\": 3, \"T\": 7, \"C\": 5 } },\n"
    "  \"level\": { \"stage\": \"level\", \"input\": \"in\" },\n"
    "  \"y\": { \"stage\": \"sink.raw\", \"input\": \"level\", \"file\": \"leveled.raw\",\n"
    "    \"layout\": \"STC\" } }, \"block\": { \"T\": 7 } }\n";

static const char pipeline[] =
    "{ \"cornerturn\": 1, \"stages\": [\"mine/power.json\"], \"nodes\": {\n"
    "  \"in\": { \"stage\": \"source.raw\", \"file\": \"x.raw\", \"dims\": \"SPTC\", \"type\": "
    "\"ci8\",\n"
    "    \"sizes\": { \"S\": 2, \"P\": 3, \"T\": 65, \"C\": 77 }, \"sample_time_s\": 0.5,\n"
    "    \"frequency_hz\": [%s], \"channel_width_hz\": 2.0 },\n"
    "  \"pow\": { \"stage\": \"power\", \"input\": \"in\", \"sum\": 5, \"mean\": 7,\n"
    "           \"gains\": \"g.npy\" },\n"
    "  \"y\": { \"stage\": \"sink.raw\", \"input\": \"pow\", \"file\": \"y.raw\", \"layout\": "
    "\"STC\" },\n"
    "  \"z\": { \"stage\": \"sink.raw\", \"input\": \"pow.Z\", \"file\": \"z.raw\", \"layout\": "
    "\"ST\" } },\n"
    "  \"block\": { \"T\": %d } }\n";

typedef struct trial {
    char folder[64];
    int8_t x[S][P][T][C][2];
    float gain[S][C];
    float y[S][T_OUT][C_OUT], z[S][T_OUT];
} trial;

static void put(const trial *t, const char *name, const void *bytes, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", t->folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void get(const trial *t, const char *name, void *bytes, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", t->folder, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, size, file), size);
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
}

static void put_gains(const trial *t)
{
    char bytes[128 + sizeof t->gain];
    memcpy(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
    memset(bytes + 10, ' ', 118);
    snprintf(bytes + 10, 118, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", S,
             C);
    bytes[10 + strlen(bytes + 10)] = ' ';
    bytes[127] = '\n';
    memcpy(bytes + 128, t->gain, sizeof t->gain);
    put(t, "g.npy", bytes, sizeof bytes);
}

static int setup(void **state)
{
    static trial t = {.folder = "/tmp/own_stage_XXXXXX"};
    char path[128];
    assert_non_null(mkdtemp(t.folder));
    snprintf(path, sizeof path, "%s/mine", t.folder);
    char command[160];
    snprintf(command, sizeof command, "mkdir %s", path);
    assert_int_equal(system(command), 0);
    int8_t *x = &t.x[0][0][0][0][0];
    for (size_t i = 0; i < sizeof t.x; i++)
        x[i] = (int8_t)(i * 37 % 251 - 125);
    for (int i = 0; i < S * C; i++)
        (&t.gain[0][0])[i] = (float)(i % 13) / 8;
    put(&t, "mine/power.json", page, strlen(page));
    put(&t, "mine/power.cl", kernel_text, strlen(kernel_text));
    put(&t, "mine/square.cl", square, strlen(square));
    put(&t, "x.raw", t.x, sizeof t.x);
    put_gains(&t);
    *state = &t;
    return 0;
}

static int teardown(void **state)
{
    const trial *t = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", t->folder);
    return system(command);
}

/* ---- in C */

static double power_at(const trial *t, int s, int sample, int c)
{
    double sum = 0;
    if (sample < 0) return 0;
    for (int p = 0; p < P; p++)
        for (int part = 0; part < 2; part++)
            sum += (double)t->x[s][p][sample][c][part] * t->x[s][p][sample][c][part];
    return sum * t->gain[s][c];
}

static double expected(const trial *t, int s, int out, int group)
{
    double sum = 0;
    for (int k = -2; k < SUM; k++)
        for (int c = 0; c < MEAN; c++)
            sum += power_at(t, s, out * SUM + k, group * MEAN + c);
    return sum / MEAN;
}

/* ---- the run */

static void print_pipeline(char text[4096], int block)
{
    char frequencies[1024] = "";
    size_t length = 0;
    for (int c = 0; c < C; c++)
        length += (size_t)snprintf(frequencies + length, sizeof frequencies - length, "%s%d",
                                   c ? ", " : "", 100 + 2 * c);
    snprintf(text, 4096, pipeline, frequencies, block);
}

static void run(const trial *t, const char *text, ct_context *context)
{
    char name[128];
    ct_error err = {0};
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    ct_run *run = NULL;
    ct_device *device = one_device(&err);
    ct_status status = device ? CT_OK : CT_NO_DEVICE;
    snprintf(name, sizeof name, "%s/p.json", t->folder);
    if (status == CT_OK) status = ct_graph_parse(&graph, context, text, name, NULL, &err);
    if (status == CT_OK) status = ct_plan_default(&plan, graph, device, &err);
    if (status == CT_OK) status = ct_run_new(&run, plan, device, &err);
    while (status == CT_OK)
        status = ct_run_block(run, &err);
    if (status == CT_EOF) status = ct_run_finish(run, &err);
    if (status != CT_OK) fail_msg("%s", err.text);
    ct_run_free(run);
    ct_plan_free(plan);
    ct_graph_free(graph);
}

static void test_values(void **state)
{
    trial *t = *state;
    static const int blocks[] = {65, 5, 30};
    ct_context *context;
    float first[S][T_OUT][C_OUT];
    assert_int_equal(ct_context_open(&context, NULL), CT_OK);
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
        char text[4096];
        print_pipeline(text, blocks[b]);
        run(t, text, context);
        get(t, "y.raw", t->y, sizeof t->y);
        get(t, "z.raw", t->z, sizeof t->z);
        if (b == 0) memcpy(first, t->y, sizeof first);
        assert_memory_equal(first, t->y, sizeof first);
        for (int s = 0; s < S; s++)
            for (int out = 0; out < T_OUT; out++) {
                for (int c = 0; c < C_OUT; c++)
                    if (fabs(t->y[s][out][c] - expected(t, s, out, c)) >
                        1e-5 * expected(t, s, out, c))
                        fail_msg("block %d: Y[%d][%d][%d] is %g, expected %g", blocks[b], s, out, c,
                                 (double)t->y[s][out][c], expected(t, s, out, c));
                assert_int_equal((int)t->z[s][out], t->x[s][0][out * SUM][1][0]);
            }
    }
    ct_context_free(context);
}

/* The means of the samples and channels that each output stands for; of the band where it has no
 * channels. */
static void test_descriptions(void **state)
{
    const trial *t = *state;
    char text[4096], name[128];
    ct_error err = {0};
    ct_context *context;
    ct_graph *graph;
    assert_int_equal(ct_context_open(&context, NULL), CT_OK);
    print_pipeline(text, 65);
    snprintf(name, sizeof name, "%s/p.json", t->folder);
    if (ct_graph_parse(&graph, context, text, name, NULL, &err) != CT_OK) fail_msg("%s", err.text);
    const ct_step *step = ct_graph_step_at(graph, 1);
    const ct_meta *y = &ct_step_array(step, "Y")->meta, *z = &ct_step_array(step, "Z")->meta;
    assert_float_equal(y->sample_time_s, 0.5 * SUM, 0);
    assert_float_equal(y->start_s, 0.5 * SUM / 2, 1e-12);
    assert_int_equal(y->total, T_OUT);
    assert_int_equal(y->frequencies, C_OUT);
    assert_float_equal(y->channel_width_hz, 2.0 * MEAN, 0);
    for (int c = 0; c < C_OUT; c++)
        assert_float_equal(y->frequency_hz[c], 100.0 + 2.0 * (c * MEAN + 3), 1e-9);
    assert_int_equal(z->frequencies, 1);
    assert_float_equal(z->frequency_hz[0], 100.0 + (C - 1), 1e-9);
    assert_float_equal(z->channel_width_hz, 2.0 * C, 0);
    ct_graph_free(graph);
    ct_context_free(context);
}

static void test_launches(void **state)
{
    const trial *t = *state;
    ct_context *context;
    float x[3][7][5], y[3][7][5];
    for (int i = 0; i < 3 * 7 * 5; i++)
        (&x[0][0][0])[i] = (float)(i * 37 % 64);
    put(t, "level.raw", x, sizeof x);
    put(t, "mine/level.json", level_page, strlen(level_page));
    put(t, "mine/level.cl", level_text, strlen(level_text));
    assert_int_equal(ct_context_open(&context, NULL), CT_OK);
    run(t, level_pipeline, context);
    ct_context_free(context);
    get(t, "leveled.raw", y, sizeof y);
    for (int s = 0; s < 3; s++)
        for (int c = 0; c < 5; c++) {
            double mean = 0;
            for (int k = 0; k < 7; k++)
                mean += x[s][k][c] / 7.0;
            for (int k = 0; k < 7; k++)
                assert_float_equal(y[s][k][c], x[s][k][c] - mean, 1e-4);
        }
}

static ct_status load(const trial *t, ct_context *context, const char *from, const char *to,
                      ct_graph **graph, ct_error *err)
{
    char text[4096], name[128];
    print_pipeline(text, 65);
    char *at = strstr(text, from);
    memmove(at + strlen(to), at + strlen(from), strlen(at + strlen(from)) + 1);
    memcpy(at, to, strlen(to));
    snprintf(name, sizeof name, "%s/p.json", t->folder);
    return ct_graph_parse(graph, context, text, name, NULL, err);
}

/* A plan serves the files that it was made for, and what they say is nobody's output. */
static void test_changed_files(void **state)
{
    const trial *t = *state;
    char *plan_text, changed[sizeof kernel_text];
    ct_error err = {0};
    ct_context *context;
    ct_graph *graph;
    ct_plan *plan;
    assert_int_equal(ct_context_open(&context, NULL), CT_OK);
    assert_int_equal(load(t, context, "", "", &graph, &err), CT_OK);
    assert_int_equal(ct_plan_default(&plan, graph, NULL, &err), CT_OK);
    assert_int_equal(ct_plan_print(&plan_text, plan, &err), CT_OK);
    ct_plan_free(plan);
    assert_int_equal(ct_plan_parse(&plan, graph, plan_text, "plan", NULL, &err), CT_OK);
    ct_plan_free(plan);
    ct_graph_free(graph);
    memcpy(changed, kernel_text, sizeof changed);
    *strstr(changed, "0.0f") = '1';
    put(t, "mine/power.cl", changed, strlen(changed));
    assert_int_equal(load(t, context, "", "", &graph, &err), CT_OK);
    assert_int_equal(ct_plan_parse(&plan, graph, plan_text, "plan", NULL, &err), CT_INVALID);
    if (!strstr(err.text, "its files have changed since (") || !strstr(err.text, "/mine/square.cl"))
        fail_msg("%s", err.text);
    put(t, "mine/power.cl", kernel_text, strlen(kernel_text));
    free(plan_text);
    ct_graph_free(graph);
    err = (ct_error){0};
    assert_int_equal(load(t, context, "y.raw", "mine/square.cl", &graph, &err), CT_INVALID);
    if (!strstr(err.text, "but a stage of the pipeline is in")) fail_msg("%s", err.text);
    ct_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values), cmocka_unit_test(test_descriptions),
        cmocka_unit_test(test_launches), cmocka_unit_test(test_changed_files)};
    return cmocka_run_group_tests(tests, setup, teardown);
}

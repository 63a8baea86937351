/* table_stages_test.c: tables of the library's own stages in a run: of fused ones, of those that
 * cannot change, and with a journal. */
#include "caller.h"
#include "cornerturn_stage.h"

enum { SAMPLES = 64 };

static float data[SAMPLES * 2 * 2 * 2 * 2]; /* cf32 of two stations, polarizations, channels */

#define GEOMETRY                                                                                   \
    "\"positions\": [[0, 0, 0], [31, -7, 0.5]], \"directions\": [[0, 90], [40, 60], [200, 35]]"
#define SOURCE                                                                                     \
    "{\"cornerturn\": 1, \"block\": {\"T\": 16}, \"nodes\": {"                                     \
    "\"in\": {\"stage\": \"source.caller\", \"dims\": \"TSPC\", \"type\": \"cf32\", "              \
    "\"sizes\": {\"S\": 2, \"P\": 2, \"C\": 2}, \"sample_time_s\": 1e-5, "                         \
    "\"frequency_hz\": [150e6, 151e6]},"

static const char fused[] =
    SOURCE "\"beams\": {\"stage\": \"beamformer\", \"input\": \"in\", " GEOMETRY "},"
           "\"power\": {\"stage\": \"detect\", \"input\": \"beams\", \"stokes\": \"I\", "
           "\"integrate\": 4, \"fuse\": true},"
           "\"out\": {\"stage\": \"sink.caller\", \"input\": \"power\"}}}";

/* New weights by the name that the pipeline gives the beam former, which this plan does not have.
 */
static void fused_stages_have_the_other_ones_tables(void **state)
{
    enum { BEAMS = 3, SPECTRUM = BEAMS * 2, SPECTRA = SAMPLES / 4 };
    contract c;
    const ct_array *table = NULL;
    float out[SPECTRA * SPECTRUM], twice[2 * 2 * BEAMS * 2];
    ct_error err = {0};
    caller_samples from = {.data = (const char *)data, .count = SAMPLES};
    caller_samples to = {.taken = (char *)out, .count = SPECTRA};
    (void)state;
    contract_open(&c, fused);
    assert_int_equal(ct_plan_find(&table, c.plan, "beams.Y", &err), CT_USAGE);
    assert_string_equal(err.text,
                        "\"beams.Y\": this plan has fused \"beams\" into \"power\", and of "
                        "its arrays only tables and what the first of them reads are left");
    contract_must(ct_plan_find(&table, c.plan, "beams.W", &err), &err);
    ct_array fill = *table;
    fill.data = twice;
    assert_true(ct_array_dense(&fill, NULL));
    assert_int_equal(ct_array_count(&fill) * 2, sizeof twice / sizeof *twice);
    for (size_t i = 0; i < sizeof twice / sizeof *twice; i++)
        twice[i] = i % 2 ? 0 : 2;
    caller_bind(c.run, "in", &from);
    caller_bind(c.run, "out", &to);
    contract_must(ct_run_block(c.run, &err), &err);
    contract_must(ct_run_table(c.run, "beams", "W", &fill, &err), &err);
    caller_run(c.run);
    assert_int_equal(to.at, SPECTRA);
    /* The first quarter has beams that differ; then all three are |2 sum|^2 of the same samples. */
    assert_true(out[0] != out[2]);
    for (int t = SPECTRA / 4; t < SPECTRA; t++)
        for (int b = 1; b < BEAMS; b++)
            assert_memory_equal(&out[t * SPECTRUM], &out[t * SPECTRUM + 2 * b], 2 * sizeof *out);
    double power = 0;
    for (int t = 16; t < 20; t++)
        for (int p = 0; p < 2; p++)
            for (int part = 0; part < 2; part++) {
                const double sum = data[t * 16 + p * 4 + part] + data[t * 16 + 8 + p * 4 + part];
                power += 4 * sum * sum;
            }
    assert_float_equal(out[SPECTRA / 4 * SPECTRUM], (float)power, (float)power * 1e-5f);
    contract_close(&c);
}

static const char shifted[] =
    "{\"cornerturn\": 1, \"block\": {\"T\": 64}, \"nodes\": {"
    "\"in\": {\"stage\": \"source.caller\", \"dims\": \"TC\", \"type\": \"f32\", \"sizes\": "
    "{\"C\": "
    "2}, \"sample_time_s\": 1e-3, \"frequency_hz\": [150e6, 151e6]},"
    "\"dd\": {\"stage\": \"dedisp\", \"input\": \"in\", \"dm\": {\"start\": 1}},"
    "\"out\": {\"stage\": \"sink.caller\", \"input\": \"dd\"}}}";

/* Shifts are where the kernel reads: others could lie beyond the block. */
static void shifts_stay(void **state)
{
    contract c;
    const ct_array *table = NULL;
    int32_t shifts[2] = {1 << 20, 1 << 20};
    ct_error err = {0};
    (void)state;
    contract_open(&c, shifted);
    contract_must(ct_plan_find(&table, c.plan, "dd.SHIFT", &err), &err);
    ct_array fill = *table;
    fill.data = shifts;
    assert_int_equal(ct_run_table(c.run, "dd", "SHIFT", &fill, &err), CT_USAGE);
    assert_string_equal(err.text,
                        "table SHIFT of node \"dd\" cannot change: it says where the kernel "
                        "reads");
    contract_close(&c);
}

static void put(const contract *c, const char *file, const char *text)
{
    char path[320];
    snprintf(path, sizeof path, "%s/%s", c->folder, file);
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    fputs(text, to);
    assert_int_equal(fclose(to), 0);
}

/* A page of JSON says it as well. */
static void pages_fix_tables(void **state)
{
    contract c;
    char path[320];
    ct_error err = {0};
    (void)state;
    contract_open(&c, shifted);
    put(&c, "take.cl", "kernel void take(CT_ARGS) { Y_SAVE(ID_T, ID_C, X(ID_T, I(ID_C))); }\n");
    put(&c, "take.json",
        "{\"cornerturn\": 1, \"stage\": \"take\", \"summary\": \"channels in another order\", "
        "\"source\": \"take.cl\", \"entry\": \"take\", \"ports\": {"
        "\"X\": {\"is\": \"in\", \"dims\": \"TC\", \"types\": \"f32\"}, "
        "\"I\": {\"is\": \"table\", \"dims\": \"C\", \"types\": \"i32\", \"from\": \"order\", "
        "\"fixed\": true}, "
        "\"Y\": {\"is\": \"out\", \"dims\": \"TC\", \"types\": \"f32\"}}, "
        "\"params\": {\"order\": {\"kind\": \"file\", \"needed\": true}}, "
        "\"parallel\": \"C, T\"}");
    snprintf(path, sizeof path, "%s/take.json", c.folder);
    contract_must(ct_context_add_file(c.context, path, &err), &err);
    const ct_stage *take = ct_context_stage(c.context, "take");
    assert_non_null(take);
    assert_int_equal(take->ports[1].flags, CT_PORT_FIXED);
    assert_int_equal(take->ports[0].flags, 0);
    contract_close(&c);
}

/* A journal does not have what tables become, whichever comes first. */
static void journals_and_tables(void **state)
{
    contract c;
    const ct_array *table = NULL;
    ct_error err = {0};
    float taps[2 * 3 * 4] = {0};
    (void)state;
    contract_open(&c, CONTRACT_PIPELINE);
    contract_must(ct_plan_find(&table, c.plan, "fir.W", &err), &err);
    ct_array fill = *table;
    fill.data = taps;
    assert_true(ct_array_dense(&fill, NULL));
    contract_must(ct_run_table(c.run, "fir", "W", &fill, &err), &err);
    assert_int_equal(ct_run_resume(c.run, 0, NULL, &err), CT_USAGE);
    assert_string_equal(err.text,
                        "ct_run_resume: ct_run_table has changed what a journal does not have");
    ct_run_free(c.run);
    err = (ct_error){0};
    contract_must(ct_run_new(&c.run, c.plan, c.device, &err), &err);
    contract_must(ct_run_resume(c.run, 0, NULL, &err), &err);
    assert_int_equal(ct_run_table(c.run, "fir", "W", &fill, &err), CT_USAGE);
    assert_string_equal(err.text,
                        "ct_run_table: the run keeps a journal to go on from, which does not "
                        "have what tables become");
    contract_must(ct_run_block(c.run, &(ct_error){0}), &err);
    contract_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fused_stages_have_the_other_ones_tables),
        cmocka_unit_test(shifts_stay),
        cmocka_unit_test(pages_fix_tables),
        cmocka_unit_test(journals_and_tables),
    };
    for (size_t i = 0; i < sizeof data / sizeof *data; i++)
        data[i] = (float)((int)(i * 37 % 101) - 50);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

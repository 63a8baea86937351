/* bench_test.c: the workloads are right, peers are timed, the search finds what is faster, and the
 * measurements add up. */
#include "coordinate_descent.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "device.h"
#include "layout.h"
#include "peer_process.h"
#include "workload.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct bench_fixture {
    ct_context *context;
    ct_device *device;
} bench_fixture;

/* Every workload of the list makes a step whose tunables are legal. */
static void workloads_make_steps(void **state)
{
    const bench_fixture *fixture = *state;
    for (int i = 0; ct_workload_at(i) != NULL; i++) {
        const ct_workload *work = ct_workload_at(i);
        ct_step *step = NULL;
        ct_value *given = NULL;
        ct_error err = {0};
        if (ct_context_stage(fixture->context, work->stage) == NULL) continue;
        const ct_device gpu = {.gpu = true};
        const ct_device *const devices[] = {fixture->device, NULL, &gpu};
        for (int n = 0; n < 3; n++) {
            if (ct_workload_step(&step, &given, fixture->context, work, devices[n], &err) != CT_OK)
                fail_msg("%s %s: %s", work->size, work->name, err.text);
            assert_true(ct_step_is_legal(step));
            assert_true(step->port[0].layout.rank > 0);
            ct_step_free(step);
            ct_value_free(given);
        }
    }
}

/* ---------------------------------------------------------------- odd twins */

static bool share_a_factor(int64_t a, int64_t b)
{
    for (int64_t d = 2; d <= a; d++)
        if (a % d == 0 && b % d == 0) return true;
    return false;
}

static int64_t extent_of(const ct_workload_counted *of, char dim)
{
    const char key[] = {dim, '=', '\0'};
    return strtoll(strstr(of->extents, key) + 2, NULL, 10);
}

/* Odd where the count is free, without a common factor, and a step of its own. */
static void odd_twins_make_steps(void **state)
{
    const bench_fixture *fixture = *state;
    static const char dims[] = "SBFCDT";
    for (int i = 0; ct_workload_at(i) != NULL; i++) {
        ct_workload_counted twin, usual;
        ct_step *step = NULL;
        ct_value *given = NULL;
        ct_error err = {0};
        char size[32];
        snprintf(size, sizeof size, "%s-odd", ct_workload_at(i)->size);
        if (ct_context_stage(fixture->context, ct_workload_at(i)->stage) == NULL) continue;
        assert_true(ct_workload_is(ct_workload_at(i), size, NULL));
        ct_workload_twin(&twin, ct_workload_at(i), size);
        ct_workload_copy(&usual, ct_workload_at(i));
        if (ct_workload_step(&step, &given, fixture->context, &twin.work, fixture->device, &err))
            fail_msg("%s %s: %s", size, twin.work.name, err.text);
        assert_true(ct_step_is_legal(step));
        assert_int_equal(extent_of(&twin, 'T') % step->grain, 0);
        const bool transforms = strcmp(twin.work.stage, "fir") == 0 ||
                                strcmp(twin.work.stage, "fft") == 0 ||
                                strcmp(twin.work.stage, "ppf") == 0;
        for (const char *a = dims; *a != '\0'; a++) {
            const int64_t count = ct_workload_count(&twin, *a);
            if (count == ct_workload_count(&usual, *a)) continue;
            assert_int_equal(count % 2, 1);
            for (const char *b = a + 1; *b != '\0'; b++)
                if (!(transforms && *b == 'C') && ct_workload_count(&twin, *b) > 0 &&
                    share_a_factor(count, ct_workload_count(&twin, *b)))
                    fail_msg("%s %s: %c and %c", size, twin.work.name, *a, *b);
        }
        assert_int_not_equal(ct_workload_count(&twin, 'T'), ct_workload_count(&usual, 'T'));
        ct_step_free(step);
        ct_value_free(given);
    }
}

/* As a pipeline brings them: what is judged together is whole. */
static void workloads_have_whole_windows(void **state)
{
    const bench_fixture *fixture = *state;
    for (int i = 0; ct_workload_at(i) != NULL; i++) {
        ct_workload_counted usual;
        ct_step *step = NULL;
        ct_value *given = NULL;
        ct_workload_copy(&usual, ct_workload_at(i));
        if (!ct_context_stage(fixture->context, usual.work.stage)) continue;
        assert_int_equal(
            ct_workload_step(&step, &given, fixture->context, &usual.work, fixture->device, NULL),
            CT_OK);
        assert_int_equal(extent_of(&usual, 'T') % step->grain, 0);
        ct_step_free(step);
        ct_value_free(given);
    }
}

static const ct_workload *find_workload(const char *size, const char *name)
{
    for (int i = 0; ct_workload_at(i) != NULL; i++)
        if (ct_workload_is(ct_workload_at(i), size, name)) return ct_workload_at(i);
    fail_msg("no %s in %s", name, size);
    return NULL;
}

static void counts_change_what_they_name(void **state)
{
    (void)state;
    ct_workload_counted counted;
    ct_workload_twin(&counted, find_workload("thesis", "beamformer"), "thesis-odd");
    assert_string_equal(counted.work.extents, "S=63 P=2 T=509 C=257");
    assert_int_equal(counted.work.beams, 101);
    ct_workload_twin(&counted, find_workload("thesis", "fir"), "thesis-odd");
    assert_string_equal(counted.work.extents, "S=63 P=2 T=130304");
    ct_workload_copy(&counted, find_workload("thesis", "fir"));
    ct_workload_set_count(&counted, 'C', 61);
    assert_string_equal(counted.work.extents, "S=64 P=2 T=31232");
    assert_string_equal(counted.work.params, "{\"channels\": 61, \"taps\": 8}");
    ct_workload_copy(&counted, find_workload("thesis", "dedisp-apertif"));
    ct_workload_set_count(&counted, 'D', 3);
    assert_non_null(strstr(counted.work.params, "\"count\": 3}"));
}

/* Flags accompany the data in every run, whether anything is flagged or not. */
static void flags_are_connected_as_in_pipelines(void **state)
{
    const bench_fixture *fixture = *state;
    static const struct {
        const char *name, *port;
        bool connected;
    } rows[] = {{"correlator-i8", "M", true}, {"flag", "M", true},    {"delay", "F", false},
                {"beamformer", "M", false},   {"detect", "M", false}, {"dedisp-lofar", "M", false},
                {"pulses", "M", true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ct_step *step = NULL;
        ct_value *given = NULL;
        ct_error err = {0};
        const ct_workload *work = find_workload("thesis", rows[i].name);
        if (ct_workload_step(&step, &given, fixture->context, work, fixture->device, &err))
            fail_msg("%s: %s", rows[i].name, err.text);
        const ct_array *flags = &step->port[ct_step_find_port(step, rows[i].port)];
        if ((flags->type != CT_NONE) != rows[i].connected)
            fail_msg("%s: %s", rows[i].name, rows[i].connected ? "no flags" : "flags");
        if (rows[i].connected)
            assert_int_equal(ct_array_extent(flags, 'T') % ct_array_extent(&step->port[0], 'T'), 0);
        ct_step_free(step);
        ct_value_free(given);
    }
}

static void unknown_names_are_said(void **state)
{
    (void)state;
    ct_error err = {0};
    assert_int_equal(ct_workload_check("thesis", "fir", &err), CT_OK);
    assert_int_equal(ct_workload_check("thesis", "correlator-i8", &err), CT_OK);
    assert_int_equal(ct_workload_check("thesis", NULL, &err), CT_OK);
    assert_int_equal(ct_workload_check("tesis", "fir", &err), CT_USAGE);
    assert_non_null(strstr(err.text, "did you mean \"thesis\"?"));
    err = (ct_error){0};
    assert_int_equal(ct_workload_check("small", "correlater", &err), CT_USAGE);
    assert_non_null(strstr(err.text, "found \"correlater\"; did you mean \"correlator\"?"));
}

/* ---------------------------------------------------------------- peers */

static void script(char *name, const char *text)
{
    snprintf(name, 64, "/tmp/ct_peer_XXXXXX");
    int handle = mkstemp(name);
    assert_true(handle >= 0);
    assert_int_equal(write(handle, text, strlen(text)), (ssize_t)strlen(text));
    close(handle);
    chmod(name, 0700);
}

static void peers_are_heard(void **state)
{
    (void)state;
    char name[64], command[128];
    ct_peer *peer = NULL;
    ct_error err = {0};
    script(name, "#!/bin/sh\n"
                 "echo \"{\\\"peer\\\": \\\"$1\\\", \\\"flops\\\": 12}\"\n"
                 "n=0; while read word; do n=$((n + 1)); echo 0.00$n; done\n");
    snprintf(command, sizeof command, "%s twice", name);
    if (ct_peer_start(&peer, command, &err) != CT_OK) fail_msg("%s", err.text);
    assert_string_equal(ct_value_text(ct_value_get(ct_peer_about(peer), "peer"), ""), "twice");
    ct_timed timed = ct_peer_timed(peer);
    for (int i = 1; i < 4; i++) {
        double seconds = 0;
        assert_int_equal(timed.run(timed.of, &seconds, &err), CT_OK);
        assert_float_equal(seconds, 0.001 * i, 1e-9);
    }
    ct_peer_stop(peer);
    unlink(name);
}

static void silent_peers_are_an_error(void **state)
{
    (void)state;
    char name[64];
    ct_peer *peer = NULL;
    ct_error err = {0};
    assert_int_equal(ct_peer_start(&peer, "/no/such/peer", &err), CT_FAILED);
    assert_null(peer);
    assert_int_equal(ct_peer_start(&peer, "", &err), CT_FAILED);
    script(name, "#!/bin/sh\nexit 1\n");
    assert_int_equal(ct_peer_start(&peer, name, &err), CT_FAILED);
    script(name, "#!/bin/sh\necho '{}'\nread word\n");
    assert_int_equal(ct_peer_start(&peer, name, &err), CT_OK);
    ct_timed timed = ct_peer_timed(peer);
    double seconds;
    assert_int_equal(timed.run(timed.of, &seconds, &err), CT_FAILED);
    assert_int_equal(timed.run(timed.of, &seconds, &err), CT_FAILED);
    ct_peer_stop(peer);
    unlink(name);
}

/* ---------------------------------------------------------------- search */

static const ct_tunable slow_tunables[] = {
    {"LOOPS", "9000 3000 100 6000", "9000", "9000", "how often the work is done again"},
    {"TRAP", "1 0", "1", "1", "0 does not build"},
    {"WRONG", "0 1 2", "0", "0", "1 writes nothing, 2 writes something else"},
    {0}};

static const ct_stage slow_stage = {
    .api = CT_API,
    .version = 1,
    .name = "slow",
    .ports = {{"X", CT_IN, 0, "T", "f32", "*", NULL, ""},
              {"Y", CT_OUT, 0, "T", "f32", "*", NULL, ""}},
    .tuning = {.tunables = slow_tunables, .where = "LOOPS != 6000"},
    .kernel = {.text =
                   "#if !TRAP\n#error a trap\n#endif\n"
                   "kernel void slow(CT_ARGS)\n{\n"
                   "    float sum = X(ID_T);\n"
                   "    if (WRONG == 0) for (int i = 0; i < LOOPS; i++) sum = sum * 0.5f + 1.0f;\n"
                   "    if (WRONG != 1) Y(ID_T) = sum;\n}\n",
               .name = "slow.cl",
               .entry = "slow",
               .parallel = "T"},
};

static void the_search_finds_the_fastest(void **state)
{
    const bench_fixture *fixture = *state;
    ct_step *step = NULL;
    ct_buffer_pool pool = {0};
    ct_error err = {0};
    ct_layout layout = {.rank = 1, .dim = "T"};
    assert_int_equal(ct_step_new(&step, &slow_stage, "slow", NULL, NULL, NULL, &err), CT_OK);
    ct_step_set_device(step, fixture->device);
    step->port[0].type = CT_F32;
    ct_array_add(&step->port[0], 'T', 4096);
    assert_int_equal(ct_step_infer(step, &err), CT_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(ct_step_set_layout(step, i, &layout, &err), CT_OK);
    ct_step_default_tunables(step);
    assert_int_equal(ct_step_tunable(step, "LOOPS"), 9000);
    if (ct_coordinate_descent_run(step, fixture->device, &pool, 30.0, &err) != CT_OK)
        fail_msg("%s", err.text);
    assert_int_equal(ct_step_tunable(step, "LOOPS"), 100);
    assert_int_equal(ct_step_tunable(step, "TRAP"), 1);
    assert_int_equal(ct_step_tunable(step, "WRONG"), 0);
    ct_timed_step_pool_free(&pool);
    ct_step_free(step);
}

/* ---------------------------------------------------------------- the whole */

static void check_time(const ct_value *time)
{
    assert_true(ct_value_real(ct_value_get(time, "seconds"), 0) > 0);
    assert_true(ct_value_real(ct_value_get(time, "of_copy"), 0) > 0);
}

static void the_measurements_add_up(void **state)
{
    const bench_fixture *fixture = *state;
    static const char peer[] =
        "#!/bin/sh\necho '{\"peer\": \"sham\", \"flops\": 2, \"bytes\": 8}'\n"
        "while read word; do echo 0.25; done\n";
    char name[64], option[128], *json = NULL;
    ct_error err = {0};
    ct_value *measured = NULL;
    script(name, peer);
    snprintf(option, sizeof option, "detect=%s", name);
    const char *peers[] = {option, "fir=/never/started", NULL};
    const ct_bench bench = {
        .size = sizeof bench, .stage = "detect", .scale = "small", .peers = peers, .rounds = 1};
    if (ct_tune_bench(&json, fixture->context, fixture->device, &bench, &err) != CT_OK)
        fail_msg("%s", err.text);
    assert_int_equal(ct_value_parse(&measured, json, "bench", &err), CT_OK);
    const ct_value *stages = ct_value_get(measured, "stages"), *stage = ct_value_at(stages, 0);
    assert_int_equal(ct_value_count(stages), 1);
    check_time(ct_value_get(stage, "default"));
    check_time(ct_value_get(stage, "best"));
    const ct_value *sham = ct_value_at(ct_value_get(stage, "peers"), 0);
    assert_int_equal(ct_value_count(ct_value_get(stage, "peers")), 1);
    double ours = ct_value_real(ct_value_get(ct_value_get(stage, "default"), "seconds"), 0);
    assert_float_equal(ct_value_real(ct_value_get(sham, "over_default"), 0) * ours / 0.25, 1, 1e-3);
    ct_value_free(measured);
    free(json);
    unlink(name);
}

/* Every count that is asked for, at each line's layouts, with times that are above 0. */
static void ragged_counts_are_compared(void **state)
{
    const bench_fixture *fixture = *state;
    char *json = NULL;
    ct_error err = {0};
    ct_value *measured = NULL;
    const ct_bench bench = {.size = sizeof bench,
                            .stage = "detect",
                            .scale = "small",
                            .rounds = 1,
                            .read = "BPTC",
                            .write = "BTC",
                            .ragged = "5,16-18"};
    static const char dims[] = "BBBCCC";
    static const int counts[] = {5, 17, 18, 5, 17, 18};
    if (ct_tune_bench(&json, fixture->context, fixture->device, &bench, &err) != CT_OK)
        fail_msg("%s", err.text);
    assert_int_equal(ct_value_parse(&measured, json, "bench", &err), CT_OK);
    const ct_value *list = ct_value_get(measured, "ragged");
    assert_int_equal(ct_value_count(list), 6);
    for (size_t i = 0; i < 6; i++) {
        const ct_value *row = ct_value_at(list, i);
        const double seconds = ct_value_real(ct_value_get(row, "seconds"), 0);
        const double line = ct_value_real(ct_value_get(row, "line"), 0);
        assert_int_equal(ct_value_text(ct_value_get(row, "dim"), "")[0], dims[i]);
        assert_int_equal(ct_value_int(ct_value_get(row, "count"), 0), counts[i]);
        assert_true(seconds > 0 && line > 0);
        assert_float_equal(ct_value_real(ct_value_get(row, "over"), 0) * line / seconds, 1, 1e-3);
    }
    ct_value_free(measured);
    free(json);
}

static int open_fixture(void **state)
{
    static bench_fixture fixture;
    ct_error err = {0};
    if (ct_device_open(&fixture.device, NULL, &err) != CT_OK) {
        print_message("%s\n", err.text);
        exit(77);
    }
    *state = &fixture;
    return ct_context_open(&fixture.context, &err) != CT_OK;
}

static int close_fixture(void **state)
{
    bench_fixture *fixture = *state;
    ct_context_free(fixture->context);
    ct_device_free(fixture->device);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(workloads_make_steps),
                                       cmocka_unit_test(odd_twins_make_steps),
                                       cmocka_unit_test(workloads_have_whole_windows),
                                       cmocka_unit_test(counts_change_what_they_name),
                                       cmocka_unit_test(flags_are_connected_as_in_pipelines),
                                       cmocka_unit_test(ragged_counts_are_compared),
                                       cmocka_unit_test(unknown_names_are_said),
                                       cmocka_unit_test(peers_are_heard),
                                       cmocka_unit_test(silent_peers_are_an_error),
                                       cmocka_unit_test(the_search_finds_the_fastest),
                                       cmocka_unit_test(the_measurements_add_up)};
    return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}

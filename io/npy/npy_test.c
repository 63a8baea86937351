/* npy_test.c: .npy and raw files through sink and source, every order on both sides. */
#include "io_trial.h"
#include "npy.h"
#include "numbers.h"
#include <math.h>
#include <signal.h>
#include <sys/resource.h>

extern const ct_stage ct_stage_source_npy, ct_stage_source_raw, ct_stage_sink_npy,
    ct_stage_sink_raw;

enum { S = 3, P = 2, T = 41, C = 5 };

static double value_of(const ct_array *array, const int64_t *index, int64_t t0)
{
    static const struct {
        char dim;
        int weight;
    } weights[] = {{'S', 1}, {'P', 3}, {'T', 7}, {'C', 11}};
    double value = 0;
    for (size_t w = 0; w < 4; w++) {
        int place = ct_array_find(array, weights[w].dim);
        if (place < 0) continue;
        int64_t at = index[place] + (weights[w].dim == 'T' ? t0 : 0);
        value += (double)(at * weights[w].weight);
    }
    return fmod(value, 120);
}

static void fill(ct_array *block, int64_t t0)
{
    int64_t index[CT_DIMS] = {0};
    do {
        double value = value_of(block, index, t0);
        ct_array_save(block, trial_at(block, index), value, -value);
    } while (trial_next(block, index));
}

static void compare(const ct_array *block, int64_t t0, int64_t got)
{
    int64_t index[CT_DIMS] = {0};
    int t = ct_array_find(block, 'T');
    do {
        ct_complex found = ct_array_load(block, trial_at(block, index));
        double expected = index[t] < got ? value_of(block, index, t0) : 0;
        assert_float_equal(found.re, expected, 0);
        assert_float_equal(found.im, ct_type_complex(block->type) ? -expected : 0, 0);
    } while (trial_next(block, index));
}

static void set_port(ct_step *step, ct_type type, const char *order, int64_t total)
{
    ct_array *port = &step->port[0];
    ct_layout layout = {.rank = 4};
    snprintf(layout.dim, sizeof layout.dim, "%s", order);
    port->type = type;
    ct_array_add(port, 'S', S);
    ct_array_add(port, 'P', P);
    ct_array_add(port, 'T', 8);
    ct_array_add(port, 'C', C);
    ct_array_dense(port, &layout);
    static const double frequency[C] = {150e6, 150.1e6, 150.2e6, 150.3e6, 150.4e6};
    port->meta = (ct_meta){.total = total,
                           .sample_time_s = 5.12e-6,
                           .start_mjd = 59759.0625,
                           .start_s = 0.25,
                           .frequency_hz = frequency,
                           .frequencies = C,
                           .channel_width_hz = 1e5,
                           .source_name = "a \"b\"\\c\n",
                           .telescope = "LOFAR"};
}

static void write_file(const ct_stage *stage, ct_type type, const char *order, const char *memory,
                       int64_t promised, int64_t samples)
{
    trial t;
    assert_ok(trial_make(&t, stage, err, "{'file': '%s'}", trial_path("a.dat")));
    set_port(t.step, type, order, promised);
    assert_ok(stage->io.open(t.step, &t.state, err));
    for (int64_t done = 0; done < samples; done += 8) {
        int64_t count = samples - done < 8 ? samples - done : 8;
        trial_block(&t, 8 + 1, memory, 3, 2);
        fill(&t.block, done - 1);
        assert_ok(stage->io.write(t.state, &t.block, 1, count, err));
    }
    assert_ok(trial_close(&t, true, err));
    trial_free(&t);
}

static void read_file(const ct_stage *stage, ct_type type, const char *order, const char *memory,
                      int64_t samples)
{
    trial t;
    uint8_t flags[S][7];
    int64_t got;
    assert_ok(trial_make(&t, stage, err, "{'file': '%s'}", trial_path("a.dat")));
    assert_ok(ct_step_infer(t.step, err));
    assert_int_equal(t.step->port[0].type, type);
    assert_int_equal(t.step->port[0].meta.total, samples);
    assert_string_equal(t.step->port[0].layout.dim, order);
    assert_ok(stage->io.open(t.step, &t.state, err));
    for (int64_t done = 0; done < samples + 7; done += 7) {
        int64_t left = samples > done ? samples - done : 0, expected = left < 7 ? left : 7;
        trial_block(&t, 7, memory, 2, 1);
        memset(flags, 9, sizeof flags);
        assert_ok(stage->io.read(t.state, &t.block, flags[0], &got, err));
        assert_int_equal(got, expected);
        compare(&t.block, done, got);
        for (int s = 0; s < S; s++)
            for (int i = 0; i < 7; i++)
                assert_int_equal(flags[s][i], i >= got);
    }
    assert_ok(trial_close(&t, true, err));
    trial_free(&t);
}

static void every_order_round_trips(void **unused)
{
    (void)unused;
    for (int64_t file = 0; file < 24; file++)
        for (int64_t memory = 0; memory < 24; memory += 5) {
            ct_layout order = ct_layout_permutation("SPTC", file);
            ct_layout inside = ct_layout_permutation("SPTC", (file * 7 + memory) % 24);
            bool raw = memory % 2;
            write_file(raw ? &ct_stage_sink_raw : &ct_stage_sink_npy, CT_CI8, order.dim, inside.dim,
                       T, T);
            read_file(raw ? &ct_stage_source_raw : &ct_stage_source_npy, CT_CI8, order.dim,
                      inside.dim, T);
        }
}

static void every_type_round_trips(void **unused)
{
    static const ct_type types[] = {CT_CI8, CT_CI16, CT_CI32, CT_CI64, CT_CF32, CT_CF16, CT_F32,
                                    CT_F16, CT_U8,   CT_I8,   CT_U16,  CT_I16,  CT_U32,  CT_I32};
    (void)unused;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        write_file(&ct_stage_sink_npy, types[i], "SCTP", "TPSC", T, T);
        read_file(&ct_stage_source_npy, types[i], "SCTP", "TPSC", T);
    }
}

/* The stream may be shorter or longer than was foreseen, or nobody foresaw it. */
static void length_is_put_right(void **unused)
{
    static const int64_t promised[] = {T, T + 30, T - 20, 1, 5000, -1};
    (void)unused;
    for (size_t i = 0; i < sizeof promised / sizeof promised[0]; i++) {
        write_file(&ct_stage_sink_npy, CT_CF32, "SPCT", "CTSP", promised[i], T);
        read_file(&ct_stage_source_npy, CT_CF32, "SPCT", "SPCT", T);
        write_file(&ct_stage_sink_raw, CT_CF32, "CTSP", "CTSP", promised[i], T);
        read_file(&ct_stage_source_raw, CT_CF32, "CTSP", "TCSP", T);
    }
    write_file(&ct_stage_sink_npy, CT_CF32, "TSPC", "CTSP", -1, T);
    read_file(&ct_stage_source_npy, CT_CF32, "TSPC", "SPCT", T);
}

/* Rows longer than what is moved at once, onto themselves, up and down. */
static void long_rows_are_moved(void **unused)
{
    static const int64_t promised[] = {30000, 50000, -1};
    enum { ROW = 40000 };
    (void)unused;
    for (int i = 0; i < 3; i++) {
        trial t;
        size_t bytes;
        assert_ok(trial_make(&t, &ct_stage_sink_raw, err, "{'file': '%s'}", trial_path("l.raw")));
        ct_array *port = &t.step->port[0];
        port->type = CT_I32;
        ct_array_add(port, 'S', 3);
        ct_array_add(port, 'T', 10000);
        ct_array_dense(port, NULL);
        port->meta.total = promised[i];
        assert_ok(ct_stage_sink_raw.io.open(t.step, &t.state, err));
        for (int64_t t0 = 0; t0 < ROW; t0 += 10000) {
            trial_block(&t, 10000, "ST", 0, 1);
            for (int64_t k = 0; k < 30000; k++)
                ct_array_save(&t.block, k, (double)(int)(k / 10000 * ROW + t0 + k % 10000), 0);
            assert_ok(ct_stage_sink_raw.io.write(t.state, &t.block, 0, 10000, err));
        }
        assert_ok(trial_close(&t, true, err));
        uint8_t *file = trial_read(trial_path("l.raw"), &bytes);
        assert_int_equal(bytes, 3 * ROW * 4);
        for (size_t k = 0; k < 3 * ROW; k++)
            assert_int_equal(ct_numbers_get(file + 4 * k, 4), k);
        free(file);
        trial_free(&t);
    }
}

static void metadata_round_trip(void **unused)
{
    (void)unused;
    trial t;
    write_file(&ct_stage_sink_npy, CT_CI8, "SPTC", "SPTC", T, T);
    assert_ok(trial_make(&t, &ct_stage_source_npy, err, "{'file': '%s', 'telescope': 'other'}",
                         trial_path("a.dat")));
    assert_ok(ct_step_infer(t.step, err));
    const ct_meta *meta = &t.step->port[0].meta;
    assert_true(meta->sample_time_s == 5.12e-6);
    assert_true(meta->start_mjd == 59759.0625 && meta->start_s == 0.25);
    assert_int_equal(meta->frequencies, C);
    assert_true(meta->frequency_hz[1] == 150.1e6 && meta->channel_width_hz == 1e5);
    assert_string_equal(meta->source_name, "a \"b\"\\c\n");
    assert_string_equal(meta->telescope, "other");
    trial_free(&t);
}

/* Without start_s the first sample begins at the observation's start; 0 is written, too. */
static void the_first_sample_has_its_middle(void **unused)
{
    (void)unused;
    trial t;
    static const char *const says[] = {"", ", 'start_s': 0", ", 'start_s': 7.25"};
    static const double expected[] = {0.25, 0, 7.25};
    const float numbers[4] = {0};
    trial_npy(trial_path("s.npy"), "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }",
              numbers, sizeof numbers);
    for (int i = 0; i < 3; i++) {
        trial out;
        assert_ok(trial_make(&t, &ct_stage_source_npy, err,
                             "{'file': '%s', 'dims': 'T', 'sample_time_s': 0.5%s}",
                             trial_path("s.npy"), says[i]));
        assert_ok(ct_step_infer(t.step, err));
        assert_true(t.step->port[0].meta.start_s == expected[i]);
        assert_ok(trial_make(&out, &ct_stage_sink_npy, err, "{'file': '%s'}", trial_path("c.npy")));
        out.step->port[0] = t.step->port[0];
        assert_ok(ct_stage_sink_npy.io.open(out.step, &out.state, err));
        assert_ok(trial_close(&out, true, err));
        trial_free(&t);
        trial_free(&out);
        size_t bytes;
        char *text = (char *)trial_read(trial_path("c.npy.json"), &bytes), *at;
        at = strstr(text, "\"start_s\": ");
        assert_true(at && strtod(at + 11, NULL) == expected[i]);
        free(text);
    }
}

static void header_is_numpys(void **unused)
{
    (void)unused;
    char text[1024];
    const int64_t shape[] = {3, 65};
    size_t bytes = ct_npy_print(text, sizeof text, CT_CF32, 2, shape);
    assert_int_equal(bytes % 64, 0);
    assert_memory_equal(text, "\x93NUMPY\x01\x00", 8);
    assert_int_equal((uint8_t)text[8] + 256 * (uint8_t)text[9] + 10, bytes);
    const char expected[] = "{'descr': '<c8', 'fortran_order': False, 'shape': (3, 65), } ";
    assert_memory_equal(text + 10, expected, sizeof expected - 1);
    assert_int_equal(text[bytes - 1], '\n');
    assert_int_equal(ct_npy_print(text, sizeof text, CT_CI8, 1, shape), bytes);
    const char pair[] = "{'descr': '|i1', 'fortran_order': False, 'shape': (3, 2), } ";
    assert_memory_equal(text + 10, pair, sizeof pair - 1);
    ct_npy_print(text, sizeof text, CT_F32, 1, shape);
    const char one[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), } ";
    assert_memory_equal(text + 10, one, sizeof one - 1);
}

static void fails_with(const ct_stage *stage, const char *rest, ct_status status, const char *part)
{
    trial t;
    ct_error first = {0};
    ct_status made = trial_make(&t, stage, &first, "{'file': '%s'%s}", trial_path("bad.npy"), rest);
    if (made != CT_OK) fail_msg("%s", first.text);
    assert_fails(ct_step_infer(t.step, err), status, part);
    trial_free(&t);
}

static void bad_files_are_named(void **unused)
{
    (void)unused;
    const ct_stage *npy = &ct_stage_source_npy, *raw = &ct_stage_source_raw;
    const char *good = "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3), }";
    fails_with(npy, ", 'dims': 'ST'", CT_DATA, "cannot be opened");
    trial_write(trial_path("bad.npy"), "\x93NUM", 4);
    fails_with(npy, ", 'dims': 'ST'", CT_DATA, "ends before");
    trial_write(trial_path("bad.npy"), "HEADER_START_of_another", 23);
    fails_with(npy, ", 'dims': 'ST'", CT_DATA, "another kind of file");
    trial_npy(trial_path("bad.npy"), good, "12345", 5);
    fails_with(npy, ", 'dims': 'ST'", CT_DATA, "expected 6 bytes");
    trial_npy(trial_path("bad.npy"), "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }",
              "12345678", 8);
    fails_with(npy, ", 'dims': 'ST'", CT_DATA, "array.astype('float32')");
    trial_npy(trial_path("bad.npy"), "{'descr': '<c16', 'fortran_order': False, 'shape': (1, 1), }",
              "1234567812345678", 16);
    fails_with(npy, ", 'dims': 'ST', 'type': 'cf32'", CT_DATA, "array.astype('complex64')");
    trial_npy(trial_path("bad.npy"), good, "123456", 6);
    fails_with(npy, "", CT_INVALID, "expected \"dims\"");
    fails_with(npy, ", 'dims': 'SPTC'", CT_INVALID, "each of 2 axes");
    fails_with(npy, ", 'dims': 'SC'", CT_INVALID, "expected T");
    fails_with(npy, ", 'dims': 'ST', 'type': 'cf32'", CT_INVALID, "cf32");
    fails_with(npy, ", 'dims': 'TC', 'frequency_hz': [1, 2]", CT_INVALID, "each of 3 channels");
    fails_with(raw, ", 'dims': 'ST', 'type': 'ci8', 'sizes': {'S': 5}", CT_DATA,
               "whole number of samples");
    fails_with(raw, ", 'dims': 'ST', 'type': 'ci8'", CT_INVALID, "\"sizes\"");
    fails_with(raw, ", 'dims': 'ST', 'type': 'ci8', 'sizes': {'B': 5}", CT_INVALID, "\"B\"");
    trial_write(trial_path("bad.npy.json"), "{\"dim\": \"ST\"}", 13);
    fails_with(npy, ", 'dims': 'ST'", CT_DATA, "expected \"dims\"");
}

static void unwritable_files_are_named(void **unused)
{
    (void)unused;
    trial t;
    assert_ok(trial_make(&t, &ct_stage_sink_npy, err, "{'file': '/tmp/no/such/folder/x.npy'}"));
    set_port(t.step, CT_CF32, "SPTC", T);
    assert_fails(ct_stage_sink_npy.io.open(t.step, &t.state, err), CT_DATA, "No such file");
    trial_free(&t);
    assert_ok(trial_make(&t, &ct_stage_sink_npy, err, "{'file': '/dev/full'}"));
    set_port(t.step, CT_CF32, "TSPC", T);
    assert_ok(ct_stage_sink_npy.io.open(t.step, &t.state, err));
    trial_block(&t, 8, "TSPC", 0, 1);
    assert_fails(ct_stage_sink_npy.io.write(t.state, &t.block, 0, 8, err), CT_DATA,
                 "No space left");
    assert_ok(trial_close(&t, false, err));
    trial_free(&t);
}

/* A file that describes no array is not written over. */
static void other_files_are_kept(void **unused)
{
    (void)unused;
    trial t;
    trial_write(trial_path("mine.npy.json"), "{\"cornerturn\": 1}", 17);
    assert_ok(trial_make(&t, &ct_stage_sink_npy, err, "{'file': '%s'}", trial_path("mine.npy")));
    set_port(t.step, CT_CF32, "TSPC", T);
    assert_fails(ct_stage_sink_npy.io.open(t.step, &t.state, err), CT_INVALID, "mine.npy.json");
    trial_free(&t);
}

/* A disk that fills up, and a run that is given up, leave nothing. */
static void nothing_is_left(void **unused)
{
    (void)unused;
    trial t;
    struct rlimit old, little = {.rlim_cur = 4000};
    int before = trial_files();
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    little.rlim_max = old.rlim_max;
    for (int given_up = 0; given_up < 2; given_up++) {
        assert_ok(
            trial_make(&t, &ct_stage_sink_npy, err, "{'file': '%s'}", trial_path("left.npy")));
        set_port(t.step, CT_CF32, "TSPC", T);
        assert_ok(ct_stage_sink_npy.io.open(t.step, &t.state, err));
        assert_int_equal(trial_files(), before + 3); /* two files and the lock */
        trial_block(&t, 64, "TSPC", 0, 1);
        if (!given_up) setrlimit(RLIMIT_FSIZE, &little);
        if (given_up)
            assert_ok(ct_stage_sink_npy.io.write(t.state, &t.block, 0, 64, err));
        else
            assert_fails(ct_stage_sink_npy.io.write(t.state, &t.block, 0, 64, err), CT_DATA,
                         "too large");
        assert_ok(trial_close(&t, false, err));
        setrlimit(RLIMIT_FSIZE, &old);
        assert_int_equal(trial_files(), before);
        trial_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_order_round_trips),
        cmocka_unit_test(every_type_round_trips),
        cmocka_unit_test(length_is_put_right),
        cmocka_unit_test(metadata_round_trip),
        cmocka_unit_test(long_rows_are_moved),
        cmocka_unit_test(other_files_are_kept),
        cmocka_unit_test(the_first_sample_has_its_middle),
        cmocka_unit_test(header_is_numpys),
        cmocka_unit_test(bad_files_are_named),
        cmocka_unit_test(unwritable_files_are_named),
        cmocka_unit_test(nothing_is_left),
    };
    signal(SIGXFSZ, SIG_IGN);
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}

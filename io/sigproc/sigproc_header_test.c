/* sigproc_header_test.c: what a SIGPROC header says comes out again at the other end, and what a
 * file lacks is said. */
#include "io_trial.h"
#include "sigproc.h"

extern const ct_stage ct_stage_source_sigproc, ct_stage_sink_sigproc;

enum { MOST = 4096 };

static const struct {
    const char *keyword;
    double number;
} carried[] = {{"telescope_id", 64},
               {"machine_id", 7},
               {"data_type", 6},
               {"refdm", 12.5},
               {"fch1", 1500},
               {"foff", -0.5},
               {"nchans", 4},
               {"nbits", 16},
               {"signed", 1},
               {"nifs", 1},
               {"nbeams", 13},
               {"ibeam", 5},
               {"barycentric", 1},
               {"pulsarcentric", 1},
               {"az_start", 123.25},
               {"za_start", 61.5},
               {"src_raj", 0},
               {"src_dej", -4501.25},
               {"tstart", 59000.123456789},
               {"tsamp", 64e-6}};

enum { CARRIED = sizeof carried / sizeof carried[0] };

static size_t write_file(const char *path, size_t data)
{
    uint8_t file[MOST] = {0};
    ct_sigproc header = {0};
    for (size_t i = 0; i < CARRIED; i++)
        ct_sigproc_add(&header, carried[i].keyword, carried[i].number, NULL);
    const size_t bytes = ct_sigproc_print(file, MOST, &header);
    for (size_t i = 0; i < data; i++)
        file[bytes + i] = (uint8_t)(37 * i);
    trial_write(path, file, bytes + data);
    return bytes;
}

static void read_header(const char *path, ct_sigproc *header)
{
    ct_input in;
    assert_ok(ct_input_open(&in, path, err));
    assert_ok(ct_sigproc_read(header, &in, err));
    ct_input_close(&in);
}

/* Through the source and the sink, all of it in one block. */
static void copy_file(const char *from, const char *to, int64_t samples)
{
    trial in, out;
    int64_t got;
    assert_ok(trial_make(&in, &ct_stage_source_sigproc, err, "{'file': '%s'}", from));
    assert_ok(trial_make(&out, &ct_stage_sink_sigproc, err, "{'file': '%s'}", to));
    assert_ok(ct_step_infer(in.step, err));
    assert_int_equal(in.step->port[0].meta.total, samples);
    out.step->port[0] = in.step->port[0];
    assert_ok(ct_step_infer(out.step, err));
    assert_ok(ct_stage_source_sigproc.io.open(in.step, &in.state, err));
    assert_ok(ct_stage_sink_sigproc.io.open(out.step, &out.state, err));
    trial_block(&in, samples, in.step->port[0].dim, 0, 1);
    assert_ok(ct_stage_source_sigproc.io.read(in.state, &in.block, NULL, &got, err));
    assert_ok(ct_stage_sink_sigproc.io.write(out.state, &in.block, 0, got, err));
    assert_ok(trial_close(&out, true, err));
    assert_ok(ct_stage_source_sigproc.io.close(in.state, true, err));
    trial_free(&in), trial_free(&out);
}

static void keywords_survive_a_pass(void **unused)
{
    (void)unused;
    ct_sigproc copy;
    size_t bytes, again;
    const size_t head = write_file(trial_path("a.fil"), 48);
    copy_file(trial_path("a.fil"), trial_path("b.fil"), 6);
    read_header(trial_path("b.fil"), &copy);
    for (size_t i = 0; i < CARRIED; i++) {
        const ct_sigproc_entry *entry = ct_sigproc_find(&copy, carried[i].keyword);
        if (!entry || (entry->real != carried[i].number && entry->integer != carried[i].number))
            fail_msg("%s: lost or changed", carried[i].keyword);
    }
    uint8_t *a = trial_read(trial_path("a.fil"), &bytes);
    uint8_t *b = trial_read(trial_path("b.fil"), &again);
    assert_int_equal(bytes, again);
    assert_memory_equal(a + head, b + copy.data_at, 48);
    free(a), free(b);
}

static void warned(const char *path, int64_t samples, const char *expected)
{
    trial t;
    assert_ok(trial_make(&t, &ct_stage_source_sigproc, err, "{'file': '%s'}", path));
    assert_ok(ct_step_infer(t.step, err));
    assert_int_equal(t.step->port[0].meta.total, samples);
    if (!*expected) assert_string_equal(ct_step_warned(t.step), "");
    if (!strstr(ct_step_warned(t.step), expected)) fail_msg("%s", ct_step_warned(t.step));
    assert_ok(ct_step_infer(t.step, err)); /* said once, however often shapes are inferred */
    assert_null(strchr(ct_step_warned(t.step), '\n'));
    trial_free(&t);
}

/* 4 channels of 16 bits: 8 bytes a sample. */
static void a_torn_sample_is_left_out(void **unused)
{
    (void)unused;
    write_file(trial_path("t.fil"), 24);
    warned(trial_path("t.fil"), 3, "");
    write_file(trial_path("t.fil"), 31);
    warned(trial_path("t.fil"), 3, "t.fil: ends within a sample: its last 7 bytes are left out");
    copy_file(trial_path("t.fil"), trial_path("u.fil"), 3);
    warned(trial_path("u.fil"), 3, "");
}

static void series_give_their_frequency(void **unused)
{
    (void)unused;
    static const double dm = 26.75, reference_hz = 1465e6;
    trial t;
    ct_sigproc header;
    assert_ok(trial_make(&t, &ct_stage_sink_sigproc, err, "{'file': '%s'}", trial_path("s.tim")));
    ct_array *port = &t.step->port[0];
    port->type = CT_F32;
    ct_array_add(port, 'D', 1);
    ct_array_add(port, 'T', 8);
    ct_array_dense(port, NULL);
    port->meta = (ct_meta){.sample_time_s = 1e-3, .dm = &dm, .dms = 1, .channel_width_hz = 336e6};
    port->meta.frequency_hz = &reference_hz;
    port->meta.frequencies = 1;
    assert_ok(ct_step_infer(t.step, err));
    assert_ok(ct_stage_sink_sigproc.io.open(t.step, &t.state, err));
    trial_block(&t, 8, "DT", 0, 1);
    assert_ok(ct_stage_sink_sigproc.io.write(t.state, &t.block, 0, 8, err));
    assert_ok(trial_close(&t, true, err));
    trial_free(&t);
    read_header(trial_path("s.tim"), &header);
    assert_true(ct_sigproc_real(&header, "fch1", 0) == 1465);
    assert_true(ct_sigproc_real(&header, "foff", 0) == -336);
    assert_true(ct_sigproc_real(&header, "refdm", 0) == dm);
    assert_int_equal(ct_sigproc_int(&header, "data_type", 0), 2);
    assert_int_equal(ct_sigproc_int(&header, "nchans", 0), 1);
    assert_non_null(ct_sigproc_find(&header, "src_raj"));
    assert_non_null(ct_sigproc_find(&header, "src_dej"));
    copy_file(trial_path("s.tim"), trial_path("c.tim"), 8);
    read_header(trial_path("c.tim"), &header);
    assert_true(ct_sigproc_real(&header, "fch1", 0) == 1465);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keywords_survive_a_pass),
        cmocka_unit_test(a_torn_sample_is_left_out),
        cmocka_unit_test(series_give_their_frequency),
    };
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}

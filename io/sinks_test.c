/* sinks_test.c: what every sink has in common: all of its files or none, under their own names only
 * when they are whole. */
#include "io_trial.h"
#include <signal.h>
#include <sys/resource.h>

extern const ct_stage ct_stage_sink_npy, ct_stage_sink_raw, ct_stage_sink_sigproc,
    ct_stage_sink_lofar, ct_stage_sink_psrfits;

static const struct sink {
    const ct_stage *stage;
    const char *params, *dims;
    ct_type type;
    int files; /* a JSON file included */
} sinks[] = {
    {&ct_stage_sink_npy, "", "TBC", CT_F32, 2},
    {&ct_stage_sink_npy, "", "BTC", CT_CF32, 2},
    {&ct_stage_sink_raw, "", "TBC", CT_F32, 2},
    {&ct_stage_sink_sigproc, "", "TC", CT_U8, 1},
    {&ct_stage_sink_sigproc, "", "BTC", CT_F32, 5},
    {&ct_stage_sink_sigproc, "", "BDT", CT_F32, 5 * 7},
#ifdef CT_HAVE_CFITSIO
    {&ct_stage_sink_psrfits, ", 'row_samples': 300", "BTQC", CT_F32, 5},
    {&ct_stage_sink_psrfits, ", 'bits': 4", "TC", CT_F32, 1},
#endif
    {&ct_stage_sink_lofar, "", "PT", CT_CI8, 1},
    {&ct_stage_sink_lofar, ", 'lanes': 3", "SPTC", CT_CI16, 70 * 3},
};

enum { SINKS = sizeof sinks / sizeof sinks[0], T = 2000, BLOCK = 500 };

static int64_t extent_of(char dim)
{
    static const char names[] = "BCDPSTQ";
    static const int64_t extents[] = {5, 6, 7, 2, 70, BLOCK, 4};
    return extents[strchr(names, dim) - names];
}

static void begin(trial *t, const struct sink *sink, const char *path)
{
    static const double frequency[] = {1e8, 2e8, 3e8, 4e8, 5e8, 6e8};
    static const double dm[] = {1, 2, 3, 4, 5, 6, 7};
    assert_ok(trial_make(t, sink->stage, err, "{'file': '%s'%s}", path, sink->params));
    ct_array *port = &t->step->port[0];
    port->type = sink->type;
    for (const char *dim = sink->dims; *dim; dim++)
        ct_array_add(port, *dim, extent_of(*dim));
    ct_array_dense(port, NULL);
    port->meta = (ct_meta){.sample_time_s = 5.12e-6, .total = T};
    port->meta.frequency_hz = strchr(sink->dims, 'C') ? frequency : NULL;
    port->meta.frequencies = strchr(sink->dims, 'C') ? 6 : 0;
    port->meta.dm = strchr(sink->dims, 'D') ? dm : NULL;
    port->meta.dms = strchr(sink->dims, 'D') ? 7 : 0;
    assert_ok(ct_step_infer(t->step, err));
}

static ct_status write_blocks(trial *t, ct_error *err)
{
    ct_status status = CT_OK;
    for (int64_t done = 0; status == CT_OK && done < T; done += BLOCK) {
        trial_block(t, BLOCK, t->step->port[0].dim, 0, 1);
        status = t->step->stage->io.write(t->state, &t->block, 0, BLOCK, err);
    }
    return status;
}

static void files_appear_together(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < SINKS; i++) {
        trial t;
        assert_int_equal(trial_begin(NULL), 0);
        begin(&t, &sinks[i], trial_path("out.x"));
        assert_ok(sinks[i].stage->io.open(t.step, &t.state, err));
        assert_ok(write_blocks(&t, err));
        assert_int_equal(access(trial_path("out.x"), F_OK), -1);
        assert_ok(trial_close(&t, true, err));
        assert_int_equal(trial_files(), sinks[i].files);
        trial_free(&t);
        assert_int_equal(trial_end(NULL), 0);
    }
}

static void nothing_is_left_when_given_up(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < SINKS; i++) {
        trial t;
        assert_int_equal(trial_begin(NULL), 0);
        begin(&t, &sinks[i], trial_path("out.x"));
        assert_ok(sinks[i].stage->io.open(t.step, &t.state, err));
        assert_ok(write_blocks(&t, err));
        assert_ok(trial_close(&t, false, err));
        assert_int_equal(trial_files(), 0);
        trial_free(&t);
        assert_int_equal(trial_end(NULL), 0);
    }
}

/* Files may grow to this size only, as on a disk that is full. */
static void nothing_is_left_on_a_full_disk(void **unused)
{
    struct rlimit old, little;
    (void)unused;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    little = old;
    for (size_t i = 0; i < SINKS; i++)
        for (little.rlim_cur = 60; little.rlim_cur < 8000; little.rlim_cur *= 11) {
            trial t;
            ct_error why = {0};
            assert_int_equal(trial_begin(NULL), 0);
            begin(&t, &sinks[i], trial_path("out.x"));
            setrlimit(RLIMIT_FSIZE, &little);
            ct_status status = sinks[i].stage->io.open(t.step, &t.state, &why);
            bool open = status == CT_OK;
            if (open) status = write_blocks(&t, &why);
            if (open) {
                ct_status closed = trial_close(&t, status == CT_OK, &why);
                if (status == CT_OK) status = closed;
            } else {
                ct_staged_discard(ct_step_staged(t.step));
            }
            setrlimit(RLIMIT_FSIZE, &old);
            assert_int_equal(status, CT_DATA);
            assert_non_null(strstr(why.text, "File too large"));
            assert_int_equal(trial_files(), 0);
            trial_free(&t);
            assert_int_equal(trial_end(NULL), 0);
        }
}

static void folders_are_named(void **unused)
{
    (void)unused;
    assert_int_equal(trial_begin(NULL), 0);
    for (size_t i = 0; i < SINKS; i++) {
        trial t;
        begin(&t, &sinks[i], "/tmp/no/such/folder/out.x");
        assert_fails(sinks[i].stage->io.open(t.step, &t.state, err), CT_DATA,
                     "/tmp/no/such/folder");
        trial_free(&t);
        if (sinks[i].files > 2) continue;
        begin(&t, &sinks[i], trial_folder);
        assert_fails(sinks[i].stage->io.open(t.step, &t.state, err), CT_DATA, "directory");
        trial_free(&t);
    }
    assert_int_equal(trial_end(NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_appear_together),
        cmocka_unit_test(nothing_is_left_when_given_up),
        cmocka_unit_test(nothing_is_left_on_a_full_disk),
        cmocka_unit_test(folders_are_named),
    };
    signal(SIGXFSZ, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

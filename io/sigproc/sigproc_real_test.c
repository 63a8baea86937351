/* sigproc_real_test.c: .fil files that others wrote: headers byte for byte, one observation at four
 * depths. */
#include "io_trial.h"
#include "sigproc.h"
#include <math.h>

extern const ct_stage ct_stage_source_sigproc;

static const char *const real_files[] = {
    "fil/28.fil",          "fil/parkes_8bit_1.fil", "fil/parkes_4bit.fil",
    "fil/parkes_2bit.fil", "fil/parkes_1bit.fil",   "fil/sigproc_fake_seed42_P100ms_DM50.fil"};

static void read_header(const char *path, ct_sigproc *header, ct_sigproc_shape *shape)
{
    ct_input in;
    assert_ok(ct_input_open(&in, path, err));
    assert_ok(ct_sigproc_read(header, &in, err));
    assert_ok(ct_sigproc_measure(shape, header, &in, err));
    ct_input_close(&in);
}

/* Every one of these files holds only keywords that are written too. */
static void real_headers_round_trip(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof real_files / sizeof real_files[0]; i++) {
        ct_sigproc header;
        ct_sigproc_shape shape;
        uint8_t printed[CT_SIGPROC_HEADER];
        size_t bytes;
        const char *path = trial_data(real_files[i]);
        if (!path) skip();
        read_header(path, &header, &shape);
        uint8_t *file = trial_read(path, &bytes);
        assert_int_equal(ct_sigproc_print(printed, sizeof printed, &header), header.data_at);
        assert_memory_equal(printed, file, header.data_at);
        free(file);
    }
}

/* The whole file through the source, as T x C bytes; the caller frees it. */
static uint8_t *read_samples(const char *path, int64_t *samples, int64_t *channels)
{
    trial t;
    int64_t got;
    assert_ok(trial_make(&t, &ct_stage_source_sigproc, err, "{'file': '%s'}", path));
    assert_ok(ct_step_infer(t.step, err));
    const ct_array *port = &t.step->port[0];
    assert_int_equal(port->type, CT_U8);
    *samples = port->meta.total;
    *channels = ct_array_extent(port, 'C');
    assert_ok(ct_stage_source_sigproc.io.open(t.step, &t.state, err));
    trial_block(&t, *samples, "TC", 0, 1);
    assert_ok(ct_stage_source_sigproc.io.read(t.state, &t.block, NULL, &got, err));
    assert_int_equal(got, *samples);
    assert_ok(ct_stage_source_sigproc.io.close(t.state, true, err));
    uint8_t *data = t.block.data;
    t.block.data = NULL;
    trial_free(&t);
    return data;
}

/* One observation at four depths: fewer bits are nearly the upper bits of eight. */
static void parkes_depths_agree(void **unused)
{
    (void)unused;
    ct_sigproc first, other;
    ct_sigproc_shape shape, wide;
    int64_t samples, channels;
    const char *eight = trial_data(real_files[1]);
    if (!eight) skip();
    read_header(eight, &first, &wide);
    uint8_t *truth = read_samples(eight, &samples, &channels);
    assert_int_equal(samples, 4096);
    assert_int_equal(channels, 832);
    for (int i = 2; i < 5; i++) {
        read_header(trial_data(real_files[i]), &other, &shape);
        assert_int_equal(shape.samples, 4096);
        assert_int_equal(first.count, other.count);
        for (int k = 0; k < first.count; k++)
            if (first.entry[k].key != ct_sigproc_find(&first, "nbits")->key)
                assert_memory_equal(&first.entry[k], &other.entry[k], sizeof first.entry[k]);
        uint8_t *data = read_samples(trial_data(real_files[i]), &samples, &channels);
        double sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0, n = (double)(samples * channels);
        for (int64_t k = 0; k < samples * channels; k++) {
            double x = truth[k], y = data[k];
            assert_true(data[k] < 1 << shape.bits);
            sx += x, sy += y, sxx += x * x, syy += y * y, sxy += x * y;
        }
        double r = (n * sxy - sx * sy) / sqrt((n * sxx - sx * sx) * (n * syy - sy * sy));
        assert_true(r > 0.75);
        free(data);
    }
    free(truth);
}

static void real_metadata_is_known(void **unused)
{
    (void)unused;
    trial t;
    const char *path = trial_data(real_files[0]);
    if (!path) skip();
    assert_ok(trial_make(&t, &ct_stage_source_sigproc, err, "{'file': '%s'}", path));
    assert_ok(ct_step_infer(t.step, err));
    const ct_array *port = &t.step->port[0];
    assert_string_equal(port->dim, "TC");
    assert_int_equal(ct_array_extent(port, 'C'), 336);
    assert_true(port->meta.frequency_hz[0] == 1465e6 && port->meta.frequency_hz[335] == 1130e6);
    assert_true(port->meta.channel_width_hz == 1e6);
    assert_string_equal(port->meta.source_name, "src1");
    assert_string_equal(port->meta.telescope, "GMRT");
    trial_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_headers_round_trip),
        cmocka_unit_test(parkes_depths_agree),
        cmocka_unit_test(real_metadata_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

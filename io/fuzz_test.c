/* fuzz_test.c: every beginning of a small file of each format, and every byte of it changed in
 * several ways: a status and a sentence, never a crash. Run it in a sanitizer build to see more. */
#include "io_trial.h"
#include "packet.h"
#include "sigproc.h"
#include "vdif.h"

extern const ct_stage ct_stage_source_npy, ct_stage_source_sigproc, ct_stage_source_lofar,
    ct_stage_source_raw, ct_stage_source_dada, ct_stage_source_vdif, ct_stage_source_presto;

enum { LONGEST = 2048, READ = 300 };

typedef struct sample_file {
    const char *name;
    const ct_stage *stage;
    const char *json;
    size_t length;
    uint8_t bytes[LONGEST];
} sample_file;

static int tried, taken;

static void read_it(trial *t)
{
    ct_error err = {0};
    const ct_stage *stage = t->step->stage;
    int64_t got = 0, count = 1;
    uint8_t *flags;
    for (int i = 0; i < t->step->port[0].rank; i++)
        if (t->step->port[0].dim[i] != 'T') count *= t->step->port[0].extent[i];
    assert_true(count > 0 && count < 100000);
    if (stage->io.open(t->step, &t->state, &err) != CT_OK) return;
    trial_block(t, READ, t->step->port[0].dim, 0, 1);
    const int64_t rows = ct_array_extent(&t->block, 'S') * ct_array_groups(&t->block);
    flags = malloc((size_t)rows * READ);
    ct_status status = stage->io.read(t->state, &t->block, flags, &got, &err);
    if (status == CT_OK) {
        assert_true(got >= 0 && got <= READ);
        taken++;
    } else if (!err.text[0]) {
        fail_msg("a failure without a sentence");
    }
    (void)stage->io.close(t->state, false, &err);
    free(flags);
}

/* The bytes as a file, through its source and through the description of files. */
static void try_it(const sample_file *sample, const uint8_t *bytes, size_t length)
{
    trial t;
    ct_error err = {0}, about = {0};
    char *text = NULL;
    const char *path = trial_path(sample->name);
    trial_write(path, bytes, length);
    ct_status status = trial_make(&t, sample->stage, &err, sample->json, trial_folder);
    if (status == CT_OK) status = ct_step_infer(t.step, &err);
    if (status == CT_OK)
        read_it(&t);
    else if ((status != CT_DATA && status != CT_INVALID) || !err.text[0])
        fail_msg("status %d, \"%s\"", status, err.text);
    trial_free(&t);
    tried++;
    if (ct_describe_file(&text, path, &about) != CT_OK) assert_true(about.text[0] != 0);
    free(text);
}

static void try_all(const sample_file *sample)
{
    static const uint8_t changes[] = {0x01, 0x80, 0xff, 0x20};
    uint8_t bytes[LONGEST];
    tried = taken = 0;
    try_it(sample, sample->bytes, sample->length);
    assert_int_equal(taken, 1);
    for (size_t length = 0; length < sample->length; length++)
        try_it(sample, sample->bytes, length);
    for (size_t at = 0; at < sample->length; at++)
        for (size_t k = 0; k < sizeof changes; k++) {
            memcpy(bytes, sample->bytes, sample->length);
            bytes[at] ^= changes[k];
            try_it(sample, bytes, sample->length);
        }
    print_message("%s: %d files, %d read\n", sample->name, tried, taken);
}

static void npy_survives(void **unused)
{
    (void)unused;
    sample_file sample = {
        "a.npy", &ct_stage_source_npy, "{'file': '%s/a.npy', 'dims': 'ST', 'type': 'ci8'}", 0, {0}};
    static const char header[] = "\x93NUMPY\x01\0\x46\0"
                                 "{'descr': '|i1', 'fortran_order': False, 'shape': (3, 5, 2), }"
                                 "       \n";
    sample.length = sizeof header - 1 + 30;
    memcpy(sample.bytes, header, sizeof header - 1);
    try_all(&sample);
}

static void sigproc_survives(void **unused)
{
    (void)unused;
    sample_file sample = {"a.fil", &ct_stage_source_sigproc, "{'file': '%s/a.fil'}", 0, {0}};
    ct_sigproc header = {0};
    ct_sigproc_add(&header, "source_name", 0, "B0329+54");
    ct_sigproc_add(&header, "telescope_id", 11, NULL);
    ct_sigproc_add(&header, "data_type", 1, NULL);
    ct_sigproc_add(&header, "fch1", 150, NULL);
    ct_sigproc_add(&header, "foff", -0.5, NULL);
    ct_sigproc_add(&header, "nchans", 6, NULL);
    ct_sigproc_add(&header, "nbits", 4, NULL);
    ct_sigproc_add(&header, "nifs", 2, NULL);
    sample.length = ct_sigproc_print(sample.bytes, LONGEST, &header) + 30;
    try_all(&sample);
}

static void dada_survives(void **unused)
{
    (void)unused;
    sample_file sample = {"a.dada", &ct_stage_source_dada, "{'files': '%s/a.dada'}", 0, {0}};
    static const char header[] = "HEADER DADA\nHDR_SIZE 256\nNBIT 8\nNDIM 2\nNPOL 2\nNCHAN 3\n"
                                 "TSAMP 2.5\nFREQ 1400\nBW -3\nUTC_START 2021-05-03-12:00:00\n"
                                 "OBS_OFFSET 1200\nSOURCE x # y\n";
    sample.length = 256 + 120;
    memcpy(sample.bytes, header, sizeof header - 1);
    try_all(&sample);
}

/* Each thread's group has flags of its own. */
static void vdif_survives(void **unused)
{
    (void)unused;
    sample_file sample = {"a.vdif", &ct_stage_source_vdif, "{'files': '%s/a.vdif'}", 0, {0}};
    ct_vdif header = {.second = 1000,
                      .epoch = 42,
                      .bytes = 48,
                      .head = CT_VDIF_HEADER,
                      .channels = 2,
                      .bits = 2,
                      .edv = 3,
                      .rate_hz = 64000};
    for (header.frame = 0; header.frame < 5; header.frame++)
        for (header.thread = 0; header.thread < 2; header.thread++, sample.length += 48)
            ct_vdif_print(sample.bytes + sample.length, &header);
    try_all(&sample);
}

static void packets_survive(void **unused)
{
    (void)unused;
    sample_file sample = {"a.udp", &ct_stage_source_lofar, "{'files': '%s/a.udp'}", 0, {0}};
    ct_packet packet = {.version = 3, .bits = 8, .fast = true, .station = 7, .beamlets = 2};
    packet.blocks = 16;
    for (int i = 0; i < 3; i++) {
        ct_packet_set_sample(&packet, 323528554687526 + 16 * i);
        ct_packet_encode(sample.bytes + sample.length, &packet);
        sample.length += (size_t)ct_packet_bytes(&packet);
    }
    try_all(&sample);
}

static void series_survive(void **unused)
{
    (void)unused;
    sample_file sample = {"p.inf", &ct_stage_source_presto, "{'files': '%s/p.dat'}", 0, {0}};
    static const char text[] = " Data file name without suffix          =  p\n"
                               " Object being observed                  =  B0329+54\n"
                               " Epoch of observation (MJD)             =  51000.12345678901\n"
                               " Number of bins in the time series      =  60         \n"
                               " Width of each time series bin (sec)    =  0.00025\n"
                               " Any breaks in the data? (1 yes, 0 no)  =  1\n"
                               " On/Off bin pair #  1                   =  0          , 9\n"
                               " On/Off bin pair #  2                   =  25         , 36\n"
                               " Dispersion measure (cm-3 pc)           =  62.4121\n"
                               " Central freq of low channel (MHz)      =  1230\n"
                               " Total bandwidth (MHz)                  =  288\n"
                               " Number of channels                     =  96\n"
                               " Any additional notes:\n";
    trial_write(trial_path("p.dat"), (const uint8_t[240]){0}, 240);
    sample.length = sizeof text - 1;
    memcpy(sample.bytes, text, sample.length);
    try_all(&sample);
}

static void sidecars_survive(void **unused)
{
    (void)unused;
    sample_file sample = {"b.raw.json", &ct_stage_source_raw, "{'file': '%s/b.raw'}", 0, {0}};
    static const char text[] =
        "{\"dims\": \"STC\", \"type\": \"ci8\", \"sizes\": [3, null, 2], \"sample_time_s\": 1e-3, "
        "\"frequency_hz\": [1e8, 2e8], \"downsample\": 1, \"source_name\": \"x\"}";
    trial_write(trial_path("b.raw"), (const uint8_t[240]){0}, 240);
    sample.length = sizeof text - 1;
    memcpy(sample.bytes, text, sample.length);
    try_all(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(npy_survives),     cmocka_unit_test(sigproc_survives),
        cmocka_unit_test(dada_survives),    cmocka_unit_test(packets_survive),
        cmocka_unit_test(sidecars_survive), cmocka_unit_test(vdif_survives),
        cmocka_unit_test(series_survive),
    };
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}

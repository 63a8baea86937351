/* psrfits_test.c: search data that CFITSIO has written: bits in their order, scales, weights,
 * times, mistakes. Skips where the library was built without CFITSIO. */
#include "io_trial.h"
#include <math.h>

extern const ct_stage ct_stage_source_psrfits;

#ifdef CT_HAVE_CFITSIO
#include "tests/shared/psrfits_write.h"

enum { C = 6, Q = 2, ROW = 5, T = 13, ROWS = 3, MOST = ROWS * ROW * Q * C };

static uint8_t bytes_of_rows[4 * MOST];

static psrfits_file plain(int bits, int pols)
{
    for (size_t i = 0; i < sizeof bytes_of_rows; i++)
        bytes_of_rows[i] = (uint8_t)(i * 29 + 3);
    return (psrfits_file){.bits = bits,
                          .pols = pols,
                          .channels = C,
                          .row_samples = ROW,
                          .samples = T,
                          .tbin_s = 64e-6,
                          .first_mhz = 1465,
                          .step_mhz = -0.5,
                          .imjd = 58682,
                          .smjd = 43200,
                          .offs_s = 0.25,
                          .before = 2,
                          .data = bytes_of_rows};
}

static void begin(trial *t, const psrfits_file *file)
{
    assert_true(psrfits_write(trial_path("a.sf"), file));
    assert_ok(trial_make(t, &ct_stage_source_psrfits, err, "{'file': '%s'}", trial_path("a.sf")));
    assert_ok(ct_step_infer(t->step, err));
}

/* Element number i of row r, before scaling, most significant bits first. */
static double stored(const psrfits_file *file, int64_t row, int64_t i)
{
    const int64_t per_row = (int64_t)ROW * file->pols * C;
    const uint8_t *data = bytes_of_rows + row * ((per_row * file->bits + 7) / 8);
    int16_t wide;
    if (file->bits == 8) return data[i];
    if (file->bits == 16) {
        memcpy(&wide, data + 2 * i, 2);
        return wide;
    }
    int value = 0;
    for (int bit = 0; bit < file->bits; bit++) {
        const int64_t at = i * file->bits + bit;
        value = 2 * value + (data[at / 8] >> (7 - at % 8) & 1);
    }
    return value;
}

/* The file's sample that is this one of the stream, by the rows' times; -1: a hole, or the end. */
static int64_t placed(const psrfits_file *file, int64_t t)
{
    for (int64_t row = 0; row < ROWS; row++) {
        const int64_t first = row * ROW + (file->late ? llround(file->late[row]) : 0);
        if (t >= first && t < first + ROW && row * ROW + t - first < T)
            return row * ROW + t - first;
    }
    return -1;
}

/* 1 flagged, 4 partly there. */
static uint8_t flag(const psrfits_file *file, int64_t t, int64_t c)
{
    const int64_t at = placed(file, t);
    double most = 1;
    if (at < 0) return 1;
    if (!file->weight) return 0;
    for (int i = 0; i < ROWS * C; i++)
        most = fmax(most, file->weight[i]);
    const double part = file->weight[at / ROW * C + c] / most;
    return part < 0.5 ? 1 : part < 1 ? 4 : 0;
}

static double expected(const psrfits_file *file, int64_t t, int64_t q, int64_t c)
{
    const int64_t at = placed(file, t), row = at / ROW, line = q * C + c;
    if (flag(file, t, c) == 1) return 0;
    const double scale = file->scale ? file->scale[line] : 1;
    const double offset = file->offset ? file->offset[line] : 0;
    return (stored(file, row, (at % ROW) * file->pols * C + line) - file->zero_off) * scale +
           offset;
}

/* In blocks of 4, in two orders. */
static void check(const psrfits_file *file, ct_type type)
{
    trial t;
    uint8_t flags[4 * C];
    int64_t got;
    const int64_t total = T + (file->late ? llround(file->late[ROWS - 1]) : 0);
    begin(&t, file);
    assert_string_equal(t.step->port[0].dim, file->pols > 1 ? "TQC" : "TC");
    assert_int_equal(t.step->port[0].type, type);
    assert_int_equal(t.step->port[0].meta.total, total);
    assert_ok(ct_stage_source_psrfits.io.open(t.step, &t.state, err));
    for (int64_t t0 = 0; t0 < total; t0 += 4) {
        int64_t index[CT_DIMS] = {0};
        trial_block(&t, 4, file->pols > 1 ? "CTQ" : "CT", 1, 2);
        memset(flags, 0, sizeof flags);
        assert_ok(ct_stage_source_psrfits.io.read(t.state, &t.block, flags, &got, err));
        assert_int_equal(got, total - t0 < 4 ? total - t0 : 4);
        do {
            const int64_t at = t0 + index[0], q = file->pols > 1 ? index[1] : 0;
            const int64_t c = index[t.block.rank - 1];
            const double found = ct_array_load(&t.block, trial_at(&t.block, index)).re;
            const double right = expected(file, at, q, c);
            assert_true(fabs(found - right) <= 1e-6 * fabs(right));
            assert_int_equal(flags[(file->weight ? 4 * c : 0) + index[0]], flag(file, at, c));
        } while (trial_next(&t.block, index));
    }
    assert_ok(ct_stage_source_psrfits.io.close(t.state, true, err));
    trial_free(&t);
}

static void numbers_are_as_stored(void **unused)
{
    static const int bits[] = {1, 2, 4, 8, 16};
    (void)unused;
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++)
        for (int pols = 1; pols <= Q; pols++) {
            const psrfits_file file = plain(bits[i], pols);
            check(&file, bits[i] == 16 ? CT_I16 : CT_U8);
        }
}

static void scales_and_offsets_are_applied(void **unused)
{
    (void)unused;
    float scale[Q * C], offset[Q * C];
    for (int i = 0; i < Q * C; i++)
        scale[i] = 0.5F + (float)i, offset[i] = (float)(10 * i - 7);
    for (int bits = 4; bits <= 16; bits *= 2) {
        psrfits_file file = plain(bits, Q);
        file.scale = scale;
        check(&file, CT_F32);
        file.offset = offset;
        file.zero_off = 7.5;
        check(&file, CT_F32);
        file.scale = NULL;
        file.offset = NULL;
        check(&file, CT_F32);
    }
}

static void weight_0_is_flagged(void **unused)
{
    (void)unused;
    trial t;
    float weight[ROWS * C];
    for (int i = 0; i < ROWS * C; i++)
        weight[i] = i == 2 || i / C == 1 ? 0 : 1;
    psrfits_file file = plain(8, 1);
    file.weight = weight;
    check(&file, CT_U8);
    begin(&t, &file);
    assert_non_null(strstr(ct_step_warned(t.step), "weight 0 has 38.9 % of the channels' rows"));
    trial_free(&t);
}

static void warns(const psrfits_file *file, const char *part)
{
    trial t;
    begin(&t, file);
    if (!strstr(ct_step_warned(t.step), part)) fail_msg("%s", ct_step_warned(t.step));
    trial_free(&t);
}

static void fractions_of_weights_are_flags(void **unused)
{
    (void)unused;
    float weight[ROWS * C];
    psrfits_file file = plain(8, Q);
    file.weight = weight;
    for (int i = 0; i < ROWS * C; i++)
        weight[i] = (float)(i * 7 % 5) / 4;
    check(&file, CT_U8);
    warns(&file, "weight 0 has 22.2 % of the channels' rows");
    warns(&file, "a weight above 0 and below 0.5 of 1 (\"least_weight\") has 16.7 % of the");
    warns(&file, "a weight from 0.5 to below 1 of 1 has 38.9 % of the channels' rows");
    for (int i = 0; i < ROWS * C; i++)
        weight[i] *= 20; /* of a writer that counts from 0 to 20 */
    check(&file, CT_U8);
    weight[3] = NAN;
    warns(&file, "weight 0 has 27.8 % of the channels' rows");
}

static void holes_between_rows_are_flagged(void **unused)
{
    (void)unused;
    double late[ROWS] = {0, 7, 7};
    float weight[ROWS * C];
    psrfits_file file = plain(16, Q);
    file.late = late;
    check(&file, CT_I16);
    warns(&file, "1 holes between rows (OFFS_SUB), of 7 samples: these are 0, and flagged");
    late[2] = 20.04;
    check(&file, CT_I16);
    for (int i = 0; i < ROWS * C; i++)
        weight[i] = i == 9 ? 0.5F : i == 4 ? 0 : 1;
    file.weight = weight;
    check(&file, CT_I16);
    late[2] = 20.4;
    check(&file, CT_I16);
    warns(&file,
          "row 3 begins 13.400 samples after the row before it ends, which is no whole number");
    late[1] = -3, late[2] = -3;
    warns(&file, "row 2 begins before the row before it ends; they are joined all the same");
}

/* What is a rounded time is no hole. */
static void rounded_times_are_none(void **unused)
{
    (void)unused;
    trial t;
    const double late[ROWS] = {0, 0.6, -0.7};
    psrfits_file file = plain(8, 1);
    file.late = late;
    begin(&t, &file);
    assert_int_equal(t.step->port[0].meta.total, T);
    assert_string_equal(ct_step_warned(t.step), "");
    trial_free(&t);
}

/* Rows before the first one that NSUBOFFS does not count. */
static void the_first_row_tells_the_start(void **unused)
{
    (void)unused;
    trial t;
    const double late[ROWS] = {20, 20, 20};
    psrfits_file file = plain(8, 1);
    file.late = late;
    begin(&t, &file);
    assert_int_equal(t.step->port[0].meta.total, T);
    assert_float_equal(t.step->port[0].meta.start_s, 0.25 + (2 * ROW + 20.5) * 64e-6, 1e-12);
    assert_non_null(strstr(ct_step_warned(t.step), "begins 0.00128 s later than NSUBOFFS says"));
    trial_free(&t);
}

static void times_and_frequencies_are_known(void **unused)
{
    (void)unused;
    trial t;
    const psrfits_file file = plain(8, 1);
    begin(&t, &file);
    const ct_meta *meta = &t.step->port[0].meta;
    assert_true(meta->start_mjd == 58682.5 && meta->sample_time_s == 64e-6);
    assert_float_equal(meta->start_s, 0.25 + (2 * ROW + 0.5) * 64e-6, 1e-12);
    assert_true(meta->frequency_hz[0] == 1465e6 && meta->frequency_hz[5] == 1462.5e6);
    assert_true(meta->channel_width_hz == 0.5e6);
    assert_string_equal(meta->telescope, "ASKAP");
    assert_string_equal(meta->source_name, "FRB");
    assert_float_equal(meta->src_raj, 122637.6361, 1e-6);
    assert_float_equal(meta->src_dej, -13000.5, 1e-6);
    assert_string_equal(ct_step_warned(t.step), "");
    trial_free(&t);
}

/* What is along Q, and a part of what is warned of. `keys` are the node's. */
static void products_are(int pols, const char *pol_type, const char *fd_poln, const char *keys,
                         const char *names, const char *warned)
{
    trial t;
    char found[CT_PRODUCTS_TEXT] = "";
    psrfits_file file = plain(8, pols);
    file.samples = ROW;
    file.pol_type = pol_type;
    file.fd_poln = fd_poln;
    assert_true(psrfits_write(trial_path("p.sf"), &file));
    assert_ok(trial_make(&t, &ct_stage_source_psrfits, err, "{'file': '%s'%s}", trial_path("p.sf"),
                         keys));
    assert_ok(ct_step_infer(t.step, err));
    const ct_array *out = &t.step->port[0];
    if (ct_array_product(out, 0)) ct_products_print(found, out->meta.products);
    assert_string_equal(found, names);
    assert_non_null(strstr(ct_step_warned(t.step), warned));
    assert_true(*warned || !*ct_step_warned(t.step));
    trial_free(&t);
}

/* As PSRCHIVE, DSPSR and those who write search data name them. */
static void products_have_the_header_s_names(void **unused)
{
    (void)unused;
    products_are(4, "AABBCRCI", "LIN", "", "AA BB CR CI of linear receptors", "");
    products_are(4, "AABBCRCI", "CIRC", "", "AA BB CR CI of circular receptors", "");
    products_are(4, "AABBCRCI", NULL, "", "AA BB CR CI", "");
    products_are(4, "XXYYCRCI", NULL, "", "AA BB CR CI of linear receptors", "");
    products_are(4, "LLRRCRCI", NULL, "", "AA BB CR CI of circular receptors", "");
    products_are(4, "IQUV", "LIN", "", "I Q U V", "");
    products_are(4, "STOKE", "LIN", "", "I Q U V", "");
    products_are(2, "AABB", "CIRC", "", "AA BB of circular receptors", "");
    products_are(1, "AA+BB", "LIN", "", "I", "");
    products_are(1, "INTEN", NULL, "", "I", "");
    products_are(1, "AA", NULL, "", "AA", "");
    products_are(1, NULL, NULL, "", "", "");
}

static void unknown_products_are_said(void **unused)
{
    (void)unused;
    products_are(4, NULL, NULL, "", "", "what the 4 polarizations are is not known");
    products_are(4, "INVAR", NULL, "", "", "POL_TYPE 'INVAR'");
    products_are(1, "IQUV", NULL, "", "", "POL_TYPE 'IQUV' is 4 products, but NPOL is 1");
    products_are(4, NULL, "LIN", ", 'products': 'AABBCRCI'", "AA BB CR CI of linear receptors", "");
    products_are(2, "AABB", "LIN", ", 'feed': 'circular'", "AA BB of circular receptors", "");
    products_are(4, "AABBCRCI", NULL, ", 'products': ['I', 'Q', 'U', 'V']", "I Q U V", "");
}

static void fails(const psrfits_file *file, const char *part)
{
    trial t;
    assert_true(psrfits_write(trial_path("f.sf"), file));
    assert_ok(trial_make(&t, &ct_stage_source_psrfits, err, "{'file': '%s'}", trial_path("f.sf")));
    assert_fails(ct_step_infer(t.step, err), CT_DATA, part);
    trial_free(&t);
}

static void bad_headers_are_named(void **unused)
{
    (void)unused;
    psrfits_file file = plain(8, 1);
    file.mode = "PSR";
    fails(&file, "a FITS file without search data: expected OBS_MODE 'SEARCH'");
    file.mode = NULL;
    file.tbin_s = 0;
    fails(&file, "TBIN: expected a number from 1e-15");
    file.tbin_s = -1e-3;
    fails(&file, "TBIN: expected a number from 1e-15");
    file.tbin_s = 1e-3;
    file.first_mhz = 0;
    fails(&file, "DAT_FREQ: expected a frequency above 0, found 0 MHz");
    file = plain(8, 1);
    const double late[ROWS] = {0, 0, 1e6};
    file.late = late;
    fails(&file, "OFFS_SUB: row 3 begins 64 s after the row before it ends, expected at most 60");
    file = plain(8, 1);
    file.samples = 0;
    fails(&file, "found 0 rows");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_as_stored),
        cmocka_unit_test(scales_and_offsets_are_applied),
        cmocka_unit_test(weight_0_is_flagged),
        cmocka_unit_test(times_and_frequencies_are_known),
        cmocka_unit_test(products_have_the_header_s_names),
        cmocka_unit_test(unknown_products_are_said),
        cmocka_unit_test(bad_headers_are_named),
        cmocka_unit_test(fractions_of_weights_are_flags),
        cmocka_unit_test(holes_between_rows_are_flagged),
        cmocka_unit_test(rounded_times_are_none),
        cmocka_unit_test(the_first_row_tells_the_start),
    };
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}

#else

static void it_says_what_is_missing(void **unused)
{
    (void)unused;
    trial t;
    assert_ok(trial_make(&t, &ct_stage_source_psrfits, err, "{'file': 'a.sf'}"));
    assert_fails(ct_step_infer(t.step, err), CT_DATA, "built without CFITSIO");
    trial_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_says_what_is_missing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif

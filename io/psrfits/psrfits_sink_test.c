/* psrfits_sink_test.c: search data that are written, as source.psrfits (CFITSIO) reads them: every
 * type and number of bits, odd sizes, flags as weights, blocks that divide no row.
 * Room: io/psrfits, tests. */
#include "io_trial.h"
#include <math.h>

extern const ct_stage ct_stage_source_psrfits, ct_stage_sink_psrfits;

#ifdef CT_HAVE_CFITSIO

enum { B = 2, Q = 3, C = 7, T = 61 };

typedef struct sample_set {
    ct_type type;
    int bits, row_samples, block;
    const char *dims; /* of the blocks */
    bool flagged;
} sample_set;

static const double hz[C] = {151e6, 150e6, 149e6, 148e6, 147e6, 146e6, 145e6};

/* Noise about a level of the channel's own, as a whole number. */
static double value_at(const sample_set *set, int64_t b, int64_t q, int64_t c, int64_t t)
{
    const uint32_t mixed = (uint32_t)(((b * Q + q) * C + c) * T + t + 1) * 2654435761U;
    const double least = set->type == CT_U8 || set->type == CT_U16 ? 0 : -50;
    return least + (double)(mixed >> 26) + (double)(10 * c) * (q == 1);
}

/* Channel 2 for some time, and all of them for a shorter one; 4: partly there. */
static uint8_t flag_at(const sample_set *set, int64_t c, int64_t t)
{
    if (!set->flagged) return 0;
    if (c == 2 && t >= 11 && t < 29) return 1;
    if (t >= 40 && t < 43) return 1;
    return c == 4 && t < 9 ? 4 : 0;
}

static void describe(ct_array *port, const sample_set *set)
{
    port->type = set->type;
    for (const char *dim = set->dims; *dim; dim++)
        ct_array_add(port, *dim, *dim == 'B' ? B : *dim == 'Q' ? Q : *dim == 'C' ? C : set->block);
    ct_array_dense(port, NULL);
    port->meta =
        (ct_meta){.sample_time_s = 1e-3,
                  .start_mjd = 60000.25,
                  .start_s = 3.5e-3 + 0.5e-3,
                  .total = T,
                  .frequency_hz = hz,
                  .frequencies = C,
                  .channel_width_hz = 1e6,
                  .source_name = "B0329+54",
                  .telescope = "a name of a telescope that is longer than FITS likes it, so",
                  .src_raj = 33259.37,
                  .src_dej = -543443.57};
}

static void fill(trial *t, const sample_set *set, int64_t t0, int64_t count)
{
    int64_t index[CT_DIMS] = {0};
    trial_block(t, set->block, set->dims, 1, 2);
    do {
        int64_t at['T' + 1] = {0};
        for (int d = 0; d < t->block.rank; d++)
            at[(int)t->block.dim[d]] = index[d];
        const bool lost = set->flagged && flag_at(set, at['C'], t0 + at['T']) == 1;
        const double value = lost ? 99 : value_at(set, at['B'], at['Q'], at['C'], t0 + at['T']);
        ct_array_save(&t->block, trial_at(&t->block, index), at['T'] < count ? value : NAN, 0);
    } while (trial_next(&t->block, index));
}

static void write_set(const sample_set *set, const char *path)
{
    trial t;
    uint8_t flags[C * T];
    assert_ok(trial_make(&t, &ct_stage_sink_psrfits, err,
                         "{'file': '%s', 'bits': %d, 'row_samples': %d}", path, set->bits,
                         set->row_samples));
    describe(&t.step->port[0], set);
    assert_ok(ct_step_infer(t.step, err));
    assert_ok(ct_stage_sink_psrfits.io.open(t.step, &t.state, err));
    for (int64_t t0 = 0; t0 < T; t0 += set->block) {
        const int64_t count = T - t0 < set->block ? T - t0 : set->block;
        ct_array *m = &t.step->port[1];
        fill(&t, set, t0, count);
        *m = (ct_array){.type = set->flagged ? CT_U8 : CT_NONE};
        if (set->flagged) {
            ct_array_add(m, 'C', C);
            ct_array_add(m, 'T', set->block);
            ct_array_dense(m, NULL);
            m->data = flags;
            for (int64_t c = 0; c < C; c++)
                for (int64_t i = 0; i < set->block; i++)
                    flags[c * set->block + i] = flag_at(set, c, t0 + i);
        }
        assert_ok(ct_stage_sink_psrfits.io.write(t.state, &t.block, 0, count, err));
    }
    t.step->port[1].data = NULL;
    assert_ok(trial_close(&t, true, err));
    trial_free(&t);
}

/* What is read back of one beam, with flags by channel. */
static void check_beam(const sample_set *set, int64_t b, const char *path)
{
    static uint8_t flags[C * T];
    trial t;
    int64_t got;
    assert_ok(trial_make(&t, &ct_stage_source_psrfits, err, "{'file': '%s'}", path));
    assert_ok(ct_step_infer(t.step, err));
    const ct_array *port = &t.step->port[0];
    const bool many = strchr(set->dims, 'Q');
    assert_string_equal(port->dim, many ? "TQC" : "TC");
    assert_int_equal(port->type, (set->bits == 0 || set->bits == (int)ct_type_bits(set->type)) &&
                                         set->type != CT_U16
                                     ? set->type
                                     : CT_F32);
    assert_int_equal(port->meta.total, T);
    assert_float_equal(port->meta.start_mjd * 86400 + port->meta.start_s, 60000.25 * 86400 + 4e-3,
                       1e-5);
    for (int c = 0; c < C; c++)
        assert_float_equal(port->meta.frequency_hz[c], hz[c], 1e-3);
    assert_string_equal(port->meta.source_name, "B0329+54");
    assert_float_equal(port->meta.src_raj, 33259.37, 1e-3);
    assert_float_equal(port->meta.src_dej, -543443.57, 1e-3);
    assert_ok(ct_stage_source_psrfits.io.open(t.step, &t.state, err));
    trial_block(&t, T, many ? "TQC" : "TC", 0, 1);
    memset(flags, 0, sizeof flags);
    assert_ok(ct_stage_source_psrfits.io.read(t.state, &t.block, flags, &got, err));
    assert_int_equal(got, T);
    const double steps = set->bits == 2 ? 3 : set->bits == 4 ? 15 : set->bits == 8 ? 255 : 65535;
    for (int64_t at = 0; at < T; at++)
        for (int64_t q = 0; q < (many ? Q : 1); q++)
            for (int64_t c = 0; c < C; c++) {
                const int64_t index[] = {at, many ? q : c, c};
                const int64_t row = at / set->row_samples;
                const double found = ct_array_load(&t.block, trial_at(&t.block, index)).re;
                const double right = value_at(set, b, q, c, at);
                const uint8_t said = set->flagged ? flags[c * T + at] : 0;
                /* A quarter of the range is clipped with few bits. */
                const double most = set->bits == 0 || set->bits == 32 ? 0
                                    : set->bits < 8                   ? 40
                                                                      : 0.51 * 127 / steps;
                int64_t lost = 0, part = 0, samples = 0;
                for (int64_t i = row * set->row_samples; i < T && i < (row + 1) * set->row_samples;
                     i++, samples++) {
                    lost += flag_at(set, c, i) == 1;
                    part += flag_at(set, c, i) == 4;
                }
                const double weight =
                    ((double)(samples - lost) - 0.5 * (double)part) / (double)samples;
                assert_int_equal(said, weight < 0.5 ? 1 : weight < 1 ? 4 : 0);
                if (said == 1)
                    assert_true(found == 0);
                else if (flag_at(set, c, at) != 1 && fabs(found - right) > most + 1e-4)
                    fail_msg("bits %d, t %d q %d c %d: %g, expected %g", set->bits, (int)at, (int)q,
                             (int)c, found, right);
            }
    assert_ok(ct_stage_source_psrfits.io.close(t.state, true, err));
    trial_free(&t);
}

static void check(const sample_set *set)
{
    const char *path = trial_path("a.sf");
    write_set(set, path);
    if (!strchr(set->dims, 'B')) {
        check_beam(set, 0, path);
        return;
    }
    check_beam(set, 0, trial_path("a_B000.sf"));
    check_beam(set, 1, trial_path("a_B001.sf"));
}

static void what_was_written_is_read(void **unused)
{
    static const sample_set sets[] = {
        {CT_U8, 0, 16, 13, "TC", false},     {CT_I8, 0, 61, 5, "CT", false},
        {CT_I16, 0, 7, 61, "QTC", false},    {CT_U16, 0, 16, 13, "TQC", false},
        {CT_F32, 0, 10, 61, "TCQ", false},   {CT_F32, 32, 100, 9, "BTQC", false},
        {CT_F32, 16, 16, 61, "CQTB", false}, {CT_F32, 8, 20, 7, "BCTQ", false},
        {CT_F32, 4, 16, 10, "TBC", false},   {CT_F32, 2, 24, 61, "TQC", false},
        {CT_U16, 8, 30, 11, "BQCT", false},  {CT_I16, 16, 9, 4, "CTB", false},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        check(&sets[i]);
}

static void flags_are_weights(void **unused)
{
    static const sample_set sets[] = {
        {CT_F32, 0, 10, 13, "TQC", true},
        {CT_F32, 8, 16, 61, "CTB", true},
        {CT_U8, 0, 20, 7, "BTQC", true},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        check(&sets[i]);
}

/* Byte by byte. */
static void blocks_do_not_matter(void **unused)
{
    sample_set set = {CT_F32, 4, 16, 61, "TQC", true};
    size_t bytes, others;
    (void)unused;
    write_set(&set, trial_path("a.sf"));
    uint8_t *one = trial_read(trial_path("a.sf"), &bytes);
    set.block = 5;
    write_set(&set, trial_path("b.sf"));
    uint8_t *other = trial_read(trial_path("b.sf"), &others);
    assert_int_equal(bytes, others);
    assert_int_equal(bytes % 2880, 0);
    assert_memory_equal(one, other, bytes);
    free(one);
    free(other);
}

static void fails(const char *keys, const char *dims, const char *part)
{
    trial t;
    const sample_set set = {CT_F32, 8, 16, 61, dims, false};
    assert_ok(trial_make(&t, &ct_stage_sink_psrfits, err, "{'file': 'x.sf'%s}", keys));
    describe(&t.step->port[0], &set);
    if (strchr(dims, 'Q')) t.step->port[0].extent[ct_array_find(&t.step->port[0], 'Q')] = 5;
    assert_fails(ct_step_infer(t.step, err), CT_INVALID, part);
    trial_free(&t);
}

static void what_cannot_be_written_is_said(void **unused)
{
    (void)unused;
    fails("", "T", "expected the dimensions T and C, found T");
    fails("", "TQC", "PSRFITS has at most 4 polarizations, found Q=5");
    fails(", 'bits': 3", "TC", "expected 2, 4, 8, 16, 32, or 0, found 3");
    fails(", 'bits': 4, 'row_samples': 12", "TC", "expected a multiple of 8, found 12");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read),
        cmocka_unit_test(flags_are_weights),
        cmocka_unit_test(blocks_do_not_matter),
        cmocka_unit_test(what_cannot_be_written_is_said),
    };
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}

#else

static void it_says_what_is_missing(void **unused)
{
    (void)unused;
    trial t;
    assert_ok(trial_make(&t, &ct_stage_sink_psrfits, err, "{'file': 'a.sf'}"));
    assert_fails(ct_step_infer(t.step, err), CT_INVALID, "built without CFITSIO");
    trial_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_says_what_is_missing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif

/* guppi_test.c: GUPPI raw files: what headers say, samples at their places, holes, mistakes. Other
 * programs' files and readers: tests/io/guppi_test.sh. */
#include "guppi.h"
#include "io_trial.h"

extern const ct_stage ct_stage_source_guppi;

enum { MOST = 1 << 16, CHANNELS = 3, SAMPLES = 11, OVERLAP = 2, NEW = SAMPLES - OVERLAP };

typedef struct written {
    uint8_t bytes[MOST];
    size_t length;
} written;

static void add_card(written *file, const char *card)
{
    memset(file->bytes + file->length, ' ', CT_GUPPI_CARD);
    memcpy(file->bytes + file->length, card, strlen(card));
    file->length += CT_GUPPI_CARD;
}

#define PLAIN "OVERLAP = 2;PKTSIZE = 108;"

/* The header of a block, of cards "KEY = value;", and its samples. Sample t of the stream, channel
 * c and polarization p, is (t + 100 c, 50 p - t), whatever the order. */
static void add_block(written *file, const char *cards, int64_t index, int64_t first, bool times)
{
    char card[CT_GUPPI_CARD + 1];
    snprintf(card, sizeof card, "PKTIDX  = %20lld / of the first packet", (long long)index);
    add_card(file, "BACKEND = 'GUPPI   '           / a comment = none");
    add_card(file, card);
    static const char all[] =
        "OBSNCHAN= 3;NPOL    = 4;NBITS   = 8;BLOCSIZE= 132;TBIN    = 2.5E-6;OBSFREQ = 1400;"
        "OBSBW   = -1.2;STT_IMJD= 59337;STT_SMJD= 43200;STT_OFFS= 0.125;SRC_NAME= 'B0329+54';"
        "TELESCOP= 'GBT     ';RA_STR  = '03:32:59.4';DEC_STR = '+54:34:43';FD_POLN = 'CIRC    ';";
    for (int part = 0; part < 2; part++) /* later ones are preferred */
        for (const char *at = part ? cards : all; *at; at += strcspn(at, ";") + 1) {
            snprintf(card, sizeof card, "%.*s", (int)strcspn(at, ";"), at);
            const size_t equal = strcspn(card, "=");
            char key[CT_GUPPI_CARD + 1];
            snprintf(key, sizeof key, "%.*s", (int)strcspn(card, " ="), card);
            char line[CT_GUPPI_CARD * 2];
            snprintf(line, sizeof line, "%-8s= %s", key, card + equal + 2);
            line[CT_GUPPI_CARD] = 0;
            add_card(file, line);
        }
    add_card(file, "END");
    if (strstr(cards, "DIRECTIO"))
        while (file->length % CT_GUPPI_SECTOR)
            file->bytes[file->length++] = 0;
    for (int i = 0; i < SAMPLES * CHANNELS; i++)
        for (int p = 0; p < 2; p++) {
            const int64_t t = first + (times ? i / CHANNELS : i % SAMPLES);
            const int c = times ? i % CHANNELS : i / SAMPLES;
            file->bytes[file->length++] = (uint8_t)(t + 100 * c);
            file->bytes[file->length++] = (uint8_t)(50 * p - t);
        }
}

static const char *save(const written *file, const char *name)
{
    trial_write(trial_path(name), file->bytes, file->length);
    return name;
}

/* A file of blocks at these places, in blocks; PKTIDX counts packets of 9 samples. */
static void write_blocks(const char *name, const char *cards, const int *places, int count)
{
    static written file;
    file.length = 0;
    for (int i = 0; i < count; i++)
        add_block(&file, cards, 5 + places[i], NEW * places[i], strstr(cards, "CHANMAJ"));
    save(&file, name);
}

static void make(trial *t, const char *files)
{
    assert_ok(trial_make(t, &ct_stage_source_guppi, err, "{'files': %s}", files));
    assert_ok(ct_step_infer(t->step, err));
    assert_ok(ct_stage_source_guppi.io.open(t->step, &t->state, err));
}

static const char *named(const char *name)
{
    static char text[4][600];
    static unsigned next;
    char *out = text[next++ % 4];
    snprintf(out, 600, "'%s'", trial_path(name));
    return out;
}

/* 9 samples for each packet: 108 bytes. */
static void headers_are_read(void **unused)
{
    (void)unused;
    trial t;
    write_blocks("a.raw", PLAIN, (const int[]){0, 1}, 2);
    make(&t, named("a.raw"));
    const ct_array *port = &t.step->port[0];
    const ct_meta *meta = &port->meta;
    assert_string_equal(port->dim, "SPTC");
    assert_true(port->type == CT_CI8 && port->extent[1] == 2 && port->extent[3] == CHANNELS);
    assert_int_equal(meta->total, 2 * NEW + OVERLAP);
    assert_true(meta->start_mjd == 59337.5 && meta->sample_time_s == 2.5e-6);
    assert_float_equal(meta->start_s, 0.125 + 45.5 * 2.5e-6, 1e-12);
    assert_float_equal(meta->frequency_hz[0], 1400.4e6, 1e-6);
    assert_float_equal(meta->frequency_hz[2], 1399.6e6, 1e-6);
    assert_float_equal(meta->channel_width_hz, 0.4e6, 1e-6);
    assert_string_equal(meta->telescope, "GBT");
    assert_string_equal(meta->source_name, "B0329+54");
    assert_true(meta->src_raj == 33259.4 && meta->src_dej == 543443);
    assert_true(ct_array_feed(port) == CT_FEED_CIRCULAR);
    assert_ok(ct_stage_source_guppi.io.close(t.state, true, err));
    trial_free(&t);
}

/* Blocks of 7 samples in this order, from sample `from` on; `lost` begins a hole up to `found`. */
static void check(trial *t, const char *order, int64_t from, int64_t total, int64_t lost,
                  int64_t found)
{
    uint8_t flags[7];
    assert_ok(ct_stage_source_guppi.io.seek(t->state, from, err));
    for (int64_t got = 7; from < total; from += got) {
        int64_t index[CT_DIMS] = {0};
        trial_block(t, 7, order, 0, 1);
        memset(flags, 0xA5, sizeof flags);
        assert_ok(ct_stage_source_guppi.io.read(t->state, &t->block, flags, &got, err));
        assert_int_equal(got, total - from < 7 ? total - from : 7);
        do {
            const int64_t at = from + index[2];
            const bool there = index[2] < got && (at < lost || at >= found);
            const ct_complex value = ct_array_load(&t->block, trial_at(&t->block, index));
            assert_true(value.re == (there ? (int8_t)(at + 100 * index[3]) : 0));
            assert_true(value.im == (there ? (int8_t)(50 * index[1] - at) : 0));
            assert_int_equal(flags[index[2]], !there);
        } while (trial_next(&t->block, index));
    }
}

/* Orders of memory and file, and headers that are filled up; all blocks there. */
static void samples_are_in_their_places(void **unused)
{
    static const char *const cards[] = {PLAIN, PLAIN "DIRECTIO= 1;", PLAIN "CHANMAJ = 1;",
                                        "OVERLAP = 2;PIPERBLK= 1;PKTSTART= 5;"};
    (void)unused;
    for (size_t i = 0; i < sizeof cards / sizeof cards[0]; i++) {
        trial t;
        write_blocks("b.raw", cards[i], (const int[]){0, 1, 2, 3}, 4);
        make(&t, named("b.raw"));
        assert_true(ct_step_warned(t.step) == NULL || !*ct_step_warned(t.step));
        check(&t, "SPTC", 0, 4 * NEW + OVERLAP, 99, 99);
        check(&t, "CTPS", 0, 4 * NEW + OVERLAP, 99, 99);
        check(&t, "TCPS", 13, 4 * NEW + OVERLAP, 99, 99);
        assert_ok(ct_stage_source_guppi.io.close(t.state, true, err));
        trial_free(&t);
    }
}

/* Two blocks are lost between two files: what the block before repeats is there. */
static void holes_are_flagged(void **unused)
{
    (void)unused;
    trial t;
    char files[1300];
    write_blocks("c0.raw", PLAIN, (const int[]){0, 1}, 2);
    write_blocks("c1.raw", PLAIN, (const int[]){4, 5}, 2);
    snprintf(files, sizeof files, "[%s, %s]", named("c0.raw"), named("c1.raw"));
    make(&t, files);
    assert_non_null(strstr(ct_step_warned(t.step), "1 holes between blocks (PKTIDX), of 16 "));
    check(&t, "SPTC", 0, 6 * NEW + OVERLAP, 2 * NEW + OVERLAP, 4 * NEW);
    check(&t, "CPTS", 24, 6 * NEW + OVERLAP, 2 * NEW + OVERLAP, 4 * NEW);
    assert_ok(ct_stage_source_guppi.io.close(t.state, true, err));
    trial_free(&t);
}

static void warns(const char *cards, const int *places, size_t cut, const char *part)
{
    trial t;
    static written file;
    file.length = 0;
    for (int i = 0; i < 2; i++)
        add_block(&file, cards, places[i], NEW * i, false);
    file.length -= cut;
    save(&file, "w.raw");
    make(&t, named("w.raw"));
    if (!strstr(ct_step_warned(t.step), part))
        fail_msg("no \"%s\": %s", part, ct_step_warned(t.step));
    assert_ok(ct_stage_source_guppi.io.close(t.state, true, err));
    trial_free(&t);
}

static void doubts_are_said(void **unused)
{
    (void)unused;
    warns(PLAIN, (const int[]){0, 1}, 5, "w.raw: ends within a block: its last ");
    warns(PLAIN, (const int[]){0, 1}, 200, "w.raw: ends within a block: its last ");
    warns(PLAIN, (const int[]){1, 1}, 0, "1 blocks begin before the block before them ends");
    warns("OVERLAP = 2;", (const int[]){0, 1}, 0, "a lost block is not noticed");
    warns("NPOL    = 2;", (const int[]){0, 1}, 0, "NPOL 2 is taken as real and imaginary part");
}

static void fails(const char *first, const char *second, int64_t index, const char *part)
{
    trial t;
    static written file;
    file.length = 0;
    add_block(&file, first, 0, 0, false);
    add_block(&file, second, index, NEW, false);
    save(&file, "f.raw");
    assert_ok(trial_make(&t, &ct_stage_source_guppi, err, "{'files': %s, 'max_gap_s': 1}",
                         named("f.raw")));
    assert_fails(ct_step_infer(t.step, err), CT_DATA, part);
    trial_free(&t);
}

static void mistakes_are_named(void **unused)
{
    (void)unused;
    fails("NBITS = 7;", "", 1, "NBITS: expected 2, 4 or 8, found 7");
    fails("NPOL = 3;", "", 1, "NPOL: expected 4 (two polarizations");
    fails("NPOL = x;", "", 1, "NPOL: expected a number, found \"x\"");
    fails("TBIN = 0;", "", 1, "TBIN: expected a number above 0, found 0 s");
    fails("TBIN = nan;", "", 1, "TBIN: expected a number, found \"nan\"");
    fails("OBSFREQ = -3;", "", 1, "OBSFREQ: expected a number above 0, found -3 MHz");
    fails("OVERLAP = 11;", "", 1, "OVERLAP: expected less than the 11 samples of a block");
    fails("BLOCSIZE = 131;", "", 1, "BLOCSIZE: expected whole samples, of 96 bits each");
    fails("BLOCSIZE = 1e30;", "", 1, "BLOCSIZE: expected a whole number from 1 to ");
    fails("BLOCSIZE = 120000;", "", 1, "expected a whole block after its header");
    fails("NANTS = 3;", "", 1, "NANTS: expected one antenna, found 3");
    fails("OBSNCHAN = 1;TBIN = 4.16e-7;", "", 1, "real ones are not read");
    fails(PLAIN, PLAIN "BLOCSIZE = 120;", 1, "BLOCSIZE: expected 132 as in the first block of ");
    fails(PLAIN, PLAIN "OBSFREQ = 1401;", 1, "OBSFREQ: expected 1400 as in the first block of ");
    fails(PLAIN, PLAIN, 1000000, "PKTIDX: a hole of 22.5 s before the block at byte ");
    fails("BLOCSIZE = 120;", "", 1, "expected a header's card, such as ");
}

static void files_are_described(void **unused)
{
    (void)unused;
    char *text;
    write_blocks("d.raw", PLAIN, (const int[]){0, 1, 2}, 3);
    assert_ok(ct_describe_file(&text, trial_path("d.raw"), err));
    static const char *const lines[] = {"GUPPI raw, voltages", "T 29, C 3, P 2",
                                        "3 of 11 samples, of which the next repeats 2",
                                        "8 bits, read as ci8", "-1.2 MHz about 1400 MHz"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (!strstr(text, lines[i])) fail_msg("no \"%s\" in %s", lines[i], text);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_are_read),   cmocka_unit_test(samples_are_in_their_places),
        cmocka_unit_test(holes_are_flagged),  cmocka_unit_test(doubts_are_said),
        cmocka_unit_test(mistakes_are_named), cmocka_unit_test(files_are_described),
    };
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}

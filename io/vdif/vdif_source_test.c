/* vdif_source_test.c: what of files of VDIF frames is where: threads, channels, times; frames that
 * are lost, late, twice, wrong. */
#include "io_trial.h"
#include "vdif.h"

extern const ct_stage ct_stage_source_vdif;

enum { MOST = 1 << 17 };

/* Bytes of a file that is made frame by frame. */
typedef struct frames {
    ct_vdif header;
    size_t bytes;
    uint8_t data[MOST];
} frames;

/* 8 bits, one channel: number n of a thread is the low byte of n + 50 thread, as an offset code. */
static void add_frame(frames *out, int64_t frame, int64_t thread)
{
    out->header.frame = frame;
    out->header.thread = thread;
    const int64_t payload = out->header.bytes - out->header.head;
    assert_true(out->bytes + (size_t)out->header.bytes <= MOST);
    ct_vdif_print(out->data + out->bytes, &out->header);
    for (int64_t i = 0; i < payload; i++)
        out->data[out->bytes + (size_t)(out->header.head + i)] =
            (uint8_t)(frame * payload + i + 50 * thread);
    out->bytes += (size_t)out->header.bytes;
}

static double number(int64_t sample, int64_t thread)
{
    return (double)(uint8_t)(sample + 50 * thread) - 128;
}

static const ct_vdif plain = {.second = 1000,
                              .epoch = 42,
                              .bytes = 32 + 16,
                              .head = 32,
                              .channels = 1,
                              .bits = 8,
                              .edv = 1,
                              .rate_hz = 16000};

static void make(trial *t, const frames *file, const char *more)
{
    trial_write(trial_path("a.vdif"), file->data, file->bytes);
    assert_ok(
        trial_make(t, &ct_stage_source_vdif, err, "{'files': '%s'%s}", trial_path("a.vdif"), more));
    assert_ok(ct_step_infer(t->step, err));
    assert_ok(ct_stage_source_vdif.io.open(t->step, &t->state, err));
}

/* Samples from `from` on, of two threads, P; `lost` says of a thread's frames which are. */
static void check_block(trial *t, const char *order, int64_t from, int64_t count, int64_t total,
                        bool (*lost)(int64_t frame, int64_t thread))
{
    int64_t got, index[CT_DIMS] = {0};
    uint8_t flags[200];
    trial_block(t, count, order, 0, 1);
    assert_ok(ct_stage_source_vdif.io.read(t->state, &t->block, flags, &got, err));
    assert_int_equal(got, total - from < count ? total - from : count);
    do {
        const int64_t sample = from + index[2], frame = sample / 16, thread = index[1];
        const double found = ct_array_load(&t->block, trial_at(&t->block, index)).re;
        const bool end = index[2] >= got, gone = end || lost(frame, thread);
        if (found != (gone ? 0 : number(sample, thread)))
            fail_msg("sample %d of thread %d: %g", (int)sample, (int)thread, found);
        assert_int_equal(flags[index[2]], end || lost(frame, 0) || lost(frame, 1));
    } while (trial_next(&t->block, index));
}

static bool none_lost(int64_t frame, int64_t thread)
{
    (void)frame, (void)thread;
    return false;
}

static void samples_are_in_their_places(void **unused)
{
    static const int64_t heads[] = {CT_VDIF_HEADER, CT_VDIF_LEGACY};
    (void)unused;
    for (size_t i = 0; i < 2; i++) {
        trial t;
        frames *file = calloc(1, sizeof *file);
        file->header = plain;
        file->header.head = heads[i];
        file->header.bytes = heads[i] + 16;
        file->header.legacy = heads[i] == CT_VDIF_LEGACY;
        if (file->header.legacy) file->header.edv = -1;
        for (int64_t f = 0; f < 6; f++)
            for (int64_t thread = 1; thread >= 0; thread--)
                add_frame(file, f, thread);
        make(&t, file, ", 'sample_rate_hz': 16000, 'feed': 'linear'");
        const ct_meta *meta = &t.step->port[0].meta;
        assert_string_equal(t.step->port[0].dim, "SPT");
        assert_int_equal(t.step->port[0].type, CT_I8);
        assert_int_equal(meta->total, 96);
        assert_true(meta->start_mjd == 59215 + 1000 / 86400.0);
        assert_true(meta->sample_time_s == 1 / 16000.0 && meta->start_s == 0.5 / 16000.0);
        assert_true(meta->channel_width_hz == 8000);
        assert_int_equal(ct_array_feed(&t.step->port[0]), CT_FEED_LINEAR);
        check_block(&t, "SPT", 0, 37, 96, none_lost);
        check_block(&t, "TPS", 37, 7, 96, none_lost);
        check_block(&t, "PTS", 44, 60, 96, none_lost);
        assert_ok(ct_stage_source_vdif.io.seek(t.state, 70, err));
        check_block(&t, "SPT", 70, 20, 96, none_lost);
        assert_ok(ct_stage_source_vdif.io.close(t.state, true, err));
        trial_free(&t);
        free(file);
    }
}

static bool some_lost(int64_t frame, int64_t thread)
{
    return (frame == 3 && thread == 1) || (frame >= 8 && frame < 30) ||
           (frame == 40 && thread == 0);
}

/* In every order that the window allows, with every frame of a set early or late. */
static void lost_frames_are_flagged(void **unused)
{
    (void)unused;
    trial t;
    frames *file = calloc(1, sizeof *file);
    file->header = plain;
    for (int64_t f = 0; f < 60; f++)
        for (int64_t thread = 0; thread < 2; thread++) {
            const int64_t at = f + (thread ? 0 : f % 3 == 1 ? 1 : f % 3 == 2 ? -1 : 0);
            const bool invalid = at == 40 && thread == 0;
            if (some_lost(at, thread) && !invalid) continue;
            file->header.invalid = invalid;
            add_frame(file, at, thread);
            if (f == 35) add_frame(file, at, thread);                 /* twice */
            if (f == 50) add_frame(file, at - 20, thread);            /* too late */
            if (f == 45 && thread) add_frame(file, at + 400, thread); /* a wrong time */
            if (f == 36) file->bytes += 13;                           /* no frame */
        }
    make(&t, file, ", 'reorder': 8");
    assert_int_equal(t.step->port[0].meta.total, 960);
    for (int64_t from = 0; from < 960; from += 77)
        check_block(&t, from % 2 ? "SPT" : "TSP", from, 77, 960, some_lost);
    static const struct {
        const char *name;
        double count;
    } rows[] = {{"frames_lost", 1 + 2 * 22},
                {"frames_invalid", 1},
                {"frames_late", 2},
                {"frames_repeated", 2},
                {"frames_wrong", 1}};
    const ct_counter *counter = ct_stage_source_vdif.io.count(t.state);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_string_equal(counter[i + 1].name, rows[i].name);
        assert_true(counter[i + 1].value == rows[i].count);
    }
    for (int64_t from = 958; from > 0; from -= 61) {
        assert_ok(ct_stage_source_vdif.io.seek(t.state, from, err));
        check_block(&t, "SPT", from, 40, 960, some_lost);
    }
    assert_ok(ct_stage_source_vdif.io.close(t.state, true, err));
    trial_free(&t);
    assert_ok(trial_make(&t, &ct_stage_source_vdif, err,
                         "{'files': '%s', 'reorder': 8, 'max_gap_s': 0.021}",
                         trial_path("a.vdif")));
    assert_ok(ct_step_infer(t.step, err));
    assert_ok(ct_stage_source_vdif.io.open(t.step, &t.state, err));
    int64_t got;
    trial_block(&t, 960, "SPT", 0, 1);
    assert_fails(ct_stage_source_vdif.io.read(t.state, &t.block, NULL, &got, err), CT_DATA,
                 "a.vdif: 0.022 s without frames before thread 0, second 1000, frame 30: expected "
                 "at most 0.021 (\"max_gap_s\")");
    assert_ok(ct_stage_source_vdif.io.close(t.state, false, err));
    trial_free(&t);
    free(file);
}

/* Threads as channels, as polarizations, chosen ones; what a lost one flags. */
static void threads_are_channels_or_polarizations(void **unused)
{
    static const struct {
        const char *more, *dims;
        int64_t pols, channels, groups, of[2][3]; /* thread of [P][C] */
    } rows[] = {{"", "SPTC", 1, 3, 3, {{0, 1, 4}, {0}}},
                {", 'threads': [4, 1]", "SPT", 2, 1, 1, {{4}, {1}}},
                {", 'threads': [4, 1], 'polarizations': 'none'", "SPTC", 1, 2, 2, {{4, 1}, {0}}},
                {", 'threads': [1]", "SPT", 1, 1, 1, {{1}, {0}}}};
    (void)unused;
    frames *file = calloc(1, sizeof *file);
    file->header = plain;
    for (int64_t f = 0; f < 20; f++) {
        add_frame(file, f, 4);
        if (f != 2) add_frame(file, f, 1);
        add_frame(file, f, 0);
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        trial t;
        uint8_t flags[3 * 48];
        int64_t got;
        make(&t, file, rows[i].more);
        const ct_array *port = &t.step->port[0];
        assert_string_equal(port->dim, rows[i].dims);
        assert_int_equal(ct_array_extent(port, 'P'), rows[i].pols);
        assert_int_equal(ct_array_extent(port, 'C'), rows[i].channels);
        assert_int_equal(ct_array_groups(port), rows[i].groups);
        trial_block(&t, 48, rows[i].dims, 0, 1);
        assert_ok(ct_stage_source_vdif.io.read(t.state, &t.block, flags, &got, err));
        for (int64_t p = 0; p < rows[i].pols; p++)
            for (int64_t c = 0; c < rows[i].channels; c++)
                for (int64_t s = 0; s < 48; s++) {
                    const int64_t thread = rows[i].of[p][c];
                    const int64_t at = p * ct_array_stride(&t.block, 'P') +
                                       c * ct_array_stride(&t.block, 'C') +
                                       s * ct_array_stride(&t.block, 'T');
                    const bool lost = thread == 1 && s >= 32;
                    assert_true(ct_array_load(&t.block, at).re == (lost ? 0 : number(s, thread)));
                    if (rows[i].groups > 1) assert_int_equal(flags[c * 48 + s], lost);
                }
        assert_ok(ct_stage_source_vdif.io.close(t.state, true, err));
        trial_free(&t);
    }
    free(file);
}

static void fails(const frames *file, const char *more, ct_status status, const char *part)
{
    trial t;
    trial_write(trial_path("f.vdif"), file->data, file->bytes);
    assert_ok(trial_make(&t, &ct_stage_source_vdif, err, "{'files': '%s'%s}", trial_path("f.vdif"),
                         more));
    assert_fails(ct_step_infer(t.step, err), status, part);
    trial_free(&t);
}

static void mistakes_are_named(void **unused)
{
    (void)unused;
    frames *file = calloc(1, sizeof *file);
    file->header = plain;
    for (int64_t f = 0; f < 20; f++)
        add_frame(file, f, 3);
    fails(file, ", 'threads': [2]", CT_INVALID, "expected some of 3, which ");
    fails(file, ", 'threads': [3, 3]", CT_INVALID, "expected each once, found 3 twice");
    fails(file, ", 'threads': []", CT_INVALID, "expected at least one");
    fails(file, ", 'polarizations': 'threads'", CT_INVALID, "an even number of threads, found 1");
    fails(file, ", 'polarizations': 'channels'", CT_INVALID, "an even number of channels");
    fails(file, ", 'sample_rate_hz': 16001", CT_INVALID,
          "a whole number of frames of 16 samples a second");
    free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_in_their_places),
        cmocka_unit_test(lost_frames_are_flagged),
        cmocka_unit_test(threads_are_channels_or_polarizations),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}

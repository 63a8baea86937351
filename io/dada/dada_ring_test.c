/* dada_ring_test.c: source.dada and sink.dada at a ring of the test's own, whose blocks end within
 * samples, which is empty or full whenever it is asked first, and which PSRDADA's library is not
 * needed for. tests/io/ring_test.sh has the real ones. */
#include "dada_ring.h"
#include "io_trial.h"

extern const ct_stage ct_stage_source_dada, ct_stage_sink_dada;

enum { MOST = 4096, SAMPLE = 6, SAMPLES = 50, BYTES = SAMPLE * SAMPLES };

/* One ring, which holds all that was written. */
struct ct_ring {
    char header[CT_DADA_HEADER];
    uint8_t data[MOST], block[MOST];
    size_t bytes, read, size; /* of data; of a block */
    int asked, attached;
    bool begun, has, left, ended;
};

static bool fake_waits(ct_ring *ring)
{
    return ring->asked++ % 2 == 0;
}

static ct_ring *fake;

static ct_ring_answer fake_attach(ct_ring **out, uint32_t key, bool writes, char why[CT_RING_WHY])
{
    (void)writes, (void)why;
    assert_int_equal(key, 0xdada);
    *out = fake;
    if (fake_waits(fake)) return CT_RING_BUSY;
    fake->attached++;
    return CT_RING_DONE;
}

static void fake_release(ct_ring *ring)
{
    ring->attached--;
}

static void fake_sizes(const ct_ring *ring, ct_ring_sizes *out)
{
    *out = (ct_ring_sizes){4, ring->size, (ring->bytes - ring->read) / ring->size};
}

static ct_ring_answer fake_peek(ct_ring *ring, const char **text, size_t *bytes)
{
    *text = ring->header;
    *bytes = sizeof ring->header;
    return fake_waits(ring) ? CT_RING_WAIT : CT_RING_DONE;
}

static ct_ring_answer fake_begin(ct_ring *ring, char why[CT_RING_WHY])
{
    (void)why;
    ring->begun = true;
    return CT_RING_DONE;
}

static ct_ring_answer fake_next(ct_ring *ring, const uint8_t **data, size_t *bytes,
                                char why[CT_RING_WHY])
{
    (void)why;
    const size_t left = ring->bytes - ring->read;
    if (left == 0 && ring->left) return CT_RING_LEFT;
    if (fake_waits(ring)) return CT_RING_WAIT;
    if (left == 0) return CT_RING_END;
    *bytes = left < ring->size ? left : ring->size;
    memset(ring->block, 0xAA, sizeof ring->block); /* the one before is given back */
    memcpy(ring->block, ring->data + ring->read, *bytes);
    *data = ring->block;
    ring->read += *bytes;
    return CT_RING_DONE;
}

static ct_ring_answer fake_put_header(ct_ring *ring, const char *text, size_t bytes,
                                      char why[CT_RING_WHY])
{
    (void)why;
    if (fake_waits(ring)) return CT_RING_WAIT;
    assert_int_equal(bytes, CT_DADA_HEADER);
    memcpy(ring->header, text, bytes);
    ring->begun = true;
    return CT_RING_DONE;
}

static void fake_pass(ct_ring *ring, size_t bytes)
{
    assert_true(ring->begun && ring->bytes + bytes <= MOST);
    memcpy(ring->data + ring->bytes, ring->block, bytes);
    ring->bytes += bytes;
    ring->has = false;
}

static ct_ring_answer fake_room(ct_ring *ring, uint8_t **data, size_t *bytes, char why[CT_RING_WHY])
{
    (void)why;
    if (fake_waits(ring)) return CT_RING_WAIT;
    if (ring->has) fake_pass(ring, ring->size);
    *data = ring->block;
    *bytes = ring->size;
    ring->has = true;
    return CT_RING_DONE;
}

static ct_ring_answer fake_end(ct_ring *ring, size_t bytes, char why[CT_RING_WHY])
{
    (void)why;
    if (fake_waits(ring)) return CT_RING_WAIT;
    if (ring->has) fake_pass(ring, bytes);
    ring->ended = true;
    return CT_RING_DONE;
}

static const ct_ring_calls fake_calls = {
    CT_RING_VERSION, fake_attach, fake_release,    fake_sizes, fake_peek,
    fake_begin,      fake_next,   fake_put_header, fake_room,  fake_end};

static const ct_dada_ring fake_ring = {.calls = &fake_calls, .key = 0xdada, .name = "ring dada"};

static uint8_t byte_at(size_t i)
{
    return (uint8_t)(i * 7 + i / 251);
}

static void ring_new(ct_ring *ring, size_t size, size_t bytes)
{
    memset(ring, 0, sizeof *ring);
    ring->size = size;
    ring->bytes = bytes;
    for (size_t i = 0; i < bytes; i++)
        ring->data[i] = byte_at(i);
    fake = ring;
}

/* ---- a source */

static const ct_counter *counter(const ct_counter *of, const char *name)
{
    for (; of->name; of++)
        if (strcmp(of->name, name) == 0) return of;
    return NULL;
}

/* A step with T, C and P of `samples` bytes each, in this order in the ring. */
static void step_make(trial *t, const ct_stage *stage, ct_dada_ring_plan *plan)
{
    const ct_layout order = {.rank = 3, .dim = "TCP"};
    assert_ok(trial_make(t, stage, err, "{'key': 'dada'}"));
    ct_array *port = &t->step->port[0];
    *port = (ct_array){.type = CT_I8};
    ct_array_add(port, 'P', 2);
    ct_array_add(port, 'T', SAMPLES);
    ct_array_add(port, 'C', 3);
    port->meta.total = -1;
    port->meta.sample_time_s = 0.5;
    *plan = (ct_dada_ring_plan){.of = fake_ring, .sample_bytes = SAMPLE, .header = ""};
    plan->of.step = t->step;
    plan->order = ct_region_order_dense(&order, port, -1);
}

static void check_samples(trial *t, int64_t from, int64_t got)
{
    int64_t index[CT_DIMS] = {0};
    do {
        const size_t at = (size_t)((from + index[1]) * SAMPLE + index[2] * 2 + index[0]);
        const double found = ct_array_load(&t->block, trial_at(&t->block, index)).re;
        assert_true(found == (index[1] < got ? (int8_t)byte_at(at) : 0));
    } while (trial_next(&t->block, index));
}

static void check_source(size_t size, size_t bytes, const char *order, int64_t samples)
{
    trial t;
    ct_ring ring;
    ct_dada_ring_plan plan;
    ct_dada_ring_source *source;
    int64_t got = samples, all = 0;
    ring_new(&ring, size, bytes);
    step_make(&t, &ct_stage_source_dada, &plan);
    assert_ok(ct_dada_ring_source_open(&source, t.step, &plan, err));
    assert_true(ring.begun && ring.attached == 1);
    const double full = counter(ct_dada_ring_source_count(source), "behind")->value;
    const size_t whole = bytes / size * size;
    assert_true(full == (double)whole / (SAMPLE / 0.5));
    for (; got == samples; all += got) {
        trial_block(&t, samples, order, 0, 1);
        assert_ok(ct_dada_ring_source_read(source, &t.block, NULL, &got, err));
        check_samples(&t, all, got);
    }
    assert_int_equal(all, bytes / SAMPLE);
    assert_true(counter(ct_dada_ring_source_count(source), "read")->value == (double)bytes);
    assert_true(counter(ct_dada_ring_source_count(source), "most_behind")->value == full);
    ct_dada_ring_source_close(source, false);
    assert_int_equal(ring.attached, 0);
    trial_free(&t);
}

static void samples_come_out_of_blocks_of_any_size(void **unused)
{
    static const size_t sizes[] = {1, 5, SAMPLE, 7, 17, 64, BYTES, MOST};
    (void)unused;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        check_source(sizes[i], BYTES, "TCP", 7);
        check_source(sizes[i], BYTES, "PCT", 10);
        check_source(sizes[i], BYTES - 1, "CTP", 60);
        check_source(sizes[i], 0, "TCP", 7);
    }
}

/* Nobody writes to it any more, and nobody has said so. */
static void a_ring_that_was_left_ends(void **unused)
{
    (void)unused;
    trial t;
    ct_ring ring;
    ct_dada_ring_plan plan;
    ct_dada_ring_source *source;
    int64_t got;
    ring_new(&ring, 64, 63);
    ring.left = true;
    step_make(&t, &ct_stage_source_dada, &plan);
    assert_ok(ct_dada_ring_source_open(&source, t.step, &plan, err));
    trial_block(&t, 20, "TCP", 0, 1);
    assert_ok(ct_dada_ring_source_read(source, &t.block, NULL, &got, err));
    assert_int_equal(got, 10);
    check_samples(&t, 0, 10);
    ct_dada_ring_source_close(source, false);
    trial_free(&t);
}

static void another_header_is_refused(void **unused)
{
    (void)unused;
    trial t;
    ct_ring ring;
    ct_dada_ring_plan plan;
    ct_dada_ring_source *source;
    ring_new(&ring, 64, 64);
    step_make(&t, &ct_stage_source_dada, &plan);
    snprintf(ring.header, sizeof ring.header, "NBIT 8\nFREQ 1400\n");
    plan.header = "NBIT 8\nFREQ 1300\n";
    plan.header_bytes = strlen(plan.header);
    assert_fails(ct_dada_ring_source_open(&source, t.step, &plan, err), CT_DATA,
                 "ring dada: another program has taken the observation");
    assert_int_equal(ring.attached, 0);
    plan.header = ring.header;
    assert_ok(ct_dada_ring_source_open(&source, t.step, &plan, err));
    ct_dada_ring_source_close(source, false);
    trial_free(&t);
}

/* What a file must say, a ring need not: where its header ends, and which keys come first. */
static void headers_of_rings_are_read(void **unused)
{
    static const char text[] = "# of a telescope\nNBIT 8\nNDIM 2\nNPOL 2\nNCHAN 3\nTSAMP 2.5\n";
    (void)unused;
    ct_dada header;
    char room[CT_DADA_HEADER];
    memset(room, 'x', sizeof room);
    memcpy(room, text, sizeof text);
    assert_ok(ct_dada_take(&header, room, sizeof room, "ring dada", err));
    assert_true(header.channels == 3 && header.tsamp_us == 2.5 && header.header_bytes == 4096);
    assert_fails(ct_dada_take(&header, "NCHAN 2\n", 8, "ring dada", err), CT_DATA,
                 "ring dada: the header has no line NBIT");
    assert_fails(ct_dada_take(&header, "NBIT 8\nTSAMP 0\n", 15, "ring dada", err), CT_DATA,
                 "ring dada: TSAMP: expected a number above 0");
}

/* ---- a sink */

static void check_sink(size_t size, const char *order, int64_t samples)
{
    trial t;
    ct_ring ring;
    ct_dada_ring_plan plan;
    ct_dada_ring_sink *sink;
    const char header[CT_DADA_HEADER] = "NBIT 8\n";
    int64_t index[CT_DIMS];
    ring_new(&ring, size, 0);
    step_make(&t, &ct_stage_sink_dada, &plan);
    assert_ok(ct_dada_ring_sink_open(&sink, t.step, &plan.of, "TCPQ", header, err));
    assert_string_equal(ring.header, "NBIT 8\n");
    for (int64_t done = 0; done < SAMPLES; done += samples) {
        const int64_t count = SAMPLES - done < samples ? SAMPLES - done : samples;
        trial_block(&t, samples + 2, order, 0, 2);
        memset(index, 0, sizeof index);
        do {
            const size_t at = (size_t)((done + index[1] - 2) * SAMPLE + index[2] * 2 + index[0]);
            if (index[1] >= 2)
                ct_array_save(&t.block, trial_at(&t.block, index), (int8_t)byte_at(at), 0);
        } while (trial_next(&t.block, index));
        assert_ok(ct_dada_ring_sink_write(sink, &t.block, 2, count, err));
    }
    assert_true(ct_dada_ring_sink_count(sink)->value == BYTES);
    assert_ok(ct_dada_ring_sink_close(sink, true, err));
    assert_true(ring.ended && ring.attached == 0);
    assert_int_equal(ring.bytes, BYTES);
    for (size_t i = 0; i < BYTES; i++)
        assert_int_equal(ring.data[i], byte_at(i));
    trial_free(&t);
}

static void samples_go_into_blocks_of_any_size(void **unused)
{
    static const size_t sizes[] = {1, 5, SAMPLE, 7, 17, 64, BYTES, MOST};
    (void)unused;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        check_sink(sizes[i], "TCP", 7);
        check_sink(sizes[i], "PCT", 10);
        check_sink(sizes[i], "CTP", 60);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_come_out_of_blocks_of_any_size),
        cmocka_unit_test(a_ring_that_was_left_ends),
        cmocka_unit_test(another_header_is_refused),
        cmocka_unit_test(headers_of_rings_are_read),
        cmocka_unit_test(samples_go_into_blocks_of_any_size),
    };
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}

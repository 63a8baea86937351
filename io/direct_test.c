/* direct_test.c: a long output that is written past the cache of pages has the bytes that were put,
 * whatever their places and lengths, and where the file system does not take them so, too.
 * Room: tests of io. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_DIRECT */
#endif
#include "io/shared/output.h"
#include "io_trial.h"
#include <fcntl.h>
#include <unistd.h>

extern const ct_stage ct_stage_sink_npy;

enum { BYTES = 12 << 20, PUTS = 400 };

typedef struct made {
    trial t;
    ct_output out;
    uint8_t *put, *expected, *found;
} made;

static void begin(made *m, bool able)
{
    assert_ok(trial_make(&m->t, &ct_stage_sink_npy, err, "{'file': '%s'}", trial_path("a.npy")));
    assert_ok(ct_output_open(&m->out, m->t.step, trial_path("a.bin"), true, err));
    assert_ok(ct_output_widen(&m->out));
    assert_int_equal(m->out.direct.after, CT_DIRECT_CACHED);
    m->out.direct.after = 100000; /* so that the test need not write so much */
    m->out.direct.able = able;
    assert_int_equal(posix_memalign((void **)&m->put, CT_DIRECT_PAGE, BYTES), 0);
    m->expected = calloc(1, BYTES);
    m->found = malloc(BYTES);
    for (int64_t k = 0; k < BYTES; k++)
        m->put[k] = (uint8_t)((uint64_t)k * 0x9e3779b97f4a7c15u >> 56);
}

static void put(made *m, int64_t position, int64_t from, int64_t bytes)
{
    assert_ok(ct_output_put(&m->out, position, m->put + from, (size_t)bytes, err));
    memcpy(m->expected + position, m->put + from, (size_t)bytes);
}

/* What stands in the file, by a descriptor of its own. */
static void end(made *m)
{
    assert_ok(ct_output_flush(&m->out, true, err));
    const int file = open(m->out.staged.path, O_RDONLY);
    memset(m->found, 0x55, BYTES);
    assert_int_equal(pread(file, m->found, BYTES, 0), m->out.end);
    assert_memory_equal(m->found, m->expected, (size_t)m->out.end);
    close(file);
    assert_ok(ct_output_close(&m->out, true, err));
    ct_staged_discard(ct_step_staged(m->t.step));
    free(m->put);
    free(m->expected);
    free(m->found);
    trial_free(&m->t);
}

static bool system_takes(const char *path)
{
    const int file = open(path, O_WRONLY | O_DIRECT);
    if (file >= 0) close(file);
    return file >= 0;
}

/* In order: lengths from a byte to more than the window, memory aligned as the file or not. */
static void write_in_order(made *m)
{
    uint64_t random = 1;
    int64_t at = 0;
    for (int k = 0; at < BYTES; k++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        int64_t bytes = 1 + (int64_t)(random >> 40) % (1 << (k % 5 * 5 + 2));
        if (bytes > BYTES - at) bytes = BYTES - at;
        const int64_t moved = k % 3 == 0 ? at : (int64_t)(random >> 33) % BYTES;
        put(m, at, moved + bytes <= BYTES ? moved : at, bytes);
        at += bytes;
        if (k % 16 == 0) assert_ok(ct_output_flush(&m->out, false, err));
    }
}

static void in_order(void **state)
{
    (void)state;
    for (int able = 0; able < 2; able++) {
        made m = {0};
        begin(&m, able == 1);
        write_in_order(&m);
        assert_ok(ct_output_flush(&m.out, false, err));
        if (able && system_takes(m.out.staged.path)) assert_true(m.out.direct.handle >= 0);
        if (!able) assert_true(m.out.direct.handle < 0);
        end(&m);
    }
}

/* Rows of an array of which T is not slowest, and what is written over once more. */
static void anywhere(void **state)
{
    uint64_t random = 7;
    made m = {0};
    (void)state;
    begin(&m, true);
    put(&m, 0, 0, BYTES);
    for (int k = 0; k < PUTS; k++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const int64_t bytes = (int64_t)(random >> 40) % (k % 8 == 0 ? 3 << 20 : 40000);
        const int64_t at = (int64_t)(random >> 20) % (BYTES - bytes);
        put(&m, k % 4 ? at : at / CT_DIRECT_PAGE * CT_DIRECT_PAGE, (BYTES - bytes) / 2, bytes);
        if (k % 32 == 0) assert_ok(ct_output_pause(&m.out, err));
    }
    end(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(in_order, trial_begin, trial_end),
        cmocka_unit_test_setup_teardown(anywhere, trial_begin, trial_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

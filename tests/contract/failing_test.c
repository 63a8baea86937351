/* failing_test.c: "Failing": a run remembers its first failure, says it again, and publishes
 * nothing; what a caller does wrong is CT_USAGE with a sentence; a cancelled run has failed. */
#include "contract.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>

/* The same failure from every call, and no file. */
static void expect_failed(contract *c, ct_status status, const char *sentence)
{
    for (int again = 0; again < 2; again++) {
        ct_error block = {0}, finish = {0}, bind = {0};
        contract_end end = {0};
        const ct_io io = {sizeof io, &end, contract_read, contract_write, NULL};
        assert_int_equal(ct_run_block(c->run, &block), status);
        assert_int_equal(ct_run_finish(c->run, &finish), status);
        assert_int_equal(ct_run_bind(c->run, "out", &io, &bind), status);
        assert_string_equal(block.text, sentence);
        assert_string_equal(finish.text, sentence);
        assert_string_equal(bind.text, sentence);
        assert_int_equal(contract_files(c), 0);
    }
    assert_null(ct_run_file(c->run, 0));
    ct_run_free(c->run);
    c->run = NULL;
    assert_int_equal(contract_files(c), 0);
}

static void a_failed_block_publishes_nothing(void **state)
{
    contract c;
    ct_error err = {0};
    contract_end gone = {.at = 2, .then = CT_DATA, .sentence = "the receiver is gone"};
    (void)state;
    contract_open(&c, CONTRACT_PIPELINE);
    contract_bind(c.run, "in", &gone);
    contract_must(ct_run_block(c.run, &err), &err);
    assert_int_equal(ct_run_block(c.run, &err), CT_DATA);
    assert_string_equal(err.text, "the receiver is gone");
    expect_failed(&c, CT_DATA, "the receiver is gone");
    contract_close(&c);
}

static void a_failed_sink_takes_the_others_with_it(void **state)
{
    contract c;
    ct_error err = {0};
    contract_end full = {.at = 3, .then = CT_DATA, .sentence = "the tape\nis full"};
    (void)state;
    contract_open(&c, CONTRACT_PIPELINE);
    contract_bind(c.run, "out", &full);
    contract_must(ct_run_block(c.run, &err), &err);
    contract_must(ct_run_block(c.run, &err), &err);
    assert_int_equal(ct_run_block(c.run, &err), CT_DATA);
    assert_int_equal(err.count, 2);
    expect_failed(&c, CT_DATA, "the tape\nis full");
    contract_close(&c);
}

static void a_failure_without_words_gets_some(void **state)
{
    contract c;
    contract_end mute = {.at = 1, .then = CT_NO_DEVICE};
    (void)state;
    contract_open(&c, CONTRACT_PIPELINE);
    contract_bind(c.run, "in", &mute);
    expect_failed(&c, CT_NO_DEVICE,
                  "the run failed with status 4, and whoever failed did not say why");
    contract_close(&c);
}

static void nonsense_of_a_source_is_refused(void **state)
{
    static const int64_t got[] = {-1, 241};
    (void)state;
    for (int i = 0; i < 2; i++) {
        contract c;
        char sentence[128];
        contract_end end = {.got = got[i]};
        contract_open(&c, CONTRACT_PIPELINE);
        contract_bind(c.run, "in", &end);
        snprintf(sentence, sizeof sentence,
                 "node \"in\": its read() says that it gave %d samples of a block of 240",
                 (int)got[i]);
        expect_failed(&c, CT_FAILED, sentence);
        contract_close(&c);
    }
}

/* What describes the array cannot get its name where a folder has it. */
static void a_failed_finish_stays_failed(void **state)
{
    contract c;
    ct_error err = {0}, again = {0};
    char folder[64];
    ct_status status = CT_OK;
    (void)state;
    contract_open(&c, CONTRACT_HEAD CONTRACT_SOURCE CONTRACT_SINK("raw", "in") "}}");
    while (status == CT_OK)
        status = ct_run_block(c.run, &err);
    assert_int_equal(status, CT_EOF);
    snprintf(folder, sizeof folder, "%s/raw.npy.json", c.folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(ct_run_finish(c.run, &err), CT_DATA);
    assert_int_equal(ct_run_finish(c.run, &again), CT_DATA);
    assert_string_equal(err.text, again.text);
    assert_int_equal(ct_run_block(c.run, NULL), CT_DATA);
    assert_null(ct_run_file(c.run, 0));
    assert_int_equal(contract_files(&c), 1); /* the folder */
    contract_close(&c);
}

/* ---------------------------------------------------------------- misuse */

static void expect_usage(ct_status status, ct_error *err, const char *words)
{
    assert_int_equal(status, CT_USAGE);
    if (!strstr(err->text, words)) fail_msg("found \"%s\", expected \"%s\"", err->text, words);
    *err = (ct_error){0};
}

static void misuse_before_the_first_block(void **state)
{
    contract c;
    ct_error err = {0};
    ct_run *none = NULL;
    contract_end end = {0};
    const ct_io io = {sizeof io, &end, contract_read, contract_write, NULL};
    const ct_io mute = {.size = sizeof mute}, sizeless = {0};
    (void)state;
    contract_open(&c, CONTRACT_PIPELINE);
    expect_usage(ct_run_block(NULL, &err), &err, "ct_run_block: there is no run");
    expect_usage(ct_run_finish(NULL, &err), &err, "ct_run_finish: there is no run");
    expect_usage(ct_run_bind(NULL, "in", &io, &err), &err, "ct_run_bind: there is no run");
    expect_usage(ct_run_new(&none, NULL, c.device, &err), &err, "there is no plan");
    expect_usage(ct_run_new(&none, c.plan, NULL, &err), &err, "there is no device");
    expect_usage(ct_run_bind(c.run, "fir", &io, &err), &err, "is no source or sink");
    expect_usage(ct_run_bind(c.run, "fire", &io, &err), &err, "no node \"fire\"");
    expect_usage(ct_run_bind(c.run, "in", &mute, &err), &err, "expected a read");
    expect_usage(ct_run_bind(c.run, "out", &mute, &err), &err, "expected a write");
    expect_usage(ct_run_bind(c.run, "out", &sizeless, &err), &err, ".size = sizeof(ct_io)");
    expect_usage(ct_run_bind(c.run, "out", NULL, &err), &err, "ct_io: none is given");
    contract_must(ct_run_block(c.run, &err), &err); /* none of this was a failure of the run */
    expect_usage(ct_run_bind(c.run, "out", &io, &err), &err, "before the first block");
    contract_close(&c);
}

static void misuse_after_the_end(void **state)
{
    contract c;
    ct_error err = {0};
    contract_end end = {0};
    const ct_io io = {sizeof io, &end, contract_read, contract_write, NULL};
    (void)state;
    contract_open(&c, CONTRACT_PIPELINE);
    for (int block = 0; block < 4; block++)
        contract_must(ct_run_block(c.run, &err), &err);
    assert_int_equal(ct_run_block(c.run, &err), CT_EOF);
    assert_int_equal(ct_run_block(c.run, &err), CT_EOF);
    contract_must(ct_run_finish(c.run, &err), &err);
    assert_int_equal(contract_files(&c), 4); /* two arrays, and what describes each */
    expect_usage(ct_run_block(c.run, &err), &err, "ct_run_block: the run is finished");
    expect_usage(ct_run_finish(c.run, &err), &err, "ct_run_finish: the run is finished");
    expect_usage(ct_run_bind(c.run, "out", &io, &err), &err, "ct_run_bind: the run is finished");
    ct_run_cancel(c.run); /* too late */
    expect_usage(ct_run_finish(c.run, &err), &err, "ct_run_finish: the run is finished");
    assert_non_null(ct_run_file(c.run, 0));
    assert_int_equal(contract_files(&c), 4);
    contract_close(&c);
}

/* ---------------------------------------------------------------- cancelling */

static const char cancelled[] = "interrupted: no output was written";

static void cancel(void *of)
{
    ct_run_cancel(of);
}

static void cancelled_between_blocks(void **state)
{
    contract c;
    ct_error err = {0};
    (void)state;
    ct_run_cancel(NULL);
    for (int blocks = 0; blocks <= 4; blocks++) {
        contract_open(&c, CONTRACT_PIPELINE);
        for (int block = 0; block < blocks; block++)
            contract_must(ct_run_block(c.run, &err), &err);
        ct_run_cancel(c.run);
        expect_failed(&c, CT_INTERRUPTED, cancelled);
        contract_close(&c);
    }
}

/* The block ends before the next step. */
static void cancelled_inside_a_block(void **state)
{
    contract c;
    ct_error err = {0};
    contract_end in = {.at = 2, .act = cancel}, out = {0};
    (void)state;
    contract_open(&c, CONTRACT_PIPELINE);
    in.of = c.run;
    contract_bind(c.run, "in", &in);
    contract_bind(c.run, "out", &out);
    contract_must(ct_run_block(c.run, &err), &err);
    assert_int_equal(ct_run_block(c.run, &err), CT_INTERRUPTED);
    assert_int_equal(out.calls, 1);
    expect_failed(&c, CT_INTERRUPTED, cancelled);
    contract_close(&c);
}

static _Atomic(ct_run *) signalled;

static void on_signal(int number)
{
    (void)number;
    ct_run_cancel(atomic_load(&signalled));
}

static void raise_signal(void *of)
{
    (void)of;
    raise(SIGUSR1);
}

static void cancelled_by_a_signal(void **state)
{
    contract c;
    contract_end in = {.at = 1, .act = raise_signal};
    (void)state;
    contract_open(&c, CONTRACT_PIPELINE);
    atomic_store(&signalled, c.run);
    signal(SIGUSR1, on_signal);
    contract_bind(c.run, "in", &in);
    expect_failed(&c, CT_INTERRUPTED, cancelled);
    signal(SIGUSR1, SIG_DFL);
    contract_close(&c);
}

typedef struct meeting {
    ct_run *run;
    atomic_bool reading, cancelled;
} meeting;

static void *cancel_when_it_reads(void *of)
{
    meeting *m = of;
    while (!atomic_load(&m->reading))
        usleep(100);
    ct_run_cancel(m->run);
    atomic_store(&m->cancelled, true);
    return NULL;
}

static void read_until_cancelled(void *of)
{
    meeting *m = of;
    atomic_store(&m->reading, true);
    while (!atomic_load(&m->cancelled))
        usleep(100);
}

static void cancelled_by_another_thread(void **state)
{
    contract c;
    pthread_t other;
    meeting m = {0};
    contract_end in = {.at = 3, .act = read_until_cancelled, .of = &m};
    ct_error err = {0};
    (void)state;
    contract_open(&c, CONTRACT_PIPELINE);
    m.run = c.run;
    contract_bind(c.run, "in", &in);
    assert_int_equal(pthread_create(&other, NULL, cancel_when_it_reads, &m), 0);
    contract_must(ct_run_block(c.run, &err), &err);
    contract_must(ct_run_block(c.run, &err), &err);
    assert_int_equal(ct_run_block(c.run, &err), CT_INTERRUPTED);
    pthread_join(other, NULL);
    expect_failed(&c, CT_INTERRUPTED, cancelled);
    contract_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_block_publishes_nothing),
        cmocka_unit_test(a_failed_sink_takes_the_others_with_it),
        cmocka_unit_test(a_failure_without_words_gets_some),
        cmocka_unit_test(nonsense_of_a_source_is_refused),
        cmocka_unit_test(a_failed_finish_stays_failed),
        cmocka_unit_test(misuse_before_the_first_block),
        cmocka_unit_test(misuse_after_the_end),
        cmocka_unit_test(cancelled_between_blocks),
        cmocka_unit_test(cancelled_inside_a_block),
        cmocka_unit_test(cancelled_by_a_signal),
        cmocka_unit_test(cancelled_by_another_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* threads_test.c: "Threads": a plan never changes: it may have several runs, one after another,
 * block by block, or each in a thread of its own, and each gives what a lone one gives. */
#include "contract.h"

#include <pthread.h>

enum { RUNS = 4, BLOCKS = 4 };

/* A sum over all that reached the sink, in the order in which it came. */
typedef struct digest {
    uint64_t hash;
    int64_t samples;
} digest;

static ct_status add_block(void *state, const ct_array *block, int64_t first, int64_t count,
                           ct_error *err)
{
    digest *sum = state;
    const unsigned char *bytes = block->data;
    (void)err, (void)first;
    sum->samples += count;
    for (size_t i = 0; i < ct_array_bytes(block); i++)
        sum->hash = (sum->hash ^ bytes[i]) * 0x100000001b3u;
    return CT_OK;
}

static ct_run *start(const contract *c, digest *sum)
{
    ct_error err = {0};
    ct_run *run = NULL;
    *sum = (digest){0};
    const ct_io io = {sizeof io, sum, NULL, add_block, NULL};
    contract_must(ct_run_new(&run, c->plan, c->device, &err), &err);
    contract_must(ct_run_bind(run, "out", &io, &err), &err);
    return run;
}

static void finish(ct_run *run)
{
    ct_error err = {0};
    contract_must(ct_run_finish(run, &err), &err);
    ct_run_free(run);
}

static digest alone(const contract *c)
{
    digest sum;
    ct_run *run = start(c, &sum);
    ct_error err = {0};
    while (ct_run_block(run, &err) == CT_OK)
        ;
    finish(run);
    assert_int_equal(sum.samples, 960 / 4);
    return sum;
}

#define PIPELINE                                                                                   \
    CONTRACT_HEAD CONTRACT_SOURCE                                                                  \
        "\"fir\": {\"stage\": \"fir\", \"input\": \"in\", \"channels\": 4, \"taps\": "             \
        "3}," CONTRACT_SINK("out", "fir") "}}"

static void one_after_another(void **state)
{
    contract c;
    (void)state;
    contract_open(&c, PIPELINE);
    const digest first = alone(&c), second = alone(&c);
    assert_int_equal(first.hash, second.hash);
    contract_close(&c);
}

static void by_turns(void **state)
{
    contract c;
    digest sum[RUNS];
    ct_run *run[RUNS];
    ct_error err = {0};
    (void)state;
    contract_open(&c, PIPELINE);
    const digest expected = alone(&c);
    for (int i = 0; i < RUNS; i++)
        run[i] = start(&c, &sum[i]);
    for (int tick = 0; tick < BLOCKS + RUNS; tick++) /* each one block behind the one before */
        for (int i = 0; i < RUNS; i++)
            if (tick >= i && tick < i + BLOCKS) contract_must(ct_run_block(run[i], &err), &err);
    for (int i = 0; i < RUNS; i++) {
        finish(run[i]);
        assert_int_equal(sum[i].hash, expected.hash);
    }
    contract_close(&c);
}

typedef struct worker {
    const contract *c;
    digest sum;
    ct_status status;
} worker;

static void *work(void *of)
{
    worker *one = of;
    ct_run *run = start(one->c, &one->sum);
    ct_error err = {0};
    while ((one->status = ct_run_block(run, &err)) == CT_OK)
        ;
    finish(run);
    return NULL;
}

static void in_threads(void **state)
{
    contract c;
    worker all[RUNS];
    pthread_t thread[RUNS];
    (void)state;
    contract_open(&c, PIPELINE);
    const digest expected = alone(&c);
    for (int i = 0; i < RUNS; i++) {
        all[i] = (worker){.c = &c};
        assert_int_equal(pthread_create(&thread[i], NULL, work, &all[i]), 0);
    }
    for (int i = 0; i < RUNS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(all[i].status, CT_EOF);
        assert_int_equal(all[i].sum.hash, expected.hash);
    }
    contract_close(&c);
}

/* A failure and a cancellation are the run's, and so is what it has written. */
static void what_happens_to_one_is_not_the_others(void **state)
{
    contract c;
    ct_run *other = NULL;
    ct_error err = {0};
    (void)state;
    contract_open(&c, PIPELINE);
    contract_must(ct_run_new(&other, c.plan, c.device, &err), &err);
    ct_run_cancel(other);
    assert_int_equal(ct_run_block(other, &err), CT_INTERRUPTED);
    for (int block = 0; block < BLOCKS; block++)
        contract_must(ct_run_block(c.run, &err), &err);
    contract_must(ct_run_finish(c.run, &err), &err);
    assert_non_null(ct_run_file(c.run, 0));
    assert_null(ct_run_file(other, 0));
    ct_run_free(other);
    assert_int_equal(contract_files(&c), 2);
    contract_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_after_another),
        cmocka_unit_test(by_turns),
        cmocka_unit_test(in_threads),
        cmocka_unit_test(what_happens_to_one_is_not_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

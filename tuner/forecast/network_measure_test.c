/* network_measure_test.c: what a message costs is the same on all ranks and possible; without ranks
 * it is nothing. tests/ranks/ranks_test.sh starts it as ranks of a job. Room: tuner/forecast
 * (test). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "network.h"

static double clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* In picoseconds and bytes a second, which are the same number on all ranks. */
static void check_same(const ct_ranks *ranks, double value)
{
    int64_t ends[2] = {(int64_t)value, -(int64_t)value};
    assert_int_equal(ct_ranks_minimum(ranks, ends, 2, NULL), CT_OK);
    assert_true(ends[0] == -ends[1]);
}

static void messages_cost_time(void **state)
{
    const ct_ranks *ranks = *state;
    ct_network cost = {1, 1};
    const double start = clock_s();
    assert_int_equal(ct_network_measure(ranks, &cost, NULL), CT_OK);
    if (ct_ranks_size(ranks) == 1) {
        assert_true(cost.latency_s == 0 && cost.bandwidth == 0);
        return;
    }
    assert_true(cost.latency_s > 1e-9 && cost.latency_s < 1);
    assert_true(cost.bandwidth > 1e6 && cost.bandwidth < 1e13);
    assert_true(clock_s() - start < 20);
    check_same(ranks, cost.latency_s * 1e12);
    check_same(ranks, cost.bandwidth);
    if (ct_ranks_rank(ranks) == 0)
        printf("a message %.1f us, %.2f GB/s\n", cost.latency_s * 1e6, cost.bandwidth * 1e-9);
}

static void a_job_that_is_not_there_costs_nothing(void **state)
{
    ct_ranks *ranks = NULL;
    ct_network cost = {1, 1};
    (void)state;
    assert_int_equal(ct_ranks_suppose(&ranks, "64", NULL), CT_OK);
    assert_int_equal(ct_network_measure(ranks, &cost, NULL), CT_OK);
    assert_true(cost.latency_s == 0 && cost.bandwidth == 0);
    ct_ranks_close(ranks);
    assert_int_equal(ct_ranks_suppose(&ranks, "S=1000,C=1000", NULL), CT_OK);
    assert_int_equal(ct_ranks_size(ranks), 1000000);
    ct_ranks_close(ranks);
    assert_int_equal(ct_ranks_suppose(&ranks, "S=1000,C=1001", NULL), CT_USAGE);
}

int main(void)
{
    ct_ranks *ranks = NULL;
    ct_error err = {0};
    if (ct_ranks_open(&ranks, &err) != CT_OK) {
        printf("%s\n", err.text);
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(messages_cost_time, ranks),
        cmocka_unit_test(a_job_that_is_not_there_costs_nothing),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ct_ranks_close(ranks);
    return failed;
}

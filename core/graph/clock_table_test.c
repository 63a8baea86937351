/* clock_table_test.c: when nodes fire, against queues that are filled block by block. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "clock_table.h"
#include "memory.h"

enum { BLOCK = 600, BLOCKS = 5000, CLOCKS = 8 };

/* Samples that wait at a clock's inputs, and its firings so far. */
typedef struct queue {
    int64_t first, second, fired;
} queue;

/* One block more: every clock gives what it can to those that wait for it. */
static void give_block(const ct_clock_table *table, queue *queues)
{
    for (int c = 0; c < table->count; c++) {
        const ct_clock *clock = &table->clock[c];
        queue *at = &queues[c];
        bool fires = clock->from < 0;
        if (clock->from >= 0 && at->first >= clock->span)
            fires = clock->also < 0 || at->second >= clock->span;
        if (!fires) continue;
        at->fired++;
        at->first -= clock->span;
        at->second -= clock->span;
        for (int to = c + 1; to < table->count; to++) {
            if (table->clock[to].from == c) queues[to].first += clock->span;
            if (table->clock[to].also == c) queues[to].second += clock->span;
        }
    }
}

static void firings_are_those_of_queues(void **state)
{
    ct_arena *arena = NULL;
    ct_clock_table table = {0};
    queue queues[CLOCKS] = {{0}};
    (void)state;
    (void)ct_arena_begin(&arena, 1);
    assert_int_equal(ct_clock_table_begin(&table, arena, CLOCKS, BLOCK, NULL), CT_OK);
    const int window = ct_clock_table_add(&table, 0, -1, 1000);
    const int bin = ct_clock_table_add(&table, window, -1, 7 * 197);
    const int sum = ct_clock_table_add(&table, 0, -1, 12207);
    const int both = ct_clock_table_add(&table, bin, 0, 1400);
    assert_int_equal(ct_clock_table_add(&table, window, -1, 7 * 197), bin);
    assert_int_equal(ct_clock_table_add(&table, sum, -1, 12207), sum);
    for (int64_t blocks = 1; blocks <= BLOCKS; blocks++) {
        give_block(&table, queues);
        for (int c = 0; c < table.count; c++) {
            const ct_clock *clock = &table.clock[c];
            const int64_t fired = ct_clock_table_fired(&table, c, blocks);
            assert_int_equal(fired, queues[c].fired);
            assert_true(blocks * BLOCK - fired * clock->span <= clock->late + clock->span);
        }
    }
    assert_float_equal(ct_clock_table_period(&table, both), 1400.0 / BLOCK, 1e-12);
    assert_int_equal(ct_clock_table_fired(&table, both, 0), 0);
    ct_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(firings_are_those_of_queues)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

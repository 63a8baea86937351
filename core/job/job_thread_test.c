/* job_thread_test.c: exchanges go on while other blocks are computed: a wire that has no other
 * end, on which a block comes only once the next one has been read; what sinks get then, in which
 * order blocks are sent, and that nothing is under way where a run has ended, however it did. Room:
 * core/job (test). Rank 0 of two; what the other one sends are numbers of this file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "half_wire.h"
#include "plan.h"
#include "ranks.h"
#include "run.h"
#include "stages_fixture.h"

/* ---- a stage with a table */

static ct_status scale_infer(ct_step *step, ct_error *err)
{
    (void)err;
    ct_array_add(ct_step_port(step, "G"), 'S', ct_array_extent(ct_step_port(step, "X"), 'S'));
    return CT_OK;
}

static ct_status scale_table(const ct_step *step, const char *port, ct_array *fill, ct_error *err)
{
    (void)step, (void)port, (void)err;
    for (int64_t s = 0; s < ct_array_count(fill); s++)
        ct_array_save(fill, s, 1, 0);
    return CT_OK;
}

static const ct_stage scale = {
    .api = CT_API,
    .version = 1,
    .name = "test.scale",
    .ports = {{"X", CT_IN, 0, "TSP", "f32", "*", NULL, NULL},
              {"G", CT_TABLE, 0, "S", "f32", "*", NULL, NULL},
              {"Y", CT_OUT, 0, "TSP", "f32", "*", NULL, NULL}},
    .split = "P",
    .infer = scale_infer,
    .table = scale_table,
    .kernel = {.text = "kernel void scale(CT_ARGS)\n"
                       "{\n"
                       "    Y_SAVE(ID_T, ID_S, ID_P, G(ID_S) * X_LOAD(ID_T, ID_S, ID_P));\n"
                       "}\n",
               .name = "scale.cl",
               .entry = "scale",
               .parallel = "T, S, P"},
};

/* ---- the ends */

static int64_t place(const ct_array *block, int64_t t, int64_t s, int64_t p)
{
    return block->offset + t * ct_array_stride(block, 'T') + s * ct_array_stride(block, 'S') +
           p * ct_array_stride(block, 'P');
}

static ct_status read_block(void *state, ct_array *block, uint8_t *flags, int64_t *got,
                            ct_error *err)
{
    const int number = atomic_fetch_add(&now.reads, 1);
    (void)state, (void)flags;
    if (number == now.cancels_at) ct_run_cancel(now.run);
    if (number == now.fails_at) {
        now.waits = false;
        return ct_error_add(err, CT_DATA, "block %d cannot be read", number);
    }
    for (int64_t t = 0; t < BLOCK; t++)
        for (int64_t s = 0; s < ct_array_extent(block, 'S'); s++)
            for (int64_t p = 0; p < ct_array_extent(block, 'P'); p++)
                ct_array_save(block, place(block, t, s, p), number * BLOCK + (double)t, 0);
    *got = BLOCK;
    return CT_OK;
}

static int sample(const ct_array *block, int64_t t, int64_t s, int64_t p)
{
    return (int)ct_array_load(block, place(block, t, s, p)).re;
}

static ct_status write_block(void *state, const ct_array *block, int64_t first, int64_t count,
                             ct_error *err)
{
    const int n = now.writes, times = n >= now.tripled_from ? 3 : 1;
    (void)state, (void)first;
    if (n == now.breaks_at) {
        now.waits = false;
        return ct_error_add(err, CT_DATA, "block %d cannot be written", n);
    }
    assert_int_equal(count, BLOCK);
    for (int64_t t = 0; t < BLOCK; t++) {
        assert_int_equal(sample(block, t, 0, 0), times * (n * BLOCK + (int)t));
        assert_int_equal(sample(block, t, 1, 0), times * (1000 + n));
        assert_int_equal(sample(block, t, 0, 1), 2000 + n);
        assert_int_equal(sample(block, t, 1, 1), 2000 + n);
    }
    now.writes++;
    return CT_OK;
}

static const char pipeline[] =
    "{ \"cornerturn\": 1, \"block\": { \"T\": 4 }, \"nodes\": {\n"
    " \"in\": { \"stage\": \"source.caller\", \"dims\": \"TSP\", \"type\": \"f32\",\n"
    "   \"sizes\": { \"S\": 2, \"P\": 2 }, \"samples\": 20 },\n"
    " \"a\": { \"stage\": \"transpose\", \"input\": \"in\",\n"
    "   \"layout\": { \"read\": \"S|PT\", \"write\": \"auto\" } },\n"
    " \"b\": { \"stage\": \"test.scale\", \"input\": \"a\",\n"
    "   \"layout\": { \"read\": \"P|TS\", \"write\": \"auto\" } },\n"
    " \"out\": { \"stage\": \"sink.caller\", \"input\": \"b\" } } }\n";

static ct_run *begin(fixture *f, bool no_overlap)
{
    static const ct_io in = {.size = sizeof in, .read = read_block},
                       out = {.size = sizeof out, .write = write_block};
    static ct_ranks ranks = {.wire = &wire, .size = 2};
    ct_error err = {0};
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    ct_run *run = NULL;
    memset(&now, 0, sizeof now);
    ranks.no_overlap = no_overlap;
    now.fails_at = now.cancels_at = now.breaks_at = -1;
    now.tripled_from = BLOCKS;
    if (ct_graph_parse(&graph, f->context, pipeline, "p.json", NULL, &err) != CT_OK ||
        ct_graph_set_ranks(graph, &ranks, &err) != CT_OK ||
        ct_plan_default(&plan, graph, f->device, &err) != CT_OK ||
        ct_run_new(&run, plan, f->device, &err) != CT_OK ||
        ct_run_bind(run, "in", &in, &err) != CT_OK || ct_run_bind(run, "out", &out, &err) != CT_OK)
        fail_msg("%s", err.text);
    assert_int_equal(ct_plan_overlaps(plan), !no_overlap);
    ct_plan_free(plan);
    ct_graph_free(graph);
    now.run = run;
    return run;
}

static ct_status all_blocks(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    while (status == CT_OK)
        status = ct_run_block(run, err);
    return status == CT_EOF ? ct_run_finish(run, err) : status;
}

static void all_is_well(ct_run *run)
{
    ct_error err = {0};
    if (all_blocks(run, &err) != CT_OK) fail_msg("%s", err.text);
    assert_int_equal(now.writes, BLOCKS);
}

/* What one rank expects of the other is sent and received, and no more. */
static void end(ct_run *run, int first, int second)
{
    ct_run_free(run);
    for (int s = 0; s < SLOTS; s++)
        assert_false(now.slot[s].busy);
    assert_int_equal(now.came[0], first);
    assert_int_equal(now.came[1], second);
    assert_int_equal(now.sent, first + second);
}

/* ---- the tests */

static void a_block_comes_once_the_next_one_is_read(void **state)
{
    ct_run *run = begin(*state, false);
    now.waits = true;
    all_is_well(run);
    assert_string_equal(now.order, "1121212122");
    end(run, BLOCKS, BLOCKS);
}

static void in_step_each_block_is_waited_for(void **state)
{
    ct_run *run = begin(*state, true);
    all_is_well(run);
    assert_string_equal(now.order, "1212121212");
    end(run, BLOCKS, BLOCKS);
}

/* Those before it are on their way: they come, and nobody gets them. */
static void a_block_that_cannot_be_read_ends_it(void **state)
{
    ct_error err = {0};
    ct_run *run = begin(*state, false);
    now.waits = true;
    now.fails_at = 3;
    assert_int_equal(all_blocks(run, &err), CT_DATA);
    assert_non_null(strstr(err.text, "block 3 cannot be read"));
    assert_int_equal(ct_run_finish(run, NULL), CT_DATA);
    assert_int_equal(now.writes, 1);
    end(run, 3, 2);
}

/* Where whole blocks are kept, those that were read are made. */
static void what_was_read_is_kept(void **state)
{
    ct_error err = {0};
    ct_run *run = begin(*state, false);
    assert_int_equal(ct_run_keep(run, &err), CT_OK);
    now.waits = true;
    now.fails_at = 3;
    assert_int_equal(all_blocks(run, &err), CT_DATA);
    assert_int_equal(now.writes, 3);
    end(run, 3, 3);
}

/* The block in which it was noticed is exchanged all the same. */
static void an_interrupted_rank_gives_the_others_theirs(void **state)
{
    ct_error err = {0};
    ct_run *run = begin(*state, false);
    now.cancels_at = 2;
    assert_int_equal(all_blocks(run, &err), CT_INTERRUPTED);
    assert_int_equal(now.writes, 0);
    end(run, 3, 2);
}

static void a_sink_that_fails_ends_it(void **state)
{
    ct_error err = {0};
    ct_run *run = begin(*state, false);
    now.waits = true;
    now.breaks_at = 1;
    assert_int_equal(all_blocks(run, &err), CT_DATA);
    assert_non_null(strstr(err.text, "block 1 cannot be written"));
    end(run, 4, 3);
}

static void blocks_that_are_not_asked_for_leave_none_behind(void **state)
{
    ct_error err = {0};
    ct_run *run = begin(*state, false);
    for (int n = 0; n < 3; n++)
        assert_int_equal(ct_run_block(run, &err), CT_OK);
    assert_int_equal(now.writes, 1);
    assert_int_equal(ct_run_finish(run, &err), CT_OK);
    assert_int_equal(now.writes, 3);
    end(run, 3, 3);
}

/* Block 1 has not come to the step when the table is given, and has the old one. */
static void a_table_is_for_the_blocks_behind_it(void **state)
{
    ct_error err = {0};
    ct_run *run = begin(*state, false);
    float three[2] = {3, 3};
    ct_array fill = {.type = CT_F32};
    ct_array_add(&fill, 'S', 2);
    ct_array_dense(&fill, NULL);
    fill.data = three;
    assert_int_equal(ct_run_block(run, &err), CT_OK);
    assert_int_equal(ct_run_block(run, &err), CT_OK);
    if (ct_run_table(run, "b", "G", &fill, &err) != CT_OK) fail_msg("%s", err.text);
    now.tripled_from = 2;
    all_is_well(run);
    end(run, BLOCKS, BLOCKS);
}

static int open_all(void **state)
{
    const ct_stage *const stages[] = {&scale, NULL};
    return fixture_open(state, stages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_comes_once_the_next_one_is_read),
        cmocka_unit_test(in_step_each_block_is_waited_for),
        cmocka_unit_test(a_block_that_cannot_be_read_ends_it),
        cmocka_unit_test(what_was_read_is_kept),
        cmocka_unit_test(an_interrupted_rank_gives_the_others_theirs),
        cmocka_unit_test(a_sink_that_fails_ends_it),
        cmocka_unit_test(blocks_that_are_not_asked_for_leave_none_behind),
        cmocka_unit_test(a_table_is_for_the_blocks_behind_it),
    };
    return cmocka_run_group_tests(tests, open_all, fixture_close);
}

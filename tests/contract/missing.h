/* missing.h: what the tests of missing arguments share: valid ones, and what is expected of a call
 * that lacks one.
 *
 * Room: tests. Knows only the public headers. */
#ifndef CT_TESTS_MISSING_H
#define CT_TESTS_MISSING_H
#include "contract.h"
#include "cornerturn_stage.h"

static contract c;
static ct_error err;
static const ct_step *step; /* a node of c's graph */
static ct_step *mine;       /* the same, as a stage has it in infer() */

static void expect_usage(ct_status status, const char *sentence)
{
    if (status != CT_USAGE || strcmp(err.text, sentence) != 0)
        fail_msg("expected \"%s\", found status %d and \"%s\"", sentence, (int)status, err.text);
    err = (ct_error){0};
}

/* The call says which argument it misses. */
#define LACKS(what, call, ...) expect_usage(call(__VA_ARGS__), #call ": there is no " what)

static int open_all(void **state)
{
    (void)state;
    contract_open(&c, CONTRACT_PIPELINE);
    step = ct_graph_step_at(c.graph, 1);
    mine = (ct_step *)step;
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    contract_close(&c);
    return 0;
}

#endif

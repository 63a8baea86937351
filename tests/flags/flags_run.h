/* flags_run.h: what tests of flags share: sources of stations' samples that remember where they
 * are, and pipelines of nodes as text that two sinks, "one" and "two", are captured of.
 * Room: tests. Knows core/plan. Does not know what is flagged. */
#ifndef CT_TESTS_FLAGS_RUN_H
#define CT_TESTS_FLAGS_RUN_H
#include "capture.h"
#include "cornerturn_stage.h"
#include "random_plan.h"

/* ---- sources */

static inline ct_status flags_source_open(ct_step *step, void **state, ct_error *err)
{
    (void)err;
    *state = ct_step_alloc(step, sizeof(int64_t)); /* where it is */
    return CT_OK;
}

/* The output Y of a stage "test.mask" is u8, of any other one f32. */
static inline ct_array *flags_source_shape(ct_step *step, int64_t stations, int64_t samples)
{
    ct_array *out = ct_step_port(step, "Y");
    out->type = strcmp(step->stage->name, "test.mask") == 0 ? CT_U8 : CT_F32;
    ct_array_add(out, 'S', stations);
    ct_array_add(out, 'T', 0);
    out->meta.total = samples;
    return out;
}

/* ---- running */

typedef struct flags_session {
    ct_context *context;
    ct_device *device;
} flags_session;

/* `seed` 0: the default plan, else one at random. */
static inline void flags_run(flags_session *s, const char *nodes, int block, uint64_t seed,
                             capture out[2])
{
    static const char *const sinks[] = {"one", "two", NULL};
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    ct_run *ran = NULL;
    ct_error err = {0};
    char text[2048];
    memset(out, 0, 2 * sizeof *out);
    snprintf(text, sizeof text, "{\"cornerturn\": 1, \"block\": {\"T\": %d}, \"nodes\": {%s}}",
             block, nodes);
    ct_status status = ct_graph_parse(&graph, s->context, text, "flags.json", NULL, &err);
    if (status == CT_OK)
        status = seed ? random_plan(&plan, graph, seed, s->device, &err)
                      : ct_plan_default(&plan, graph, s->device, &err);
    if (status == CT_OK) status = ct_run_new(&ran, plan, s->device, &err);
    if (status == CT_OK) status = capture_blocks(ran, sinks, out, &err);
    ct_run_free(ran);
    ct_plan_free(plan);
    ct_graph_free(graph);
    if (status != CT_OK) fail_msg("blocks of %d, SEED=%d: %s", block, (int)seed, err.text);
}

#define FLAGS_SINKS(one, two)                                                                      \
    "\"one\": {\"stage\": \"sink.npy\", \"input\": \"" one "\", \"file\": \"1.npy\"},"             \
    "\"two\": {\"stage\": \"sink.npy\", \"input\": \"" two "\", \"file\": \"2.npy\"}"

static inline int flags_open(flags_session *s, void **state, const ct_stage *stages, size_t count)
{
    ct_error err = {0};
    s->device = one_device(&err);
    ct_status status = s->device ? ct_context_open(&s->context, &err) : CT_NO_DEVICE;
    for (size_t i = 0; status == CT_OK && i < count; i++)
        status = ct_context_add_stage(s->context, &stages[i], &err);
    if (status != CT_OK) fprintf(stderr, "%s\n", err.text);
    *state = s;
    return status;
}

static inline int flags_close(void **state)
{
    flags_session *s = (flags_session *)*state;
    ct_context_free(s->context);
    return 0;
}

/* For main: a session with the file's own `stages`. */
#define FLAGS_SESSION                                                                              \
    static int open_session(void **state)                                                          \
    {                                                                                              \
        static flags_session s;                                                                    \
        return flags_open(&s, state, stages, sizeof stages / sizeof *stages);                      \
    }

#endif

/* crashing.c: a plug-in with two sinks that crash where the pipeline says: in their own thread, in
 * the run's. Room: tests. */
#include <cornerturn_stage.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void crash(const ct_step *step, const char *where)
{
    volatile int none = 0;
    if (strcmp(ct_step_text(step, "at"), where) != 0) return;
    if (ct_step_bool(step, "divide")) none = 7 / none;
    if (ct_step_bool(step, "abort")) abort();
    *(volatile int *)(uintptr_t)8 = none;
}

static ct_status infer(ct_step *step, ct_error *err)
{
    (void)err;
    crash(step, "infer");
    return CT_OK;
}

static ct_status begin(ct_step *step, void **state, ct_error *err)
{
    (void)err;
    crash(step, "open");
    *state = step;
    return CT_OK;
}

static ct_status take(void *state, const ct_array *block, int64_t first, int64_t count,
                      ct_error *err)
{
    (void)block, (void)first, (void)count, (void)err;
    crash(state, "write");
    return CT_OK;
}

static ct_status end(void *state, bool complete, ct_error *err)
{
    (void)complete, (void)err;
    crash(state, "close");
    return CT_OK;
}

static const ct_param params[] = {
    {"at", CT_PARAM_TEXT, "nowhere", "nowhere infer open write close", 0, 0, "where it crashes"},
    {"divide", CT_PARAM_BOOL, "false", NULL, 0, 0, "by zero"},
    {"abort", CT_PARAM_BOOL, "false", NULL, 0, 0, "itself"},
    {0}};

#define SINK(symbol, called, has)                                                                  \
    static const ct_stage symbol = {                                                               \
        .api = CT_API,                                                                             \
        .version = 1,                                                                              \
        .name = called,                                                                            \
        .summary = "crashes",                                                                      \
        .traits = has,                                                                             \
        .ports = {{"X", CT_IN, 0, "*", "cf32", "*", NULL, "anything"}},                            \
        .params = params,                                                                          \
        .infer = infer,                                                                            \
        .io = {.open = begin, .write = take, .close = end},                                        \
    }
SINK(plain, "my.plain", 0);
SINK(threaded, "my.threaded", CT_STAGE_THREAD);

static const ct_stage *const stages[] = {&plain, &threaded, NULL};
CT_PLUGIN const ct_stage *const *ct_plugin(uint32_t api)
{
    return api == CT_API ? stages : NULL;
}

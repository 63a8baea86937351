/* ranks_stages.c: what tests of ranks run, as a plug-in, so that the command knows it: the source
 * of random pipelines, and a stage that copies, late on the rank that LATE names. Room: tests.
 * Knows cornerturn_stage.h and OpenCL. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdlib.h>
#include <time.h>

#include "random_source.h"

enum { X, Y, LATE_MS = 30 };

typedef struct late {
    size_t bytes;
    bool late, fails;
    int blocks;
} late;

static bool is_rank(const char *variable)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *who = getenv(variable);
    return rank && who && strcmp(rank, who) == 0;
}

static ct_status late_reference(const ct_step *step, ct_array ports[], ct_error *err)
{
    (void)step, (void)err;
    ct_copy_array(&ports[Y], &ports[X]);
    return CT_OK;
}

static ct_status late_prepare(ct_step *step, void **state, ct_error *err)
{
    late *own = ct_step_alloc(step, sizeof *own);
    (void)err;
    own->bytes = ct_array_bytes(&step->port[Y]);
    own->late = is_rank("LATE");
    own->fails = is_rank("FAILS");
    *state = own;
    return CT_OK;
}

static ct_status late_enqueue(void *state, void *queue, void *const mem[], ct_error *err)
{
    late *own = state;
    const struct timespec some = {.tv_nsec = LATE_MS * 1000000};
    clFinish(queue);
    if (own->fails && ++own->blocks == 3)
        return ct_error_add(err, CT_DATA, "test.late: made to fail");
    if (own->late) nanosleep(&some, NULL);
    const cl_int code = clEnqueueCopyBuffer(queue, mem[X], mem[Y], 0, 0, own->bytes, 0, NULL, NULL);
    return code == CL_SUCCESS ? CT_OK : CT_FAILED;
}

static void late_release(void *state)
{
    (void)state; /* lives as the step */
}

static const ct_stage late_stage = {
    .api = CT_API,
    .version = 1,
    .name = "test.late",
    .summary = "a copy, late on the rank that LATE names",
    .ports = {[X] = {"X", CT_IN, 0, "*", "*", "*", NULL, "any array"},
              [Y] = {"Y", CT_OUT, 0, "*", "=X", "=X", NULL, "the same"}},
    .split = "*",
    .verify = {.reference = late_reference},
    .engine = {.prepare = late_prepare, .enqueue = late_enqueue, .release = late_release},
};

static const ct_stage *const stages[] = {&random_source, &late_stage, NULL};

CT_PLUGIN const ct_stage *const *ct_plugin(uint32_t api)
{
    return api == CT_API ? stages : NULL;
}

/* run_moves.c: how long it takes to keep the overlap of blocks, where somebody wants to know:
 * markers stand in the queue before and behind each move. Room: core/run. */
#include "device_cl.h"
#include "fail.h"
#include "memory.h"
#include "run.h"

struct ct_run_moves {
    cl_event *mark; /* before and behind, in turn */
    int marks, room;
};

ct_status ct_run_moves_new(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    ct_run_moves *moves = ct_arena_get(run->arena, sizeof *moves);
    if (moves) moves->room = 2 * run->plan->edge_count;
    if (moves) moves->mark = ct_arena_get(run->arena, sizeof(cl_event) * (size_t)moves->room);
    CT_TRY(ct_arena_check(run->arena, err));
    run->moves = moves;
out:
    return status;
}

static void moves_forget(ct_run_moves *moves)
{
    for (int i = 0; i < moves->marks; i++)
        clReleaseEvent(moves->mark[i]);
    moves->marks = 0;
}

void ct_run_moves_free(ct_run *run)
{
    if (run->moves) moves_forget(run->moves);
}

ct_status ct_run_moves_mark(ct_run *run, ct_error *err)
{
    ct_run_moves *moves = run->moves;
    if (!moves || moves->marks == moves->room) return CT_OK;
    cl_int code =
        clEnqueueMarkerWithWaitList(run->device->queue, 0, NULL, &moves->mark[moves->marks]);
    if (code != CL_SUCCESS) return ct_device_fail(err, code, "timing the overlap of blocks");
    moves->marks++;
    return CT_OK;
}

ct_status ct_run_moves_take(ct_run *run, double *seconds, ct_error *err)
{
    ct_run_moves *moves = run->moves;
    cl_int code = clFinish(run->device->queue);
    *seconds = 0;
    for (int i = 0; i + 1 < moves->marks && code == CL_SUCCESS; i += 2) {
        cl_ulong from = 0, to = 0;
        code = clGetEventProfilingInfo(moves->mark[i], CL_PROFILING_COMMAND_END, sizeof from, &from,
                                       NULL);
        if (code == CL_SUCCESS)
            code = clGetEventProfilingInfo(moves->mark[i + 1], CL_PROFILING_COMMAND_END, sizeof to,
                                           &to, NULL);
        if (to > from) *seconds += 1e-9 * (double)(to - from);
    }
    moves_forget(moves);
    return code == CL_SUCCESS ? CT_OK : ct_device_fail(err, code, "timing the overlap of blocks");
}

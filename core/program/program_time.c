/* program_time.c: how long a program's firings took on the device, from OpenCL's events.
 * Room: core/program. */
#include "fail.h"
#include "program_inner.h"

static ct_status time_read(cl_event event, cl_profiling_info what, cl_ulong *at, ct_error *err)
{
    cl_int code = clGetEventProfilingInfo(event, what, sizeof *at, at, NULL);
    return code == CL_SUCCESS ? CT_OK : ct_device_fail(err, code, "reading a kernel's time");
}

/* Of two markers the end of the first one counts. */
static ct_status time_add(ct_program *program, int place, ct_error *err)
{
    ct_status status = CT_OK;
    cl_ulong from = 0, to = 0;
    bool kernel = program->begin[place] == program->end[place];
    CT_TRY(time_read(program->begin[place],
                     kernel ? CL_PROFILING_COMMAND_START : CL_PROFILING_COMMAND_END, &from, err));
    CT_TRY(time_read(program->end[place], CL_PROFILING_COMMAND_END, &to, err));
    program->seconds += to > from ? 1e-9 * (double)(to - from) : 0;
out:
    return status;
}

void ct_program_forget(ct_program *program, int firings)
{
    for (int i = 0; i < firings; i++) {
        if (program->begin[i] != program->end[i]) clReleaseEvent(program->begin[i]);
        clReleaseEvent(program->end[i]);
    }
    program->events -= firings;
    for (int i = 0; i < program->events; i++) {
        program->begin[i] = program->begin[i + firings];
        program->end[i] = program->end[i + firings];
    }
}

/* Of the first ones, whose events are complete. */
static ct_status time_collect(ct_program *program, int firings, ct_error *err)
{
    ct_status status = CT_OK;
    for (int i = 0; i < firings; i++) {
        cl_int state = CL_COMPLETE;
        const cl_int code = clGetEventInfo(program->end[i], CL_EVENT_COMMAND_EXECUTION_STATUS,
                                           sizeof state, &state, NULL);
        if (code != CL_SUCCESS) state = code;
        if (state < 0)
            CT_TRY(ct_device_fail(err, state, "step %s: running it", program->step->name));
        CT_TRY(time_add(program, i, err));
    }
out:
    ct_program_forget(program, firings);
    return status;
}

static ct_status time_finish(const ct_program *program, ct_error *err)
{
    const cl_int code = clFinish(program->device->queue);
    if (code == CL_SUCCESS) return CT_OK;
    return ct_device_fail(err, code, "step %s: waiting for the device", program->step->name);
}

static bool is_over(cl_event event)
{
    cl_int state = CL_COMPLETE;
    (void)clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    return state <= CL_COMPLETE;
}

bool ct_program_is_done(const ct_program *program)
{
    return program->events == 0 || is_over(program->end[program->events - 1]);
}

ct_status ct_program_remember(ct_program *program, cl_event begin, cl_event end, ct_error *err)
{
    ct_status status = CT_OK;
    program->begin[program->events] = begin;
    program->end[program->events++] = end;
    if (program->events == CT_PROGRAM_EVENTS) CT_TRY(ct_program_wait(program, NULL, err));
out:
    return status;
}

ct_status ct_program_wait(ct_program *program, double *seconds, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(time_finish(program, err));
    CT_TRY(ct_program_take(program, seconds, err));
out:
    return status;
}

static ct_status time_take(ct_program *program, int firings, double *seconds, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(time_collect(program, firings, err));
    if (seconds) {
        *seconds = program->seconds;
        program->seconds = 0;
    }
out:
    return status;
}

ct_status ct_program_take(ct_program *program, double *seconds, ct_error *err)
{
    return time_take(program, program->events, seconds, err);
}

ct_status ct_program_take_done(ct_program *program, double *seconds, ct_error *err)
{
    int done = 0;
    while (done < program->events && is_over(program->end[done]))
        done++;
    return time_take(program, done, seconds, err);
}

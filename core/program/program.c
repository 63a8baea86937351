/* program.c: a step as something that a device can run: kernels, or a library engine.
 * Room: core/program. Knows OpenCL's program and kernel calls. Does not know plans or what is fast.
 * Order: new, [ct_program_tables], enqueue as often as wanted, wait, free. */
#include "program.h"
#include "emit.h"
#include "fail.h"
#include "memory.h"
#include "program_inner.h"
#include "text.h"
#include <string.h>

/* ---- limits */

#define CT_PROGRAM_TOO_LARGE "choose smaller tunables"

bool ct_program_is_too_large(const ct_error *err)
{
    return strstr(err->text, CT_PROGRAM_TOO_LARGE) != NULL;
}

static ct_status program_check_group(const ct_program *program, const ct_launch *launch,
                                     ct_error *err)
{
    size_t group = launch->local[0] * launch->local[1] * launch->local[2];
    char what[256];
    if (group == 0 || (int64_t)group <= program->device->work_group) return CT_OK;
    ct_program_describe(what, sizeof what, program->step);
    return ct_error_add(err, CT_FAILED,
                        "step %s has %zu work-items in a group; device \"%s\" takes at most "
                        "%lld: " CT_PROGRAM_TOO_LARGE,
                        what, group, program->device->name, (long long)program->device->work_group);
}

static ct_status program_check_kernel(const ct_program *program, int place, ct_error *err)
{
    cl_ulong local = 0;
    size_t most = 0, group;
    const ct_launch *launch = &program->launch[place];
    const ct_device *device = program->device;
    char what[256];
    ct_program_describe(what, sizeof what, program->step);
    cl_int code = clGetKernelWorkGroupInfo(program->kernel[place], device->id,
                                           CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local, NULL);
    if (code == CL_SUCCESS)
        code = clGetKernelWorkGroupInfo(program->kernel[place], device->id,
                                        CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL);
    if (code != CL_SUCCESS)
        return ct_device_fail(err, code, "asking what the kernel of step %s takes", what);
    if ((int64_t)local > device->local_bytes)
        return ct_error_add(err, CT_FAILED,
                            "step %s needs %lld bytes of local memory; device \"%s\" has "
                            "%lld: " CT_PROGRAM_TOO_LARGE,
                            what, (long long)local, device->name, (long long)device->local_bytes);
    group = launch->local[0] * launch->local[1] * launch->local[2];
    if (most && group > most)
        return ct_error_add(err, CT_FAILED,
                            "step %s has %zu work-items in a group; its kernel can have %zu on "
                            "device \"%s\": " CT_PROGRAM_TOO_LARGE,
                            what, group, most, device->name);
    return CT_OK;
}

/* ---- building */

ct_status ct_program_compile(ct_program *program, const char *source, ct_error *err)
{
    cl_int code;
    const ct_device *device = program->device;
    char what[256];
    program->program = clCreateProgramWithSource(device->context, 1, &source, NULL, &code);
    if (code == CL_SUCCESS)
        code =
            clBuildProgram(program->program, 1, &device->id, ct_device_options(device), NULL, NULL);
    if (code == CL_BUILD_PROGRAM_FAILURE) return ct_program_fail_build(program, source, err);
    ct_program_describe(what, sizeof what, program->step);
    return code == CL_SUCCESS ? CT_OK
                              : ct_device_fail(err, code, "building %s %s", program->of, what);
}

ct_status ct_program_kernel(ct_program *program, int place, const char *entry, const char *text,
                            ct_error *err)
{
    cl_int code;
    program->kernel[place] = clCreateKernel(program->program, entry, &code);
    if (code == CL_INVALID_KERNEL_NAME)
        return ct_error_add(err, CT_INVALID, "%s has no kernel \"%s\"", text, entry);
    if (code != CL_SUCCESS) return ct_device_fail(err, code, "making kernel %s", entry);
    return program_check_kernel(program, place, err);
}

static ct_status program_make_kernel(ct_program *program, int place, ct_error *err)
{
    const ct_stage *stage = program->step->stage;
    const char *entry =
        program->launch[place].entry ? program->launch[place].entry : stage->kernel.entry;
    return ct_program_kernel(program, place, entry ? entry : stage->name,
                             stage->kernel.name ? stage->kernel.name : stage->name, err);
}

static ct_status program_build(ct_program *program, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text source = {0};
    program->launches = ct_emit_launches(program->step, program->launch, err);
    if (program->launches < 0) CT_TRY(ct_step_answer(program->step, CT_INVALID, NULL));
    for (int i = 0; i < program->launches; i++)
        CT_TRY(program_check_group(program, &program->launch[i], err));
    CT_TRY(ct_emit_source(&source, program->step, err));
    CT_TRY(ct_program_compile(program, source.data, err));
    for (int i = 0; i < program->launches; i++)
        CT_TRY(program_make_kernel(program, i, err));
out:
    ct_text_free(&source);
    return status;
}

static ct_status program_prepare(ct_program *program, ct_error *err)
{
    ct_step *step = program->step;
    if (!step->stage->engine.prepare) return CT_OK;
    return ct_step_answer(step, step->stage->engine.prepare(step, &program->state, err), err);
}

ct_status ct_program_new(ct_program **out, ct_device *device, const ct_step *step, ct_error *err)
{
    ct_status status = CT_OK;
    ct_program *program = ct_memory_get(sizeof *program);
    sigset_t before;
    ct_device_signals_block(&before);
    CT_NEED(program, sizeof *program, err);
    program->device = device;
    program->of = "step";
    program->parallel = step->stage->kernel.parallel;
    program->port = step->stage->kernel.launch ? -1 : ct_step_first_output(step);
    CT_TRY(ct_step_copy(&program->step, step, err));
    ct_step_set_device(program->step, device);
    program->step->native_context = device->context;
    program->step->native_device = device->id;
    program->step->native_queue = device->queue;
    CT_TRY(program_prepare(program, err));
    if (!program->state && !step->stage->kernel.text)
        CT_TRY(ct_error_add(err, CT_INVALID, "step %s: stage %s has neither a kernel nor an engine",
                            step->name, step->stage->name));
    if (!program->state) CT_TRY(program_build(program, err));
out:
    ct_device_signals_restore(&before);
    if (status != CT_OK) {
        ct_program_free(program);
        program = NULL;
    }
    *out = program;
    return status;
}

void ct_program_free(ct_program *program)
{
    if (!program) return;
    ct_program_forget(program, program->events);
    if (program->state && program->step->stage->engine.release)
        program->step->stage->engine.release(program->state);
    for (int i = 0; i < CT_LAUNCHES; i++)
        if (program->kernel[i]) clReleaseKernel(program->kernel[i]);
    if (program->program) clReleaseProgram(program->program);
    ct_step_free(program->step);
    ct_memory_free(program);
}

/* ---- running */

ct_piece ct_program_whole(const ct_step *step, bool add)
{
    return (ct_piece){.add = add, .end = ct_step_firing(step)};
}

/* As ct_emit_piece declares them. */
static cl_int program_piece(const ct_step *step, cl_kernel kernel, cl_uint *argument,
                            const ct_piece *piece)
{
    const cl_int numbers[] = {piece->add, (cl_int)piece->first, (cl_int)piece->end};
    const cl_long start = piece->start;
    const int count = ct_step_carries(step) ? 3 : ct_step_accumulates(step);
    cl_int code = CL_SUCCESS;
    for (int i = 0; i < count && code == CL_SUCCESS; i++)
        code = clSetKernelArg(kernel, (*argument)++, sizeof numbers[i], &numbers[i]);
    if (count == 3 && code == CL_SUCCESS)
        code = clSetKernelArg(kernel, (*argument)++, sizeof start, &start);
    return code;
}

ct_status ct_program_arguments(ct_program *program, int place, const ct_buffer mem[CT_PORTS],
                               const ct_piece *piece, ct_error *err)
{
    const ct_step *step = program->step;
    cl_kernel kernel = program->kernel[place];
    cl_uint argument = 0;
    cl_int code = CL_SUCCESS;
    for (int i = 0; i < ct_step_ports(step) && code == CL_SUCCESS; i++) {
        if (step->port[i].type == CT_NONE) continue;
        code = clSetKernelArg(kernel, argument++, sizeof(cl_mem), &mem[i].mem);
    }
    if (code == CL_SUCCESS && piece) code = program_piece(step, kernel, &argument, piece);
    if (code == CL_SUCCESS) return CT_OK;
    return ct_device_fail(err, code,
                          "%s %s: giving its kernel argument %u (the kernel takes CT_ARGS and "
                          "nothing else)",
                          program->of, step->name, argument);
}

ct_status ct_program_launch(ct_program *program, int place, ct_error *err)
{
    const ct_launch *launch = &program->launch[place];
    const bool one = program->only_built && launch->local[0] > 0;
    ct_device *device = program->device;
    cl_event event;
    cl_int code = clEnqueueNDRangeKernel(device->queue, program->kernel[place], 3, NULL,
                                         one ? launch->local : launch->global,
                                         launch->local[0] ? launch->local : NULL, 0, NULL, &event);
    if (code != CL_SUCCESS)
        return ct_device_fail(err, code, "step %s: starting %zu x %zu x %zu work-items",
                              program->step->name, launch->global[0], launch->global[1],
                              launch->global[2]);
    return ct_program_remember(program, event, event, err);
}

/* The events of a library are not known, so markers are put before and after its work. */
static ct_status program_enqueue_engine(ct_program *program, ct_buffer mem[CT_PORTS], ct_error *err)
{
    ct_status status = CT_OK;
    void *handles[CT_PORTS] = {NULL};
    cl_command_queue queue = program->device->queue;
    cl_event begin = NULL, end = NULL;
    cl_int code = clEnqueueMarkerWithWaitList(queue, 0, NULL, &begin);
    for (int i = 0; i < CT_PORTS; i++)
        handles[i] = mem[i].mem;
    if (code == CL_SUCCESS)
        CT_TRY(ct_step_answer(
            program->step,
            program->step->stage->engine.enqueue(program->state, queue, handles, err), err));
    if (code == CL_SUCCESS) code = clEnqueueMarkerWithWaitList(queue, 0, NULL, &end);
    if (code != CL_SUCCESS)
        CT_TRY(ct_device_fail(err, code, "step %s: timing its engine", program->step->name));
    return ct_program_remember(program, begin, end, err);
out:
    if (begin) clReleaseEvent(begin);
    return status;
}

static ct_status program_launch_all(ct_program *program, ct_buffer mem[CT_PORTS],
                                    const ct_piece *piece, ct_error *err)
{
    ct_status status = CT_OK;
    for (int n = 0; n < program->launches; n++) {
        const int i = program->only_built ? program->launches - 1 - n : n;
        CT_TRY(ct_program_arguments(program, i, mem, piece, err));
        CT_TRY(ct_program_launch(program, i, err));
    }
out:
    return status;
}

/* Some drivers compile when a kernel is first started. */
ct_status ct_program_enqueue(ct_program *program, ct_buffer mem[CT_PORTS], const ct_piece *piece,
                             ct_error *err)
{
    const ct_piece whole = ct_program_whole(program->step, false);
    const bool first = !program->started;
    sigset_t before;
    if (program->state && program->only_built) return CT_OK;
    program->started = true;
    if (first) ct_device_signals_block(&before);
    ct_status status = program->state
                           ? program_enqueue_engine(program, mem, err)
                           : program_launch_all(program, mem, piece ? piece : &whole, err);
    if (first) ct_device_signals_restore(&before);
    return status;
}

void ct_program_only_build(ct_program *program)
{
    program->only_built = true;
}

void *ct_program_engine(const ct_program *program)
{
    return program->state;
}

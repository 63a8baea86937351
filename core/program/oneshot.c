/* oneshot.c: see oneshot.h. Outputs are poisoned, and what a kernel leaves unwritten, or writes
 * behind them, is said. Room: core/program. Knows OpenCL's calls. Does not know which stage it is,
 * or why it is asked. Order: a step in natural order, text, kernel, buffers, launch, reading back.
 */
#include "oneshot.h"
#include "emit_oneshot.h"
#include "fail.h"
#include "memory.h"
#include "program_inner.h"
#include "step_range.h"
#include "text.h"
#include <string.h>

/* A NaN in every float type; and another byte, since in integers the first may be a result. */
static const unsigned char poison[2] = {0xFF, 0x5A};

#define ONESHOT_GUARD 4096 /* bytes behind each output that stay as they are */

typedef struct oneshot_job {
    const ct_oneshot *oneshot;
    ct_program *program; /* its step is in natural order */
    ct_buffer mem[CT_PORTS];
    ct_array *port; /* the caller's: CT_PORTS of them */
    size_t bytes[CT_PORTS];
} oneshot_job;

static const ct_port *oneshot_port(const oneshot_job *job, int port)
{
    return &job->program->step->stage->ports[port];
}

static bool oneshot_writes(const oneshot_job *job, int port)
{
    if (job->program->step->port[port].type == CT_NONE) return false;
    return job->oneshot->reference ? oneshot_port(job, port)->direction == CT_OUT
                                   : port == job->oneshot->port;
}

/* ---- the step */

/* The text is the same for all layouts and tunables of the stage, so that drivers find it in their
 * caches; but for a stage that cannot have the natural order, which keeps what it has. */
static ct_status oneshot_settle_fill(ct_step **step, int port, ct_error *err)
{
    ct_status status = CT_OK;
    ct_step *plain = NULL;
    CT_TRY(ct_step_copy(&plain, *step, err));
    CT_TRY(ct_step_plain(plain, err));
    if (ct_step_is_legal(plain)) {
        ct_step_free(*step);
        *step = plain;
        plain = NULL;
    }
    ct_array_dense(&(*step)->port[port], NULL);
out:
    ct_step_free(plain);
    return status;
}

static void oneshot_settle_reference(ct_step *step)
{
    for (int i = 0; i < ct_step_ports(step); i++) {
        if (step->stage->ports[i].direction == CT_SCRATCH) step->port[i].type = CT_NONE;
        step->port[i].offset = 0;
        ct_array_dense(&step->port[i], NULL);
    }
}

/* ---- the kernel */

static ct_status oneshot_check_device(const ct_device *device, const ct_oneshot *oneshot,
                                      const ct_stage *stage, ct_error *err)
{
    cl_device_fp_config doubles = 0;
    if (!oneshot->reference) return CT_OK;
    const cl_int code =
        clGetDeviceInfo(device->id, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof doubles, &doubles, NULL);
    if (code == CL_SUCCESS && doubles != 0) return CT_OK;
    return ct_error_add(err, CT_USAGE,
                        "stage %s cannot be verified on device \"%s\", which has no double "
                        "precision: its reference %s is a kernel that needs it",
                        stage->name, device->name, oneshot->name);
}

/* The kernel that is named, else the only one, else the one that is called as the stage's own. */
static ct_status oneshot_kernel(oneshot_job *job, ct_error *err)
{
    const ct_stage *stage = job->program->step->stage;
    const char *entry = job->oneshot->entry;
    cl_uint count = 0;
    const cl_int code = clCreateKernelsInProgram(job->program->program, 0, NULL, &count);
    if (!entry && code == CL_SUCCESS && count == 1) {
        clCreateKernelsInProgram(job->program->program, 1, &job->program->kernel[0], NULL);
        return CT_OK;
    }
    if (!entry) entry = stage->kernel.entry ? stage->kernel.entry : stage->name;
    return ct_program_kernel(job->program, 0, entry, job->oneshot->name, err);
}

static ct_status oneshot_build(oneshot_job *job, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text source = {0};
    CT_TRY(
        ct_emit_oneshot(&source, &job->program->launch[0], job->program->step, job->oneshot, err));
    job->program->launches = 1;
    CT_TRY(ct_program_compile(job->program, source.data, err));
    CT_TRY(oneshot_kernel(job, err));
out:
    ct_text_free(&source);
    return status;
}

/* ---- memory */

/* Inputs as the kernel takes them: in double where it is a reference. */
static ct_status oneshot_write_input(oneshot_job *job, int port, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_array *from = &job->port[port];
    ct_array to = job->program->step->port[port];
    const int64_t count = ct_array_count(from);
    to.type = ct_oneshot_type(job->oneshot, to.type);
    to.data = ct_memory_get(job->bytes[port]);
    CT_NEED(to.data, job->bytes[port], err);
    for (int64_t i = 0; i < count; i++) {
        const ct_complex value = ct_array_load(from, i);
        ct_array_save(&to, i, value.re, value.im);
    }
    CT_TRY(
        ct_buffer_write(&job->mem[port], job->program->device, 0, to.data, job->bytes[port], err));
out:
    ct_memory_free(to.data);
    return status;
}

/* A kernel that fills a table touches nothing else, so nothing else is there. */
static ct_status oneshot_buffers(oneshot_job *job, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_step *step = job->program->step;
    for (int i = 0; i < ct_step_ports(step); i++) {
        ct_array array = step->port[i];
        const bool writes = oneshot_writes(job, i);
        if (array.type == CT_NONE || !(writes || job->oneshot->reference)) continue;
        array.type = ct_oneshot_type(job->oneshot, array.type);
        job->bytes[i] = ct_array_bytes(&array) + (writes ? ONESHOT_GUARD : 0);
        CT_TRY(ct_buffer_new(&job->mem[i], job->program->device, job->bytes[i], err));
        if (!writes) CT_TRY(oneshot_write_input(job, i, err));
    }
out:
    return status;
}

/* ---- one launch, and what it left */

typedef struct oneshot_found {
    unsigned char *first, *second; /* all bytes, after a launch on either poison */
} oneshot_found;

static ct_status oneshot_fire(oneshot_job *job, int port, unsigned char *bytes, unsigned char with,
                              ct_error *err)
{
    ct_status status = CT_OK;
    ct_device *device = job->program->device;
    memset(bytes, with, job->bytes[port]);
    CT_TRY(ct_buffer_write(&job->mem[port], device, 0, bytes, job->bytes[port], err));
    CT_TRY(ct_program_launch(job->program, 0, err));
    CT_TRY(ct_program_wait(job->program, NULL, err));
    CT_TRY(ct_buffer_read(&job->mem[port], device, 0, bytes, job->bytes[port], err));
out:
    return status;
}

static bool oneshot_is_all(const unsigned char *bytes, size_t count, unsigned char value)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != value) return false;
    return true;
}

/* Elements that both launches left as they were; the first one's place in *first. */
static int64_t oneshot_unwritten(const oneshot_found *found, size_t element, int64_t count,
                                 int64_t *first)
{
    int64_t unwritten = 0;
    for (int64_t i = 0; i < count; i++) {
        const size_t at = (size_t)i * element;
        if (!oneshot_is_all(found->first + at, element, poison[0])) continue;
        if (found->second && !oneshot_is_all(found->second + at, element, poison[1])) continue;
        if (unwritten++ == 0) *first = i;
    }
    return unwritten;
}

static const char *oneshot_what(const oneshot_job *job)
{
    return job->oneshot->reference ? "the reference of" : "the kernel for a table of";
}

static ct_status oneshot_say_unwritten(const oneshot_job *job, int port, int64_t unwritten,
                                       int64_t first, ct_error *err)
{
    char place[CT_ARRAY_COORDINATE];
    const ct_array *array = &job->port[port];
    ct_array_coordinate(place, array, first);
    return ct_error_add(err, CT_MISMATCH,
                        "%s: %s %s leaves %s at %s unwritten (%lld of %lld elements)",
                        job->oneshot->name, oneshot_what(job), job->program->step->name,
                        oneshot_port(job, port)->name, place, (long long)unwritten,
                        (long long)ct_array_count(array));
}

static ct_status oneshot_check(oneshot_job *job, int port, const oneshot_found *found,
                               ct_error *err)
{
    ct_array array = job->port[port];
    const size_t element = ct_type_bits(array.type) / 8, end = job->bytes[port] - ONESHOT_GUARD;
    int64_t first = 0;
    const int64_t unwritten = oneshot_unwritten(found, element, ct_array_count(&array), &first);
    if (!oneshot_is_all(found->first + end, ONESHOT_GUARD, poison[0]))
        return ct_error_add(err, CT_MISMATCH, "%s: %s %s writes behind the end of %s",
                            job->oneshot->name, oneshot_what(job), job->program->step->name,
                            oneshot_port(job, port)->name);
    return unwritten ? oneshot_say_unwritten(job, port, unwritten, first, err) : CT_OK;
}

/* The second launch only where the first one left what may be poison. */
static ct_status oneshot_output(oneshot_job *job, int port, ct_error *err)
{
    ct_status status = CT_OK;
    oneshot_found found = {.first = ct_memory_get(job->bytes[port])};
    const ct_array *array = &job->port[port];
    int64_t first;
    CT_NEED(found.first, job->bytes[port], err);
    CT_TRY(oneshot_fire(job, port, found.first, poison[0], err));
    if (oneshot_unwritten(&found, ct_type_bits(array->type) / 8, ct_array_count(array), &first)) {
        found.second = ct_memory_get(job->bytes[port]);
        CT_NEED(found.second, job->bytes[port], err);
        CT_TRY(oneshot_fire(job, port, found.second, poison[1], err));
    }
    CT_TRY(oneshot_check(job, port, &found, err));
    memcpy(array->data, found.first, job->bytes[port] - ONESHOT_GUARD);
out:
    ct_memory_free(found.first);
    ct_memory_free(found.second);
    return status;
}

static ct_status oneshot_run(const oneshot_job *like, ct_program *program, ct_error *err)
{
    ct_status status = CT_OK;
    oneshot_job job = *like;
    const ct_piece piece = ct_program_whole(program->step, false);
    job.program = program;
    CT_TRY(oneshot_build(&job, err));
    CT_TRY(oneshot_buffers(&job, err));
    CT_TRY(ct_program_arguments(program, 0, job.mem, job.oneshot->reference ? NULL : &piece, err));
    for (int i = 0; i < ct_step_ports(program->step); i++)
        if (oneshot_writes(&job, i)) CT_TRY(oneshot_output(&job, i, err));
out:
    for (int i = 0; i < CT_PORTS; i++)
        ct_buffer_free(&job.mem[i]);
    return status;
}

/* What a table's kernel stands beside is most often to blame where they are not built, and is then
 * spoken of as when it is built for itself. */
static void oneshot_name_program(ct_program *program, const ct_oneshot *oneshot,
                                 const ct_step *step)
{
    program->of = oneshot->reference ? "the reference of" : "step";
    program->parallel = oneshot->reference ? oneshot->parallel : step->stage->kernel.parallel;
    program->port = oneshot->port;
    if (!oneshot->reference)
        program->port = step->stage->kernel.launch ? -1 : ct_step_first_output(step);
}

/* `port`: the caller's arrays. */
static ct_status oneshot_do(const ct_oneshot *oneshot, const ct_step *step, ct_device *device,
                            ct_array *port, ct_error *err)
{
    ct_status status = CT_OK;
    ct_program *program = ct_memory_get(sizeof *program);
    const oneshot_job job = {.oneshot = oneshot, .port = port};
    sigset_t before;
    ct_device_signals_block(&before);
    CT_NEED(program, sizeof *program, err);
    program->device = device;
    oneshot_name_program(program, oneshot, step);
    CT_TRY(oneshot_check_device(device, oneshot, step->stage, err));
    CT_TRY(ct_step_copy(&program->step, step, err));
    ct_step_set_device(program->step, device);
    if (oneshot->reference)
        oneshot_settle_reference(program->step);
    else
        CT_TRY(oneshot_settle_fill(&program->step, oneshot->port, err));
    CT_TRY(oneshot_run(&job, program, err));
out:
    ct_program_free(program);
    ct_device_signals_restore(&before);
    return status;
}

/* ---- what others ask for */

ct_status ct_oneshot_run_table(ct_array *natural, const ct_step *step, int port, ct_device *device,
                               ct_error *err)
{
    ct_array ports[CT_PORTS] = {0};
    ct_oneshot oneshot;
    if (ct_oneshot_fill(&oneshot, step, port)) {
        ports[port] = *natural;
        return oneshot_do(&oneshot, step, device, ports, err);
    }
    natural->meta = step->port[0].meta;
    return ct_step_table(step, port, natural, err);
}

bool ct_oneshot_has_table(const ct_step *step, int port)
{
    ct_oneshot oneshot;
    return ct_oneshot_fill(&oneshot, step, port);
}

bool ct_oneshot_has_reference(const ct_stage *stage)
{
    return stage->verify.reference || stage->verify.text;
}

ct_status ct_oneshot_run_reference(const ct_step *step, ct_device *device, ct_array port[CT_PORTS],
                                   ct_error *err)
{
    ct_oneshot oneshot;
    if (ct_oneshot_reference(&oneshot, step)) return oneshot_do(&oneshot, step, device, port, err);
    return step->stage->verify.reference(step, port, err);
}

/* same_programs.h: a program of a text that was built before is that one again. PoCL takes 30 ms
 * to find what it has compiled already, which is most of the time of a test that builds the same
 * kernels many times. The linker leads two calls here
 * (tests/CMakeLists.txt).
 *
 * Room: tests. Knows OpenCL's programs. Does not know what is in them. */
#ifndef CT_TESTS_SAME_PROGRAMS_H
#define CT_TESTS_SAME_PROGRAMS_H
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRAMS_MOST = 4096 };

/* Held to the end of the process. */
typedef struct same_program {
    cl_context context;
    char *source;
    cl_program program;
    cl_int built; /* what building gave; 1: not tried */
} same_program;

static same_program same_programs[PROGRAMS_MOST];

/* Behind the first line, which names the step. */
static inline const char *same_body(const char *source)
{
    const char *end = strchr(source, '\n');
    return end ? end : source;
}

cl_program __real_clCreateProgramWithSource(cl_context, cl_uint, const char **, const size_t *,
                                            cl_int *);
cl_program __wrap_clCreateProgramWithSource(cl_context, cl_uint, const char **, const size_t *,
                                            cl_int *);
cl_int __real_clBuildProgram(cl_program, cl_uint, const cl_device_id *, const char *,
                             void(CL_CALLBACK *)(cl_program, void *), void *);
cl_int __wrap_clBuildProgram(cl_program, cl_uint, const cl_device_id *, const char *,
                             void(CL_CALLBACK *)(cl_program, void *), void *);

cl_program __wrap_clCreateProgramWithSource(cl_context context, cl_uint count, const char **text,
                                            const size_t *lengths, cl_int *code)
{
    int n = 0;
    for (; n < PROGRAMS_MOST && same_programs[n].program; n++)
        if (same_programs[n].context == context &&
            strcmp(same_body(same_programs[n].source), same_body(*text)) == 0) {
            *code = clRetainProgram(same_programs[n].program);
            return same_programs[n].program;
        }
    cl_program program = __real_clCreateProgramWithSource(context, count, text, lengths, code);
    if (program && count == 1 && !lengths && n < PROGRAMS_MOST &&
        clRetainProgram(program) == CL_SUCCESS)
        same_programs[n] = (same_program){context, strdup(*text), program, 1};
    return program;
}

cl_int __wrap_clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                             const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                             void *state)
{
    same_program *held = same_programs;
    while (held < same_programs + PROGRAMS_MOST && held->program && held->program != program)
        held++;
    const bool known = held < same_programs + PROGRAMS_MOST && held->program == program;
    if (known && held->built <= 0) return held->built;
    const cl_int code = __real_clBuildProgram(program, count, devices, options, notify, state);
    if (known) held->built = code;
    return code;
}

#endif

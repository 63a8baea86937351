/* device_probe.c: asks a device whether it takes a small kernel, and keeps the answer.
 * Room: core/device. Knows OpenCL's calls for one work-group. Does not know why a stage asks. */
#include "checksum.h"
#include "device_cl.h"
#include <stdio.h>
#include <string.h>

enum { PROBES = sizeof((ct_device_probes *)0)->asked / sizeof((ct_device_probes *)0)->asked[0] };

/* The name in a text's first line, "" where that has none. */
static void probe_name(char out[64], const char *source)
{
    static const char needs[] = "// needs ";
    *out = '\0';
    if (strncmp(source, needs, sizeof needs - 1) != 0) return;
    source += sizeof needs - 1;
    snprintf(out, 64, "%.*s", (int)strcspn(source, "\n"), source);
}

bool ct_device_probes_find(const ct_device_probes *probes, const char *source, bool *accepted)
{
    const uint64_t hash = ct_checksum(source, strlen(source));
    for (unsigned place = 0; place < probes->count && place < PROBES; place++)
        if (probes->asked[place] == hash) {
            *accepted = probes->accepted[place];
            return true;
        }
    return false;
}

void ct_device_probes_keep(ct_device_probes *probes, const char *source, bool accepted)
{
    bool known;
    if (ct_device_probes_find(probes, source, &known)) return;
    const unsigned place = probes->count++ % PROBES;
    probes->asked[place] = ct_checksum(source, strlen(source));
    probes->accepted[place] = accepted;
    probe_name(probes->name[place], source);
}

/* One work-group: of the size that the kernel's text requires, else a work-item. */
static size_t probe_size(const ct_device *device, cl_kernel kernel)
{
    size_t size[3] = {0};
    const cl_int code = clGetKernelWorkGroupInfo(
        kernel, device->id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof size, size, NULL);
    return code == CL_SUCCESS && size[0] > 0 ? size[0] : 1;
}

static bool probe_answer(const ct_device *device, cl_kernel kernel)
{
    const size_t size = probe_size(device, kernel);
    cl_int answer = 0, code;
    cl_mem mem = clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                sizeof answer, &answer, &code);
    if (code != CL_SUCCESS) return false;
    code = clSetKernelArg(kernel, 0, sizeof(cl_mem), &mem);
    if (code == CL_SUCCESS)
        code = clEnqueueNDRangeKernel(device->queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL);
    if (code == CL_SUCCESS)
        code = clEnqueueReadBuffer(device->queue, mem, CL_TRUE, 0, sizeof answer, &answer, 0, NULL,
                                   NULL);
    clReleaseMemObject(mem);
    return code == CL_SUCCESS && answer == 1;
}

static bool probe_run(const ct_device *device, const char *source)
{
    cl_int code;
    bool accepted = false;
    cl_program program = clCreateProgramWithSource(device->context, 1, &source, NULL, &code);
    if (code != CL_SUCCESS) return false;
    code = clBuildProgram(program, 1, &device->id, ct_device_options(device), NULL, NULL);
    if (code == CL_SUCCESS) {
        cl_kernel kernel = clCreateKernel(program, "probe", &code);
        accepted = code == CL_SUCCESS && probe_answer(device, kernel);
        if (code == CL_SUCCESS) clReleaseKernel(kernel);
    }
    clReleaseProgram(program);
    return accepted;
}

static bool probe_is_listed(const char *const *list, const char *source)
{
    char name[64];
    probe_name(name, source);
    for (; *list; list++)
        if (*name && !strcmp(*list, name)) return true;
    return false;
}

bool ct_device_accepts(const ct_device *device, const char *source)
{
    bool accepted;
    if (device->described) return probe_is_listed(device->described->accepts, source);
    pthread_mutex_t *probing = (pthread_mutex_t *)&device->probing;
    if (!device->probes) return false;
    if (device->as && !ct_device_accepts(device->as, source)) return false;
    pthread_mutex_lock(probing);
    if (!ct_device_probes_find(device->probes, source, &accepted)) {
        accepted = probe_run(device, source);
        ct_device_probes_keep(device->probes, source, accepted);
    }
    pthread_mutex_unlock(probing);
    return accepted;
}

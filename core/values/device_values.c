/* device_values.c: see device_values.h. One program for all types, built once in a process; strides
 * are numbers that its kernels read, so that a new layout needs no new kernel.
 * Room: core/values. */
#include "device_values.h"

#include <stdio.h>
#include <string.h>

#include "device_cl.h"
#include "device_values_cl.h"
#include "fail.h"
#include "layout.h"
#include "memory.h"

/* Elements along each side of a tile, as in device_values.cl; work-items along each side of a
 * group where the device is no CPU. */
enum { VALUES_SIDE = 64, VALUES_GROUP = 16, VALUES_FIXED = 9 };

/* Of the difference that is allowed for a complex number, the share that each part may take. */
#define VALUES_SHARE 0.7

struct ct_device_values {
    ct_device *device; /* held */
    cl_program program;
    cl_mem doubt;
};

ct_status ct_device_values_new(ct_device_values **out, ct_device *device, ct_error *err)
{
    ct_device_values *values = *out = ct_memory_get(sizeof *values);
    if (!values) return ct_memory_fail(sizeof *values, err);
    values->device = ct_device_retain(device);
    return CT_OK;
}

void ct_device_values_free(ct_device_values *values)
{
    if (!values) return;
    if (values->doubt) clReleaseMemObject(values->doubt);
    if (values->program) clReleaseProgram(values->program);
    ct_device_free(values->device);
    ct_memory_free(values);
}

static ct_status values_build(ct_device_values *values, ct_error *err)
{
    const char *text = device_values_cl;
    ct_device *device = values->device;
    cl_int code = CL_SUCCESS;
    if (values->doubt) return CT_OK;
    if (!values->program)
        values->program = clCreateProgramWithSource(device->context, 1, &text, NULL, &code);
    if (code == CL_SUCCESS)
        code =
            clBuildProgram(values->program, 1, &device->id, ct_device_options(device), NULL, NULL);
    if (code == CL_SUCCESS)
        values->doubt =
            clCreateBuffer(device->context, CL_MEM_READ_WRITE, sizeof(cl_int), NULL, &code);
    if (code == CL_SUCCESS) return CT_OK;
    return ct_device_fail(err, code, "building what fills and compares arrays");
}

/* ---- where elements lie */

typedef struct values_tiles {
    cl_long number[VALUES_FIXED + 3 * CT_COPY_DIMS];
    size_t count, groups;
} values_tiles;

static void tiles_side(values_tiles *tiles, int at, const ct_copy_dim *dim)
{
    const cl_long one[3] = {dim->extent, dim->from, dim->to};
    memcpy(&tiles->number[at], one, sizeof one);
    tiles->groups *= (size_t)((dim->extent + VALUES_SIDE - 1) / VALUES_SIDE);
}

/* The dimension that is fastest on either side. */
static int tiles_fastest(const ct_copy *copy, bool to)
{
    int fastest = copy->rank - 1;
    for (int k = 0; k < copy->rank; k++) {
        const ct_copy_dim *a = &copy->dim[k], *b = &copy->dim[fastest];
        if (to ? a->to < b->to : a->from < b->from) fastest = k;
    }
    return fastest;
}

/* A tile spans the fastest dimensions of both sides; where these are the same, the next slower one
 * in the memory of `from`. */
static values_tiles tiles_of(const ct_array *to, const ct_array *from)
{
    static const ct_copy_dim one = {.extent = 1};
    values_tiles tiles = {.count = VALUES_FIXED, .groups = 1};
    ct_copy copy = ct_copy_make(to, from);
    ct_copy_sort(&copy, false);
    ct_copy_merge(&copy);
    const int b = tiles_fastest(&copy, false), other = tiles_fastest(&copy, true);
    const int a = other == b ? copy.rank - 2 : other; /* sorted: b is the last one */
    tiles_side(&tiles, 0, a >= 0 && a != b ? &copy.dim[a] : &one);
    tiles_side(&tiles, 3, b >= 0 ? &copy.dim[b] : &one);
    tiles.number[6] = copy.from;
    tiles.number[7] = copy.to;
    for (int k = 0; k < copy.rank; k++) {
        if (k == a || k == b) continue;
        const cl_long dim[3] = {copy.dim[k].extent, copy.dim[k].from, copy.dim[k].to};
        memcpy(&tiles.number[tiles.count], dim, sizeof dim);
        tiles.count += 3;
        tiles.number[8]++;
        tiles.groups *= (size_t)copy.dim[k].extent;
    }
    return tiles;
}

/* ---- a kernel */

typedef struct values_argument {
    size_t bytes;
    const void *data;
} values_argument;

enum { VALUES_ARGUMENTS = 5 };

static cl_int values_launch(const ct_device_values *values, cl_kernel kernel, size_t groups)
{
    const size_t side = values->device->gpu ? VALUES_GROUP : 1;
    const size_t local[2] = {side, side}, global[2] = {groups * side, side};
    const cl_int code = clEnqueueNDRangeKernel(values->device->queue, kernel, 2, NULL, global,
                                               local, 0, NULL, NULL);
    return code == CL_SUCCESS ? clFinish(values->device->queue) : code;
}

/* `place`: where the tiles are among the arguments. */
static ct_status values_run(ct_device_values *values, const char *name, const values_tiles *tiles,
                            cl_uint place, values_argument argument[VALUES_ARGUMENTS],
                            ct_error *err)
{
    cl_int code = CL_SUCCESS;
    cl_kernel kernel = NULL;
    cl_mem numbers = NULL;
    if (tiles->groups == 0) return CT_OK;
    numbers = clCreateBuffer(values->device->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                             tiles->count * sizeof(cl_long), (void *)tiles->number, &code);
    argument[place] = (values_argument){sizeof numbers, &numbers};
    if (code == CL_SUCCESS) kernel = clCreateKernel(values->program, name, &code);
    for (cl_uint i = 0; code == CL_SUCCESS && i < VALUES_ARGUMENTS; i++)
        code = clSetKernelArg(kernel, i, argument[i].bytes, argument[i].data);
    if (code == CL_SUCCESS) code = values_launch(values, kernel, tiles->groups);
    if (kernel) clReleaseKernel(kernel);
    if (numbers) clReleaseMemObject(numbers);
    if (code == CL_SUCCESS) return CT_OK;
    return ct_device_fail(err, code, "filling or comparing an array");
}

/* ---- filling */

ct_status ct_device_values_fill(ct_device_values *values, const ct_buffer *buffer,
                                const ct_array *array, const ct_device_values_rule *rule,
                                ct_error *err)
{
    ct_status status = CT_OK;
    char name[32];
    ct_array natural = *array;
    ct_array_dense(&natural, NULL);
    const values_tiles tiles = tiles_of(&natural, array);
    values_argument arguments[VALUES_ARGUMENTS] = {{sizeof(cl_mem), &buffer->mem},
                                                   {0, NULL},
                                                   {sizeof rule->salt, &rule->salt},
                                                   {sizeof rule->keep, &rule->keep},
                                                   {sizeof rule->add, &rule->add}};
    snprintf(name, sizeof name, "fill_%u", ct_type_bits(array->type) / 8);
    CT_TRY(values_build(values, err));
    CT_TRY(values_run(values, name, &tiles, 1, arguments, err));
out:
    return status;
}

/* ---- comparing */

/* Other floats count as near only where their bits are the same. */
static void values_name(char *out, size_t size, ct_type type, double most)
{
    static const struct {
        ct_type type;
        const char *name;
    } near[] = {
        {CT_F32, "near_f32"}, {CT_CF32, "near_cf32"}, {CT_F16, "near_f16"}, {CT_CF16, "near_cf16"}};
    snprintf(out, size, "equal_%u", ct_type_bits(type) / 8);
    for (size_t i = 0; most > 0 && i < sizeof near / sizeof *near; i++)
        if (near[i].type == type) snprintf(out, size, "%s", near[i].name);
}

ct_status ct_device_values_compare(bool *sure, ct_device_values *values, const ct_buffer *found,
                                   const ct_array *of_found, const ct_buffer *wanted,
                                   const ct_array *of_wanted, double most, ct_error *err)
{
    ct_status status = CT_OK;
    char name[32];
    cl_int doubt = 0;
    const cl_float limit = (cl_float)(VALUES_SHARE * most);
    const values_tiles tiles = tiles_of(of_wanted, of_found);
    values_argument arguments[VALUES_ARGUMENTS] = {{sizeof(cl_mem), &found->mem},
                                                   {sizeof(cl_mem), &wanted->mem},
                                                   {0, NULL},
                                                   {sizeof limit, &limit},
                                                   {sizeof(cl_mem), &values->doubt}};
    *sure = false;
    values_name(name, sizeof name, of_found->type, most);
    CT_TRY(values_build(values, err));
    ct_buffer answer = {.mem = values->doubt, .bytes = sizeof doubt};
    CT_TRY(ct_buffer_write(&answer, values->device, 0, &doubt, sizeof doubt, err));
    CT_TRY(values_run(values, name, &tiles, 2, arguments, err));
    CT_TRY(ct_buffer_read(&answer, values->device, 0, &doubt, sizeof doubt, err));
    *sure = !doubt;
out:
    return status;
}

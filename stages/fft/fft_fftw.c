/* fft_fftw.c: the engine on FFTW (Frigo and Johnson 2005, Proc. IEEE 93): a tile of rows is
 * gathered where the input's channels are not contiguous, transformed in cache, and scattered
 * where the output's are not.
 * Room: stages/fft. Knows FFTW, the host's memory behind cl_mem, threads. Does not know stages. */
#ifdef CT_HAVE_FFTW
#define CL_TARGET_OPENCL_VERSION 120
#include "fft_held.h"
#include "fft_threads.h"
#include "fft_tile.h"
#include <CL/cl.h>
#include <assert.h>
#include <complex.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { X = CT_FFT_X, Y = CT_FFT_Y };
enum { LINE = 8 }; /* elements of a cache line */

typedef struct fftw_state {
    fft_shape shape;
    fft_tile in, out;
    bool direct_in, direct_out, nontemporal, native;
    fft_threads *threads;
    int64_t rows, calls;          /* of one library call; of one tile */
    int64_t count[CT_DIMS], jobs; /* along each axis; of a block */
    size_t bytes[2];              /* of the mapped arrays */
    void *memory;                 /* that scratch lies in */
    fft_element *scratch;         /* rows of all threads, at a cache line */
    fftwf_plan plan;
} fftw_state;

/* One block on its way: the jobs that are not taken yet. */
typedef struct fftw_work {
    fftw_state *state;
    fft_element *mem[2];
    atomic_llong next;
} fftw_work;

/* ---------------------------------------------------------------- choosing the tile */

/* Rows lie one after the other, aligned for vector loads. */
static bool fftw_is_direct(const fft_shape *shape, int64_t stride, int64_t offset, bool out)
{
    bool even = stride == 1 && offset % 2 == 0;
    for (int i = 0; i < shape->batch.rank; i++)
        even = even && (out ? shape->batch.dim[i].to : shape->batch.dim[i].from) % 2 == 0;
    return even;
}

/* Lengthens the tile along the axes that are fastest on one side until so many rows lie together.
 */
static void fftw_grow(fftw_state *fftw, bool out, int64_t rows)
{
    const fft_shape *shape = &fftw->shape;
    bool taken[CT_DIMS] = {false};
    for (int64_t together = 1, n = 0; together < rows && n < shape->batch.rank; n++) {
        int best = -1;
        for (int i = 0; i < shape->batch.rank; i++) {
            const ct_copy_dim *a = &shape->batch.dim[i],
                              *b = &shape->batch.dim[best < 0 ? i : best];
            if (!taken[i] && (out ? a->to <= b->to : a->from <= b->from)) best = i;
        }
        int64_t wanted = rows / together, extent = shape->batch.dim[best].extent;
        if (wanted > extent) wanted = extent;
        if (fftw->in.extent[best] < wanted) fftw->in.extent[best] = wanted;
        together *= fftw->in.extent[best];
        taken[best] = true;
    }
}

/* The last tile along an axis is moved back to fit, and repeats a few rows of the one before. They
 * are one job, since no two threads may write the same place. */
static void fftw_count_jobs(fftw_state *fftw)
{
    fftw->jobs = 1;
    for (int i = 0; i < fftw->shape.batch.rank; i++) {
        fftw->count[i] = fftw->shape.batch.dim[i].extent / fftw->in.extent[i];
        fftw->jobs *= fftw->count[i];
    }
}

static void fftw_set_tile(fftw_state *fftw, int64_t rows)
{
    const fft_shape *shape = &fftw->shape;
    int64_t row_stride = (shape->length + LINE - 1) / LINE * LINE + LINE; /* rows do not alias */
    fftw->in.axes = fftw->out.axes = shape->batch.rank;
    fftw->in.length = fftw->out.length = shape->length;
    fftw->in.row_stride = fftw->out.row_stride = row_stride;
    fftw->in.stride = shape->in;
    fftw->out.stride = shape->out;
    for (int i = 0; i < shape->batch.rank; i++) {
        fftw->in.extent[i] = 1;
        fftw->in.step[i] = shape->batch.dim[i].from;
        fftw->out.step[i] = shape->batch.dim[i].to;
    }
    if (!fftw->direct_in) fftw_grow(fftw, false, rows);
    if (!fftw->direct_out || fftw->direct_in) fftw_grow(fftw, true, rows);
    memcpy(fftw->out.extent, fftw->in.extent, sizeof fftw->in.extent);
    ct_fft_tile_order(&fftw->in);
    ct_fft_tile_order(&fftw->out);
    fftw_count_jobs(fftw);
}

static int fftw_call_axis(const fft_tile *tile)
{
    int axis = tile->axes - 1;
    while (axis > 0 && tile->extent[axis] == 1)
        axis--;
    return axis;
}

/* ---------------------------------------------------------------- planning */

/* The step from one row of a call to the next. */
static int64_t fftw_row_step(const fft_tile *tile, bool direct)
{
    if (!direct) return tile->row_stride;
    return tile->axes ? tile->step[fftw_call_axis(tile)] : tile->length;
}

static void fftw_set_calls(fftw_state *fftw, int64_t rows)
{
    fftw->rows = rows;
    fftw->calls = fftw->in.count / rows;
}

/* Rows of a tile that one call could transform. */
static int64_t fftw_most_rows(const fftw_state *fftw)
{
    if (!fftw->direct_in && !fftw->direct_out) return fftw->in.count;
    return fftw->in.axes ? fftw->in.extent[fftw_call_axis(&fftw->in)] : 1;
}

/* Elements of one thread's rows, on one side. */
static size_t fftw_rows_size(const fftw_state *fftw)
{
    return (size_t)(fftw->in.count * fftw->in.row_stride);
}

static ct_status fftw_ask(const ct_step *step, cl_device_info what, size_t size, void *answer,
                          ct_error *err)
{
    cl_int code = clGetDeviceInfo(step->native_device, what, size, answer, NULL);
    if (code == CL_SUCCESS) return CT_OK;
    return ct_error_add(err, CT_FAILED, "fft: the device does not say what it can do: error %d",
                        code);
}

/* As many as a CPU device has compute units; next to a GPU, as the host has processors. */
static ct_status fftw_count_threads(fftw_state *fftw, ct_step *step, ct_error *err)
{
    cl_uint units = 0;
    ct_status status = CT_OK;
    if (!step->gpu) status = fftw_ask(step, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, err);
    int64_t threads = units ? units : sysconf(_SC_NPROCESSORS_ONLN);
    fftw->threads = ct_fft_threads_new(step, threads > fftw->jobs ? fftw->jobs : threads);
    return status == CT_OK && !fftw->threads ? CT_FAILED : status;
}

static ct_status fftw_find_native(fftw_state *fftw, const ct_step *step, ct_error *err)
{
    cl_device_exec_capabilities can = 0;
    ct_status status = fftw_ask(step, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof can, &can, err);
    fftw->native = !step->gpu && (can & CL_EXEC_NATIVE_KERNEL);
    return status;
}

static void fftw_release(void *state)
{
    fftw_state *fftw = state;
    if (!fftw) return;
    if (fftw->plan) fftwf_destroy_plan(fftw->plan);
    fftwf_free(fftw->memory);
}

/* Rows begin at cache lines, wherever the library's memory does: a vector that crosses one costs
 * two accesses. */
static ct_status fftw_make_scratch(fftw_state *fftw, ct_error *err)
{
    const size_t line = LINE * sizeof *fftw->scratch;
    const size_t elements = 2 * (size_t)ct_fft_threads_count(fftw->threads) * fftw_rows_size(fftw);
    fftw->memory = fftwf_malloc(elements * sizeof *fftw->scratch + line);
    if (!fftw->memory) return ct_error_add(err, CT_FAILED, "fft: no memory for FFTW's rows");
    const size_t past = (uintptr_t)fftw->memory % line;
    fftw->scratch = (fft_element *)((char *)fftw->memory + (past ? line - past : 0));
    return CT_OK;
}

static ct_status fftw_make_plan(fftw_state *fftw, ct_error *err)
{
    fft_rows rows = {fftw->shape.length, fftw_most_rows(fftw),
                     fftw_row_step(&fftw->in, fftw->direct_in),
                     fftw_row_step(&fftw->out, fftw->direct_out)};
    fftw->plan = ct_fft_held_plan(&rows, fftw->scratch, fftw->scratch + fftw_rows_size(fftw));
    if (!fftw->plan)
        return ct_error_add(err, CT_FAILED, "fft: FFTW has no plan for %lld channels",
                            (long long)rows.length);
    fftw_set_calls(fftw, rows.rows);
    return CT_OK;
}

static ct_status fftw_prepare(ct_step *step, void **state, ct_error *err)
{
    fftw_state *fftw = ct_step_alloc(step, sizeof *fftw);
    if (!fftw) return CT_FAILED;
    ct_fft_shape_make(&fftw->shape, &step->port[X], &step->port[Y]);
    fftw->nontemporal = ct_step_tunable(step, "NONTEMPORAL") != 0;
    fftw->direct_in = fftw_is_direct(&fftw->shape, fftw->shape.in, fftw->shape.batch.from, false);
    fftw->direct_out = !fftw->nontemporal &&
                       fftw_is_direct(&fftw->shape, fftw->shape.out, fftw->shape.batch.to, true);
    fftw_set_tile(fftw, ct_step_tunable(step, "TILE_SPT"));
    fftw->bytes[X] = ct_array_bytes(&step->port[X]);
    fftw->bytes[Y] = ct_array_bytes(&step->port[Y]);
    ct_status status = fftw_count_threads(fftw, step, err);
    if (status == CT_OK) status = fftw_find_native(fftw, step, err);
    if (status == CT_OK) status = fftw_make_scratch(fftw, err);
    if (status == CT_OK) status = fftw_make_plan(fftw, err);
    if (status != CT_OK) fftw_release(fftw);
    *state = status == CT_OK ? fftw : NULL;
    return status;
}

/* ---------------------------------------------------------------- running */

/* Where call `n` of a tile begins on a side that is direct: an odometer over the slower axes. */
static int64_t fftw_call_place(const fftw_state *fftw, const fft_tile *tile, int64_t n)
{
    int64_t row = n * fftw->rows, place = 0;
    for (int i = tile->axes - 1; i >= 0; i--) {
        place += row % tile->extent[i] * tile->step[i];
        row /= tile->extent[i];
    }
    return place;
}

/* FFTW takes its input without const, but a plan made without FFTW_DESTROY_INPUT only reads it. */
static void fftw_transform(const fftw_state *fftw, fft_element *from, fft_element *to)
{
    for (int64_t n = 0; n < fftw->calls; n++) {
        int64_t row = n * fftw->rows * fftw->in.row_stride;
        int64_t in = fftw->direct_in ? fftw_call_place(fftw, &fftw->in, n) : row;
        int64_t out = fftw->direct_out ? fftw_call_place(fftw, &fftw->out, n) : row;
        fftwf_execute_dft(fftw->plan, (fftwf_complex *)(from + in), (fftwf_complex *)(to + out));
    }
}

static void fftw_run_tile(const fftw_state *fftw, fft_element *const mem[2],
                          const int64_t first[CT_DIMS], fft_element *rows)
{
    int64_t in = fftw->shape.batch.from, out = fftw->shape.batch.to;
    for (int i = 0; i < fftw->shape.batch.rank; i++) {
        in += first[i] * fftw->shape.batch.dim[i].from;
        out += first[i] * fftw->shape.batch.dim[i].to;
    }
    if (fftw->direct_in) ct_fft_tile_prefetch(&fftw->in, mem[X] + in);
    fft_element *gathered = rows, *transformed = rows + fftw_rows_size(fftw);
    if (!fftw->direct_in) ct_fft_tile_gather(&fftw->in, gathered, mem[X] + in);
    fftw_transform(fftw, fftw->direct_in ? mem[X] + in : gathered,
                   fftw->direct_out ? mem[Y] + out : transformed);
    if (!fftw->direct_out)
        ct_fft_tile_scatter(&fftw->out, mem[Y] + out, transformed, fftw->nontemporal);
}

/* The n-th tile, and at the end of an axis the one that is moved back: at the end of several, every
 * set of these. */
static void fftw_run_job(const fftw_state *fftw, fft_element *const mem[2], int64_t n,
                         fft_element *rows)
{
    const ct_copy_dim *axis = fftw->shape.batch.dim;
    const int64_t *extent = fftw->in.extent;
    int64_t place[CT_DIMS], first[CT_DIMS];
    unsigned moved = 0;
    for (int i = fftw->shape.batch.rank - 1; i >= 0; n /= fftw->count[i--]) {
        place[i] = n % fftw->count[i] * extent[i];
        const int64_t left = axis[i].extent - place[i] - extent[i];
        if (left > 0 && left < extent[i]) moved |= 1u << i;
    }
    for (unsigned set = 0;; set = (set - moved) & moved) {
        for (int i = 0; i < fftw->shape.batch.rank; i++)
            first[i] = set >> i & 1 ? axis[i].extent - extent[i] : place[i];
        fftw_run_tile(fftw, mem, first, rows);
        if (set == moved) return;
    }
}

static void fftw_run_jobs(void *of, int number)
{
    fftw_work *work = of;
    const fftw_state *fftw = work->state;
    fft_element *rows = fftw->scratch + 2 * (size_t)number * fftw_rows_size(fftw);
    for (int64_t n; (n = atomic_fetch_add(&work->next, 1)) < fftw->jobs;)
        fftw_run_job(fftw, work->mem, n, rows);
}

static void fftw_run(fftw_state *fftw, void *x, void *y)
{
    fftw_work work = {.state = fftw, .mem = {x, y}};
    assert((uintptr_t)x % 16 == 0 && (uintptr_t)y % 16 == 0);
    ct_fft_threads_run(fftw->threads, fftw_run_jobs, &work);
}

typedef struct fftw_native {
    fftw_state *state;
    void *mem[2];  /* the driver puts the buffers' addresses here */
    void *host[2]; /* where they must be */
} fftw_native;

/* PoCL sorts the buffers of a native kernel by age, and not the places for their addresses: those
 * change places where the output is the older one. */
static void CL_CALLBACK fftw_run_native(void *argument)
{
    fftw_native *native = argument;
    bool swapped = native->mem[X] == native->host[Y] && native->mem[Y] == native->host[X];
    fftw_run(native->state, native->mem[swapped ? Y : X], native->mem[swapped ? X : Y]);
}

/* Buffers on the host's own memory know where they are. */
static bool fftw_find_hosts(void *host[2], void *const mem[])
{
    for (int i = X; i <= Y; i++)
        if (clGetMemObjectInfo(mem[i], CL_MEM_HOST_PTR, sizeof host[i], &host[i], NULL) !=
                CL_SUCCESS ||
            !host[i])
            return false;
    return true;
}

static cl_int fftw_enqueue_native(fftw_state *fftw, cl_command_queue queue, void *const mem[],
                                  void *const host[2])
{
    fftw_native native = {fftw, {NULL, NULL}, {host[X], host[Y]}};
    cl_mem buffers[2] = {mem[X], mem[Y]};
    const void *places[2] = {&native.mem[X], &native.mem[Y]};
    return clEnqueueNativeKernel(queue, fftw_run_native, &native, sizeof native, 2, buffers, places,
                                 0, NULL, NULL);
}

static cl_int fftw_enqueue_mapped(fftw_state *fftw, cl_command_queue queue, void *const mem[])
{
    static const cl_map_flags flags[2] = {CL_MAP_READ, CL_MAP_READ | CL_MAP_WRITE};
    void *host[2] = {NULL, NULL};
    cl_int code = CL_SUCCESS, last = CL_SUCCESS;
    for (int i = X; i <= Y && code == CL_SUCCESS; i++)
        host[i] = clEnqueueMapBuffer(queue, mem[i], CL_TRUE, flags[i], 0, fftw->bytes[i], 0, NULL,
                                     NULL, &code);
    if (code == CL_SUCCESS) fftw_run(fftw, host[X], host[Y]);
    for (int i = X; i <= Y; i++)
        if (host[i]) last = clEnqueueUnmapMemObject(queue, mem[i], host[i], 0, NULL, NULL);
    return code == CL_SUCCESS ? last : code;
}

static ct_status fftw_enqueue(void *state, void *queue, void *const mem[], ct_error *err)
{
    fftw_state *fftw = state;
    void *host[2] = {NULL, NULL};
    cl_int code = fftw->native && fftw_find_hosts(host, mem)
                      ? fftw_enqueue_native(fftw, queue, mem, host)
                      : fftw_enqueue_mapped(fftw, queue, mem);
    if (code == CL_SUCCESS) return CT_OK;
    return ct_error_add(err, CT_FAILED, "fft: the FFTW engine cannot reach its arrays: error %d",
                        code);
}

const fft_engine ct_fft_fftw = {
    .prepare = fftw_prepare,
    .enqueue = fftw_enqueue,
    .release = fftw_release,
};
#else
typedef int ct_fft_fftw_absent; /* a translation unit may not be empty */
#endif

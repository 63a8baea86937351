/* record.c: a layer between the command and OpenCL (LD_PRELOAD): notes every command that is put on
 * a queue and every wait for one, in $RECORD, a line each, when the context is released:
 *
 *   number call queue blocking main bytes waits begin end
 *
 * queues are numbered from 1 on in the order of their first use, 0: none; main: by the thread that
 * starts kernels; waits: numbers of commands, with commas, or -; begin, end: nanoseconds, or -.
 *
 * With RECORD_HOLD=1 kernels are held back until data are sent that come after them: then a line
 * "# held N" counts such blocks, "# stalled CALL NUMBER" is a wait of the thread that starts
 * kernels for a kernel that is held, which is let go then. A run that sends the next block in time
 * has none but in the first and in the last block. Room: tests. */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 16, QUEUES = 16, WAITS = 4 };

typedef struct command {
    const char *call;
    cl_event event; /* retained */
    size_t bytes;
    int queue, waits, wait[WAITS];
    bool blocking, starts; /* starts: by the thread that starts kernels */
} command;

static struct {
    pthread_mutex_t lock;
    command list[MOST];
    int count, queues;
    cl_command_queue queue[QUEUES];
    pthread_t starter;
    bool started, hold;
    /* Kernels that are held: the first one's number, and what they wait for. */
    int held;
    cl_event gate;
    long holds;
    int stalls, stall[MOST];
} record = {.lock = PTHREAD_MUTEX_INITIALIZER, .held = -1};

/* The same function of the library that is wrapped. */
static void *next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}
/* ISO C knows no cast from an object to a function. */
#define NEXT(type, name)                                                                           \
    static union {                                                                                 \
        void *object;                                                                              \
        type *call;                                                                                \
    } real;                                                                                        \
    if (!real.object) real.object = next(name)

static int queue_number(cl_command_queue queue)
{
    for (int n = 0; n < record.queues; n++)
        if (record.queue[n] == queue) return n + 1;
    if (!queue || record.queues == QUEUES) return 0;
    record.queue[record.queues++] = queue;
    return record.queues;
}

static int number_of(cl_event event)
{
    int n = record.count - 1;
    while (n >= 0 && record.list[n].event != event)
        n--;
    return n;
}

/* The number of the command, or -1. Its event is kept, so that no other one gets its address. */
static int note(const char *call, cl_command_queue queue, bool blocking, size_t bytes,
                cl_uint count, const cl_event *list, cl_event event)
{
    if (record.count == MOST) return -1;
    command *c = &record.list[record.count];
    *c = (command){.call = call, .event = event, .bytes = bytes, .blocking = blocking};
    c->queue = queue_number(queue);
    c->starts = record.started && pthread_equal(record.starter, pthread_self());
    for (cl_uint i = 0; i < count && c->waits < WAITS; i++) {
        const int n = number_of(list[i]);
        if (n >= 0) c->wait[c->waits++] = n;
    }
    if (event) clRetainEvent(event);
    return record.count++;
}

/* ---- kernels that are held */

/* Whether a command comes after one that is held: by its queue, or by what it waits for. */
static bool is_held(int n)
{
    const command *c = &record.list[n];
    if (record.held < 0 || n < record.held) return false;
    if (c->queue == record.list[record.held].queue) return true;
    for (int i = 0; i < c->waits; i++)
        if (is_held(c->wait[i])) return true;
    for (int before = n - 1; before >= record.held; before--)
        if (record.list[before].queue == c->queue && c->queue > 0) return is_held(before);
    return false;
}

static void let_go(void)
{
    cl_event gate = record.gate;
    record.gate = NULL;
    record.held = -1;
    pthread_mutex_unlock(&record.lock);
    clSetUserEventStatus(gate, CL_COMPLETE);
    clReleaseEvent(gate);
    pthread_mutex_lock(&record.lock);
}

/* Before the thread that starts kernels waits for a command. */
static void stall(int n)
{
    if (n < 0 || !record.gate || !record.list[n].starts || !is_held(n)) return;
    record.stall[record.stalls++] = n;
    let_go();
}

static void CL_CALLBACK sent(cl_event event, cl_int state, void *of)
{
    (void)event;
    (void)state;
    clSetUserEventStatus(of, CL_COMPLETE);
    clReleaseEvent(of);
}

/* Once these bytes have come, what was held goes on; later kernels are held anew. */
static void pass_on(cl_event event)
{
    cl_event gate = record.gate;
    if (!gate || !event) return;
    record.gate = NULL;
    record.held = -1;
    record.holds++;
    if (clSetEventCallback(event, CL_COMPLETE, sent, gate) != CL_SUCCESS) sent(event, 0, gate);
}

static void hold(cl_command_queue queue)
{
    cl_context context = NULL;
    if (!record.hold || record.gate) return;
    clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    record.gate = clCreateUserEvent(context, NULL);
    record.held = record.count;
}

static void begin(void)
{
    pthread_mutex_lock(&record.lock);
    const char *set = getenv("RECORD_HOLD");
    record.hold = set && *set == '1';
}

static void end(void)
{
    pthread_mutex_unlock(&record.lock);
}

/* ---- the calls */

#pragma GCC visibility push(default)

typedef cl_int kernel_call(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *,
                           const size_t *, cl_uint, const cl_event *, cl_event *);
/* What moves history on to the next block (core/regroup/time_copy.cl): that block is sent after it.
 */
static bool is_move(cl_kernel kernel)
{
    char name[64] = "";
    (void)clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
    return strncmp(name, "move_", 5) == 0;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
                              const size_t *from, const size_t *global, const size_t *local,
                              cl_uint count, const cl_event *list, cl_event *event)
{
    NEXT(kernel_call, "clEnqueueNDRangeKernel");
    cl_event own = NULL, *out = event ? event : &own;
    begin();
    record.starter = pthread_self();
    record.started = true;
    const bool moves = is_move(kernel);
    if (!moves) hold(queue);
    const cl_uint gated = !moves && record.gate && count == 0;
    const cl_int code = real.call(queue, kernel, dims, from, global, local, gated ? 1 : count,
                                  gated ? &record.gate : list, out);
    if (code == CL_SUCCESS) note(moves ? "move" : "kernel", queue, false, 0, count, list, *out);
    end();
    if (own) clReleaseEvent(own);
    return code;
}

typedef cl_int write_call(cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *, cl_uint,
                          const cl_event *, cl_event *);
cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem mem, cl_bool wait, size_t at,
                            size_t bytes, const void *data, cl_uint count, const cl_event *list,
                            cl_event *event)
{
    NEXT(write_call, "clEnqueueWriteBuffer");
    begin();
    const int n = note("write", queue, wait, bytes, count, list, NULL);
    if (wait) stall(n);
    if (wait) end();
    const cl_int code = real.call(queue, mem, wait, at, bytes, data, count, list, event);
    if (wait) begin();
    if (!wait && n >= 0 && code == CL_SUCCESS && event) {
        clRetainEvent(record.list[n].event = *event);
        pass_on(*event);
    }
    end();
    return code;
}

typedef cl_int read_call(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint,
                         const cl_event *, cl_event *);
cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem mem, cl_bool wait, size_t at,
                           size_t bytes, void *data, cl_uint count, const cl_event *list,
                           cl_event *event)
{
    NEXT(read_call, "clEnqueueReadBuffer");
    begin();
    const int n = note("read", queue, wait, bytes, count, list, NULL);
    if (wait) stall(n);
    end();
    const cl_int code = real.call(queue, mem, wait, at, bytes, data, count, list, event);
    begin();
    if (n >= 0 && code == CL_SUCCESS && event) clRetainEvent(record.list[n].event = *event);
    end();
    return code;
}

typedef void *map_call(cl_command_queue, cl_mem, cl_bool, cl_map_flags, size_t, size_t, cl_uint,
                       const cl_event *, cl_event *, cl_int *);
void *clEnqueueMapBuffer(cl_command_queue queue, cl_mem mem, cl_bool wait, cl_map_flags flags,
                         size_t at, size_t bytes, cl_uint count, const cl_event *list,
                         cl_event *event, cl_int *code)
{
    NEXT(map_call, "clEnqueueMapBuffer");
    begin();
    const int n = note("map", queue, wait, bytes, count, list, NULL);
    if (wait) stall(n);
    end();
    return real.call(queue, mem, wait, flags, at, bytes, count, list, event, code);
}

typedef cl_int mark_call(cl_command_queue, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count, const cl_event *list,
                                   cl_event *event)
{
    NEXT(mark_call, "clEnqueueMarkerWithWaitList");
    begin();
    const cl_int code = real.call(queue, count, list, event);
    if (code == CL_SUCCESS) note("mark", queue, false, 0, count, list, event ? *event : NULL);
    end();
    return code;
}

typedef cl_int copy_call(cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint,
                         const cl_event *, cl_event *);
cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t at, size_t place,
                           size_t bytes, cl_uint count, const cl_event *list, cl_event *event)
{
    NEXT(copy_call, "clEnqueueCopyBuffer");
    begin();
    const cl_int code = real.call(queue, from, to, at, place, bytes, count, list, event);
    if (code == CL_SUCCESS) note("copy", queue, false, bytes, count, list, event ? *event : NULL);
    end();
    return code;
}

typedef cl_int finish_call(cl_command_queue);
cl_int clFinish(cl_command_queue queue)
{
    NEXT(finish_call, "clFinish");
    begin();
    stall(note("finish", queue, true, 0, 0, NULL, NULL));
    end();
    return real.call(queue);
}

typedef cl_int wait_call(cl_uint, const cl_event *);
cl_int clWaitForEvents(cl_uint count, const cl_event *list)
{
    NEXT(wait_call, "clWaitForEvents");
    begin();
    stall(note("wait", NULL, false, 0, count, list, NULL));
    end();
    return real.call(count, list);
}

#pragma GCC visibility pop

/* ---- the end */

static void print_times(FILE *to, cl_event event)
{
    cl_ulong from = 0, until = 0;
    if (event &&
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof from, &from, NULL) == 0 &&
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof until, &until, NULL) == 0)
        fprintf(to, " %llu %llu\n", (unsigned long long)from, (unsigned long long)until);
    else
        fprintf(to, " - -\n");
}

static void print(FILE *to)
{
    for (int n = 0; n < record.count; n++) {
        const command *c = &record.list[n];
        fprintf(to, "%d %s %d %d %d %zu ", n, c->call, c->queue, c->blocking, c->starts, c->bytes);
        for (int i = 0; i < c->waits; i++)
            fprintf(to, "%s%d", i ? "," : "", c->wait[i]);
        fprintf(to, "%s", c->waits ? "" : "-");
        print_times(to, c->event);
    }
    for (int i = 0; i < record.stalls; i++)
        fprintf(to, "# stalled %s %d\n", record.list[record.stall[i]].call, record.stall[i]);
    fprintf(to, "# held %ld\n", record.holds);
}

typedef cl_int release_call(cl_context);
__attribute__((visibility("default"))) cl_int clReleaseContext(cl_context context)
{
    NEXT(release_call, "clReleaseContext");
    FILE *to = getenv("RECORD") && record.count ? fopen(getenv("RECORD"), "w") : NULL;
    begin();
    if (to) {
        print(to);
        (void)fclose(to);
    }
    end();
    return real.call(context);
}

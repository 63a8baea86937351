/* capture.h: runs a pipeline text and keeps what reaches its sinks, for tests.
 *
 * Room: tests. Knows only cornerturn.h. Order: capture_run, [look at the captures], capture_free
 * for each. A sink node may be of any kind: it is replaced by the test's own. */
#ifndef CT_TESTS_CAPTURE_H
#define CT_TESTS_CAPTURE_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cornerturn_stage.h"
#include "one_device.h"

/* All samples of one sink, along T behind one another: [T][the other dimensions as they came]. */
typedef struct capture {
    ct_array each; /* one sample along T: dims without T, dense */
    ct_meta meta;  /* frequency_hz and dm are copies */
    double *value; /* [samples][count of each], complex ones as two numbers */
    int64_t samples, count, room;
} capture;

static inline void *capture_copy(const void *from, size_t bytes)
{
    return from ? memcpy(malloc(bytes), from, bytes) : NULL;
}

/* The first block says what the array looks like. */
static inline void capture_begin(capture *to, const ct_array *block)
{
    to->each.type = block->type;
    for (int k = 0; k < block->rank; k++)
        if (block->dim[k] != 'T') ct_array_add(&to->each, block->dim[k], block->extent[k]);
    ct_array_dense(&to->each, NULL);
    to->count = ct_array_count(&to->each);
    to->meta = block->meta;
    to->meta.frequency_hz = (double *)capture_copy(
        block->meta.frequency_hz, sizeof(double) * (size_t)block->meta.frequencies);
    to->meta.dm = (double *)capture_copy(block->meta.dm, sizeof(double) * (size_t)block->meta.dms);
}

/* Where in the block the element lies that is number `n` within a sample. */
static inline int64_t capture_place(const ct_array *each, const ct_array *block, int64_t n)
{
    int64_t place = block->offset;
    for (int k = each->rank - 1; k >= 0; k--) {
        place += n % each->extent[k] * ct_array_stride(block, each->dim[k]);
        n /= each->extent[k];
    }
    return place;
}

static inline ct_status capture_write(void *state, const ct_array *block, int64_t first,
                                      int64_t count, ct_error *err)
{
    capture *to = (capture *)state;
    (void)err;
    if (to->count == 0) capture_begin(to, block);
    if (to->samples + count > to->room) {
        to->room = 2 * (to->samples + count);
        to->value =
            (double *)realloc(to->value, sizeof(double) * 2 * (size_t)(to->room * to->count));
    }
    if (to->value == NULL) abort();
    for (int64_t t = 0; t < count; t++)
        for (int64_t n = 0; n < to->count; n++) {
            int64_t at =
                capture_place(&to->each, block, n) + (first + t) * ct_array_stride(block, 'T');
            ct_complex x = ct_array_load(block, at);
            double *value = to->value + 2 * ((to->samples + t) * to->count + n);
            value[0] = x.re;
            value[1] = x.im;
        }
    to->samples += count;
    return CT_OK;
}

/* Element `n` of sample `t`. */
static inline ct_complex capture_at(const capture *from, int64_t t, int64_t n)
{
    if (from->value == NULL) abort();
    const double *value = from->value + 2 * (t * from->count + n);
    ct_complex x = {value[0], value[1]};
    return x;
}

static inline void capture_free(capture *one)
{
    free(one->value);
    free((void *)one->meta.frequency_hz);
    free((void *)one->meta.dm);
    memset(one, 0, sizeof *one);
}

static inline ct_status capture_blocks(ct_run *run, const char *const *sinks, capture *out,
                                       ct_error *err)
{
    ct_status status = CT_OK;
    for (int k = 0; sinks[k] && status == CT_OK; k++) {
        ct_io io = {sizeof io, &out[k], NULL, capture_write, NULL};
        status = ct_run_bind(run, sinks[k], &io, err);
    }
    while (status == CT_OK)
        status = ct_run_block(run, err);
    return status == CT_EOF ? ct_run_finish(run, err) : status;
}

static inline ct_status capture_file(const char *file, const char *const *sinks, capture *out,
                                     ct_error *err)
{
    ct_context *context = NULL;
    ct_device *device = one_device(err);
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    ct_run *run = NULL;
    ct_status status = device ? ct_context_open(&context, err) : CT_NO_DEVICE;
    if (status == CT_OK) status = ct_graph_load(&graph, context, file, NULL, err);
    if (status == CT_OK) status = ct_plan_default(&plan, graph, device, err);
    if (status == CT_OK) status = ct_run_new(&run, plan, device, err);
    if (status == CT_OK) status = capture_blocks(run, sinks, out, err);
    ct_run_free(run);
    ct_plan_free(plan);
    ct_graph_free(graph);
    ct_context_free(context);
    return status;
}

/* `sinks`: names of nodes, NULL at the end; out: one zeroed capture for each. */
static inline ct_status capture_run(const char *json, const char *const *sinks, capture *out,
                                    ct_error *err)
{
    char name[] = "/tmp/ct_capture_XXXXXX";
    int file = mkstemp(name);
    if (file < 0 || write(file, json, strlen(json)) != (ssize_t)strlen(json)) abort();
    close(file);
    ct_status status = capture_file(name, sinks, out, err);
    unlink(name);
    return status;
}

#endif

/* choose.c: the default plan: of the pipeline as written and of each way of fusing its nodes the
 * one with the least price; on a GPU, for which there are no prices yet, layouts by rule.
 * Room: tuner/choose. Knows graphs and prices. Does not know how kernels are written. */
#include "choose.h"

#include <math.h>
#include <string.h>

#include "choose_inner.h"
#include "cornerturn_stage.h"
#include "device.h"
#include "fail.h"
#include "fuse.h"
#include "memory.h"

enum { CHOOSE_GRAPHS = 16 };

typedef struct choose {
    const ct_device *device;
    ct_prices *prices; /* NULL: there are none for this device */
    ct_graph *graph[CHOOSE_GRAPHS];
    ct_choice *choices[CHOOSE_GRAPHS];
    double price[CHOOSE_GRAPHS]; /* per second of the signal */
    int count;
} choose;

bool ct_choose_has_prices(const ct_device *device)
{
    return !device || !device->gpu;
}

static ct_status choose_open(choose *c, const ct_graph *graph, const ct_device *device, bool priced,
                             ct_error *err)
{
    *c = (choose){.device = device, .count = 1};
    c->graph[0] = ct_graph_retain(graph);
    return priced ? ct_prices_new(&c->prices, err) : CT_OK;
}

static void choose_close(choose *c)
{
    for (int i = 0; i < CHOOSE_GRAPHS; i++) {
        ct_memory_free(c->choices[i]);
        ct_graph_free(c->graph[i]);
    }
    ct_prices_free(c->prices);
}

static ct_status choose_layouts(choose *c, int i, bool priced, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_graph *graph = c->graph[i];
    const size_t bytes = sizeof(ct_choice) * (size_t)graph->count;
    double seconds = 0;
    ct_memory_free(c->choices[i]);
    c->choices[i] = ct_memory_get(bytes);
    CT_NEED(c->choices[i], bytes, err);
    CT_TRY(ct_choose_usual(c->choices[i], graph, err));
    if (priced) CT_TRY(ct_choose_priced(c->choices[i], &seconds, graph, c->prices, 0, err));
    c->price[i] = seconds / (double)graph->block;
out:
    return status;
}

static ct_status choose_build(ct_plan **out, const choose *c, int i, ct_error *err)
{
    return ct_plan_build(out, c->graph[i], c->choices[i], NULL, c->device, err);
}

/* What prices find best may not be possible: no tunables are legal, or memory is not enough. Then
 * it is the pipeline as written, by rule. */
static ct_status choose_try(ct_plan **out, choose *c, int best, ct_error *err)
{
    ct_status status = CT_OK;
    *out = NULL;
    if (c->prices && best >= 0 && choose_build(out, c, best, NULL) == CT_OK) {
        const ct_device *device = c->device;
        if (!device ||
            ct_plan_fits(*out, device->global_bytes, device->largest_buffer, NULL) == CT_OK)
            return CT_OK;
        ct_plan_free(*out);
        *out = NULL;
    }
    CT_TRY(choose_layouts(c, 0, false, err));
    CT_TRY(choose_build(out, c, 0, err));
out:
    return status;
}

ct_status ct_choose_plan(ct_plan **out, const ct_graph *graph, const ct_device *device, bool priced,
                         ct_error *err)
{
    ct_status status = CT_OK;
    choose c;
    CT_TRY(choose_open(&c, graph, device, priced, err));
    const bool found = c.prices && choose_layouts(&c, 0, true, NULL) == CT_OK;
    CT_TRY(choose_try(out, &c, found ? 0 : -1, err));
out:
    choose_close(&c);
    return status;
}

ct_status ct_plan_default(ct_plan **out, const ct_graph *graph, const ct_device *device,
                          ct_error *err)
{
    CT_GIVEN_OUT(err, out, graph);
    ct_status status = CT_OK;
    int best = -1;
    choose c;
    CT_TRY(choose_open(&c, graph, device, ct_choose_has_prices(device), err));
    if (c.prices) CT_TRY(ct_fuse_all(graph, c.graph, CHOOSE_GRAPHS, &c.count, err));
    for (int i = 0; c.prices && i < c.count; i++)
        if (choose_layouts(&c, i, true, NULL) == CT_OK && (best < 0 || c.price[i] < c.price[best]))
            best = i;
    CT_TRY(choose_try(out, &c, best, err));
out:
    choose_close(&c);
    return status;
}

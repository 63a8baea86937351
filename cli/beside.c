/* beside.c: see beside.h.
 * Room: cli. Does not know kernels. */
#include "beside.h"
#include "cores.h"
#include "serve.h"

void ct_beside_begin(void *of)
{
    ct_beside *beside = of;
    const ct_pipeline *p = beside->pipeline;
    const char *worker[CT_SERVE_ARGUMENTS];
    ct_error none;
    if (beside->begun || ct_ranks_size(p->ranks) > 1 || ct_cores_mine() < 2) return;
    beside->begun = true;
    ct_serve_argv(worker, "--beside", p->libraries);
    (void)ct_builder_new(&beside->builder, p->graph, p->plan, p->device, worker, &none);
}

void ct_beside_end(ct_beside *beside)
{
    ct_builder_free(beside->builder);
    beside->builder = NULL;
}

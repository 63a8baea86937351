/* graph_share.c: the ranks of a job that share a pipeline's work.
 * Room: core/graph. Knows that they must have the same pipeline. Does not know how work is shared.
 */
#include "fail.h"
#include "graph.h"
#include "text.h"

/* All that plans follow from: the version, and the pipeline with what was set. */
ct_status ct_graph_share(ct_graph *graph, const ct_ranks *ranks, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text text = {0};
    graph->ranks = ranks;
    if (ct_ranks_size(ranks) < 2) return CT_OK;
    ct_text_add(&text, "%s %lld ", ct_version(), (long long)graph->block);
    status = ct_graph_print(&text, graph, err);
    status = ct_ranks_agree(ranks, status, err);
    if (status == CT_OK)
        status = ct_ranks_same(ranks, "pipeline and version of cornerturn",
                               text.data ? text.data : "", err);
    ct_text_free(&text);
    return status;
}

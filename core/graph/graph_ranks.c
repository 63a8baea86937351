/* graph_ranks.c: the ranks of a job that divide a pipeline's work.
 * Room: core/graph. Knows that they must have the same pipeline. Does not know how work is divided.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "context.h"
#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "fail.h"
#include "file_conflicts.h"
#include "graph.h"
#include "ranks.h"
#include "step_range.h"
#include "text.h"

/* All that plans follow from, besides the stages: the pipeline with what was set. */
static ct_status add_pipeline(ct_text *text, const ct_graph *graph, ct_error *err)
{
    ct_text_add(text, "%lld ", (long long)graph->block);
    return ct_graph_print(text, graph, err);
}

static void add_stages(ct_text *text, const ct_graph *graph)
{
    for (int n = 0; n < graph->count; n++) {
        const ct_stage *stage = graph->nodes[n].step->stage;
        ct_text_add(text, "%s %u %s %s %s %s\n", stage->name, stage->version,
                    stage->split ? stage->split : "", stage->digest ? stage->digest : "",
                    ct_context_library_digest(graph->context, stage),
                    stage->kernel.text ? stage->kernel.text : "");
    }
}

/* Of what each rank reads: when it begins, how long and large it is. */
static void add_sources(ct_text *text, const ct_graph *graph)
{
    for (int n = 0; n < graph->count; n++) {
        const ct_array *y = &graph->nodes[n].step->port[0];
        if (ct_role_of(graph->nodes[n].step) != CT_ROLE_SOURCE) continue;
        ct_text_add(text, "%s %d %lld %.17g %.17g %.17g", graph->nodes[n].name, (int)y->type,
                    (long long)y->meta.total, y->meta.sample_time_s, y->meta.start_mjd,
                    y->meta.start_s);
        for (int k = 0; k < y->rank; k++)
            ct_text_add(text, " %c=%lld", y->dim[k], (long long)y->extent[k]);
        char products[CT_PRODUCTS_TEXT];
        ct_text_add(text, " %s", ct_products_print(products, y->meta.products));
        for (int64_t c = 0; y->meta.frequency_hz && c < y->meta.frequencies; c++)
            ct_text_add(text, " %.17g", y->meta.frequency_hz[c]);
        ct_text_add(text, "\n");
    }
}

static ct_status compare(const ct_ranks *ranks, const char *what, const ct_text *text,
                         ct_error *err)
{
    return ct_ranks_same(ranks, what, text->data ? text->data : "", NULL, err);
}

/* Whether some node's work can be split along it, time only where a stage can. */
static bool can_be_split(const ct_graph *graph, char dim)
{
    for (int n = 0; n < graph->count; n++) {
        const ct_step *step = graph->nodes[n].step;
        const ct_role role = ct_role_of(step);
        if (role == CT_ROLE_SOURCE && dim != 'T' && ct_array_find(&step->port[0], dim) >= 0)
            return true;
        if (role == CT_ROLE_KERNEL && ct_step_split(step, dim, NULL) == CT_SPLIT_FREE) return true;
    }
    return false;
}

static ct_status check_grid(const ct_graph *graph, ct_error *err)
{
    char can[3 * 26 + 1] = "";
    size_t used = 0;
    const char *wrong = ct_ranks_dims(graph->ranks);
    while (*wrong && can_be_split(graph, *wrong))
        wrong++;
    if (!*wrong) return CT_OK;
    for (char dim = 'A'; dim <= 'Z'; dim++)
        if (can_be_split(graph, dim))
            used += (size_t)snprintf(can + used, sizeof can - used, "%s%c", used ? ", " : "", dim);
    return ct_error_add(err, CT_USAGE,
                        "--ranks: no node can be split along '%c': expected dimensions among %s",
                        *wrong, used ? can : "none");
}

/* What comes once would go to whichever rank asks first. */
static ct_status refuse_pipes(const ct_graph *graph, const ct_ranks *ranks, ct_error *err)
{
    const char *file;
    bool written = false;
    struct stat about;
    for (int i = 0; (file = ct_file_conflicts_file(graph, i, &written)); i++) {
        if (written || stat(file, &about) != 0) continue;
        if (strcmp(file, "/dev/stdin") != 0 && !S_ISFIFO(about.st_mode)) continue;
        return ct_error_add(err, CT_DATA,
                            "%s: what comes out of a pipe is read once, and this job has %d ranks: "
                            "expected a file",
                            file, ct_ranks_size(ranks));
    }
    return CT_OK;
}

ct_status ct_graph_set_ranks(ct_graph *graph, const ct_ranks *ranks, ct_error *err)
{
    CT_GIVEN(err, graph);
    ct_status status = CT_OK;
    ct_text pipeline = {0}, stages = {0}, sources = {0};
    graph->ranks = ranks;
    CT_TRY(ct_ranks_same_build(ranks, err));
    if (!graph->unknown) CT_TRY(ct_ranks_agree(ranks, check_grid(graph, err), err));
    if (ct_ranks_size(ranks) < 2) return CT_OK;
    add_stages(&stages, graph);
    if (ranks->wire) status = refuse_pipes(graph, ranks, err);
    if (status == CT_OK) status = add_pipeline(&pipeline, graph, err);
    if (status == CT_OK) status = ct_text_check(&stages, err);
    CT_TRY(ct_ranks_agree(ranks, status, err));
    CT_TRY(compare(ranks, "pipeline", &pipeline, err));
    CT_TRY(compare(ranks, "build of the pipeline's stages", &stages, err));
    if (graph->unknown) {
        status = ct_graph_complete(graph, err);
        if (status == CT_OK) status = check_grid(graph, err);
    }
    add_sources(&sources, graph);
    if (status == CT_OK) status = ct_text_check(&sources, err);
    CT_TRY(ct_ranks_agree(ranks, status, err));
    CT_TRY(compare(ranks, "start, length and shape of what the sources read", &sources, err));
out:
    ct_text_free(&pipeline);
    ct_text_free(&stages);
    ct_text_free(&sources);
    return status;
}

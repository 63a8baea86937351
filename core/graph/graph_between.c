/* graph_between.c: which stages make what a node needs of what there is: for the sentence that says
 * that two nodes do not fit. Room: core/graph. Knows stages as descriptors. Does not know
 * parameters. */
#include "context.h"
#include "graph_nodes.h"
#include "memory.h"
#include "word.h"

enum { NAMED = 3 };

/* Whether another one of them does this one's work, and what comes after it. */
static bool is_part(const ct_stage *stage, const ct_stage *const *all)
{
    for (; *all; all++)
        if ((*all)->fuses && ct_word_find((*all)->fuses, stage->name) == 0) return true;
    return false;
}

const char *ct_graph_between(void *of, const ct_array *there, const ct_port *needed)
{
    ct_graph *graph = of;
    const ct_stage *found[64] = {NULL}, *stage;
    const char *text = NULL;
    int count = 0, named = 0;
    for (size_t i = 0; count < 63 && (stage = ct_context_stage_at(graph->context, i)); i++)
        if (ct_step_leads(stage, there, needed)) found[count++] = stage;
    for (int i = 0; i < 2 * count && named < NAMED; i++) { /* the fused ones last */
        const ct_stage *one = found[i % count];
        if (is_part(one, found) || (one->fuses != NULL) != (i >= count)) continue;
        text = text ? ct_arena_print(graph->arena, "%s or %s", text, one->name) : one->name;
        named++;
    }
    return text;
}

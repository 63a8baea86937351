/* random_alike.h: nodes of one random graph put together anew: any of them left out or there
 * several times, on other streams, each with the stage, parameters and pins that it had. Compiling
 * takes nearly all the time of a graph; what these graphs need has been compiled for the first of
 * them, where they run in its blocks, by its plans' rules (dice_of).
 *
 * Room: tests. Knows graphs. Does not know plans or what stages compute. */
#ifndef CT_TESTS_RANDOM_ALIKE_H
#define CT_TESTS_RANDOM_ALIKE_H
#include "random_graph.h"

/* A node that is node `n` of the other graph, reading `reads`. */
static inline void alike_copy(random_graph *g, dice *d, const random_graph *of, int n, int reads)
{
    random_node *node = &g->node[g->count];
    *node = of->node[n];
    node->reads = reads;
    node->sink = roll(d, 4) == 0;
    snprintf(node->name, sizeof node->name, "n%d_%d", n, g->count);
    if (reads >= 0) return;
    node->total = 1 + (int)roll(d, 2 * node->total);
    node->key = (int)roll(d, 1000);
}

/* One of the nodes that are copies of `n`, the last one or any; -1 none. */
static inline int alike_find(const random_graph *g, const int *copied, dice *d, int n)
{
    int found[GRAPH_NODES], count = 0;
    for (int m = 0; m < g->count; m++)
        if (copied[m] == n) found[count++] = m;
    if (count == 0) return -1;
    return found[roll(d, 2) ? count - 1 : (int)roll(d, count)];
}

/* Adds a copy of a node where a copy of what it reads is there and the graph stays valid. */
static inline void alike_grow(random_graph *g, int *copied, dice *d, const random_graph *of,
                              ct_context *context)
{
    const int n = (int)roll(d, of->count);
    const bool source = of->node[n].reads < 0;
    const int reads = source ? -1 : alike_find(g, copied, d, of->node[n].reads);
    if (source ? g->count > 0 && roll(d, 3) : reads < 0) return;
    alike_copy(g, d, of, n, reads);
    copied[g->count++] = n;
    ct_graph *graph = random_parse(g, context);
    if (!graph) g->count--;
    ct_graph_free(graph);
}

static inline void random_alike_make(random_graph *g, const random_graph *of, uint64_t seed,
                                     ct_context *context)
{
    dice d = dice_of(seed, "alike");
    int copied[GRAPH_NODES];
    const int wanted = 2 + (int)roll(&d, GRAPH_NODES - 3);
    memset(g, 0, sizeof *g);
    g->seed = seed;
    g->like = of->seed;
    for (int tries = 0; g->count < wanted && tries < 40; tries++)
        alike_grow(g, copied, &d, of, context);
}

#endif

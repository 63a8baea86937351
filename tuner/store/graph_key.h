/* graph_key.h: what a tuned plan depends on of its pipeline, and nothing else of it: the graph of
 * stages, the sizes and types of their arrays, parameters that reach a kernel, pins, and layouts
 * that files have. Names of nodes and files, comments, the order of keys, and what is observed are
 * no part of it.
 * Room: tuner/store. Knows graphs. Does not know devices, nor where plans are. */
#ifndef CT_TUNER_GRAPH_KEY_H
#define CT_TUNER_GRAPH_KEY_H
#include "graph.h"
#include "memory.h"

enum { CT_GRAPH_KEY_WORD = 17, CT_GRAPH_KEY_WHY = 256 };

typedef struct ct_graph_key_node {
    const char *name;
    char at[CT_GRAPH_KEY_WORD];   /* its place in the graph: stage, ports, types, neighbours */
    char rest[CT_GRAPH_KEY_WORD]; /* of parameters that reach its kernel, pins, a file's layout */
    const char *sizes;            /* extents of its arrays but T: "S=3 P=2 S=3 C=8 P=2" */
    bool sink;
} ct_graph_key_node;

typedef struct ct_graph_key {
    char stages[CT_GRAPH_KEY_WORD]; /* of the graph of stages, without sinks */
    int64_t block;                  /* that the pipeline pins; 0: it leaves that open */
    ct_graph_key_node *node;
    int count;
    ct_arena *arena;
} ct_graph_key;

/* Of the pipeline that the graph was made of, before nodes were fused by a plan. */
ct_status ct_graph_key_make(ct_graph_key *out, const ct_graph *graph, ct_error *err);
/* From the "key" of a plan; CT_INVALID where that has none. */
ct_status ct_graph_key_read(ct_graph_key *out, const ct_value *key, ct_error *err);
/* Members "graph", "block" and "nodes" of an object that is open. */
void ct_graph_key_add(ct_text *json, const ct_graph_key *key);
/* Sixteen digits: equal where all but the names of nodes is. */
ct_status ct_graph_key_digest(char out[CT_GRAPH_KEY_WORD], const ct_graph_key *key, ct_error *err);
void ct_graph_key_free(ct_graph_key *key); /* also of {0} */

/* How far two keys of one graph of stages are from each other. */
typedef struct ct_graph_key_match {
    double distance;            /* sum of |log ratio| of extents; 0: the same sizes */
    bool same;                  /* in all but names */
    char why[CT_GRAPH_KEY_WHY]; /* the first difference: "C=16 of \"fir\", here C=8"; "" none */
} ct_graph_key_match;
/* other[n]: which node of `here` the nth of `key` is, -1: a sink that is not there. CT_INVALID:
 * they have not the same graph of stages. */
ct_status ct_graph_key_compare(ct_graph_key_match *out, int *other, const ct_graph_key *key,
                               const ct_graph_key *here, ct_error *err);

#endif

/* graph_warnings.h: what a valid pipeline hardly means, in sentences that its graph keeps.
 * Room: core/graph. Read through ct_graph_warnings. */
#ifndef CT_CORE_GRAPH_WARNINGS_H
#define CT_CORE_GRAPH_WARNINGS_H
#include "graph.h"
#include "memory.h"

/* Gives outputs that nothing takes. */
bool ct_graph_unread(const ct_node *node);
/* Sentences, one a line; "" none. They live in the graph's arena. */
const char *ct_graph_warn(const ct_graph *graph);

/* For more such sentences: begins a line with the node's place, "lofar.json:6:35: /nodes/beams: ";
 * puts all of them, "" for none, into an arena, and empties the text. */
void ct_graph_warn_begin(ct_text *out, const ct_node *node);
const char *ct_graph_warn_keep(ct_arena *arena, ct_text *sentences);

#endif

/* warnings.h: what a valid pipeline hardly means, and what a run left out.
 * Room: core. Called by graph.c and run.c, which keep the sentences; read through cornerturn.h. */
#ifndef CT_CORE_WARNINGS_H
#define CT_CORE_WARNINGS_H
#include "run.h"

/* Gives outputs that nothing takes. */
bool ct_warnings_unread(const ct_node *node);
/* Sentences, one a line; "" none. They live in the graph's and in the run's arena. */
const char *ct_warnings_of_graph(const ct_graph *graph);
const char *ct_warnings_of_run(const ct_run *run);

#endif

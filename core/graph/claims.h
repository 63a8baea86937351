/* claims.h: no file is written by one node and used by another.
 * Room: core/graph. Order: once the nodes are connected. */
#ifndef CT_CORE_CLAIMS_H
#define CT_CORE_CLAIMS_H
#include "graph.h"

ct_status ct_claims_check(const ct_graph *graph, ct_error *err);

#endif

/* file_conflicts.h: no file is written by one node and used by another, and what is written can be.
 * Room: core/graph. */
#ifndef CT_CORE_FILE_CONFLICTS_H
#define CT_CORE_FILE_CONFLICTS_H
#include "graph.h"

/* Lists what the pipeline and its nodes read and write, as long as the graph lives; reports a node
 * that uses what another one writes. */
ct_status ct_file_conflicts_check(ct_graph *graph, ct_error *err);
/* The same for a file that `who`, "the plan", reads or writes. */
ct_status ct_file_conflicts_check_file(const ct_graph *graph, const char *file, const char *who,
                                       bool written, ct_error *err);
/* What the sinks will write can be written, as far as one can know: its folder is there, and so on.
 * CT_DATA, with the places. */
ct_status ct_file_conflicts_check_folders(const ct_graph *graph, ct_error *err);
/* The n-th file that is used, the pipeline's own text included; NULL beyond the last. */
const char *ct_file_conflicts_file(const ct_graph *graph, int n, bool *written);

#endif

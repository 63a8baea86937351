/* targets.h: the files that a tuning will write, looked at before anything is measured for them.
 * Room: tuner/pipeline. Knows names of files. Does not write. */
#ifndef CT_TUNER_TARGETS_H
#define CT_TUNER_TARGETS_H
#include "graph.h"

/* The plan and the journal can be written, as far as one can know, and nothing else uses them.
 * CT_USAGE, CT_INVALID, CT_DATA. */
ct_status ct_targets_check(const ct_graph *graph, const ct_tune *options, ct_error *err);

#endif

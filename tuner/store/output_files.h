/* output_files.h: the files that a tuning will write, checked before anything is measured.
 * Room: tuner/store. Knows names of files. Does not write. */
#ifndef CT_TUNER_OUTPUT_FILES_H
#define CT_TUNER_OUTPUT_FILES_H
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "graph.h"

/* The plan and the journal can be written, as far as one can know, and nothing else uses them.
 * CT_USAGE, CT_INVALID, CT_DATA. */
ct_status ct_output_files_check(const ct_graph *graph, const ct_tune *options, ct_error *err);

#endif

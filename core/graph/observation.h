/* observation.h: the key "observation" of a pipeline: telescope, stations, phase centre.
 * Room: core/graph. */
#ifndef CT_CORE_OBSERVATION_H
#define CT_CORE_OBSERVATION_H
#include "graph.h"

/* Sets graph->observation, which lives as the graph; NULL where the pipeline has no such key. Says
 * every mistake. */
ct_status ct_observation_read(ct_graph *graph, ct_error *err);

/* What a source does not know of telescope and target is as the observation says. */
void ct_observation_describe(const ct_graph *graph, ct_meta *meta);

/* The positions that a LOFAR parameter set has, "PIC.Core.CS001LBA.phaseCenter = [x, y, z]". */
typedef struct ct_parset {
    int64_t count;
    const char **names; /* NULL at the end */
    double (*positions)[3];
} ct_parset;
ct_status ct_parset_read(ct_parset *out, const char *file, ct_arena *arena, ct_error *err);

#endif

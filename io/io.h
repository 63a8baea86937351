/* io.h: the sources and sinks, for stages/stages.c: const ct_stage descriptors without a kernel.
 * Room: io. */
#ifndef CT_IO_H
#define CT_IO_H
#include "cornerturn_stage.h"

extern const ct_stage ct_stage_source_npy, ct_stage_source_raw, ct_stage_source_sigproc,
    ct_stage_source_lofar;
extern const ct_stage ct_stage_sink_npy, ct_stage_sink_raw, ct_stage_sink_sigproc,
    ct_stage_sink_lofar, ct_stage_sink_candidates;

#endif

/* stages.h: the table of the stages that come with the library.
 * Room: stages. core/context.c declares the same symbol and knows nothing else of this folder. */
#ifndef CT_STAGES_H
#define CT_STAGES_H
#include "cornerturn_stage.h"

extern const ct_stage *const ct_stages[]; /* NULL at the end */

extern const ct_stage ct_stage_fir;
extern const ct_stage ct_stage_fft;
extern const ct_stage ct_stage_beamformer;
extern const ct_stage ct_stage_beamdetect;
extern const ct_stage ct_stage_correlator;
extern const ct_stage ct_stage_detect;
extern const ct_stage ct_stage_dedisp;
extern const ct_stage ct_stage_transpose;
extern const ct_stage ct_stage_simulate;

/* in io/ */
extern const ct_stage ct_stage_source_npy;
extern const ct_stage ct_stage_source_raw;
extern const ct_stage ct_stage_source_sigproc;
extern const ct_stage ct_stage_source_lofar;
extern const ct_stage ct_stage_sink_npy;
extern const ct_stage ct_stage_sink_raw;
extern const ct_stage ct_stage_sink_sigproc;
extern const ct_stage ct_stage_sink_lofar;
extern const ct_stage ct_stage_sink_candidates;

#endif

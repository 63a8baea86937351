/* stages.c: the stages that come with the library, one line each, in the order in which
 * `cornerturn info stages` prints them.
 * Room: stages. A new stage is its folder, its declaration and its line here. */
#include "stages.h"

const ct_stage *const ct_stages[] = {
    &ct_stage_fir,
    &ct_stage_fft,
    &ct_stage_beamformer,
    &ct_stage_beamdetect,
    &ct_stage_correlator,
    &ct_stage_detect,
    &ct_stage_dedisp,
    &ct_stage_transpose,
    &ct_stage_simulate,
    &ct_stage_source_npy,
    &ct_stage_source_raw,
    &ct_stage_source_sigproc,
    &ct_stage_source_lofar,
    &ct_stage_sink_npy,
    &ct_stage_sink_raw,
    &ct_stage_sink_lofar,
    &ct_stage_sink_candidates,
    &ct_stage_sink_sigproc,
    NULL,
};

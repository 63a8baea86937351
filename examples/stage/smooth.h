/* smooth.h: a stage of one's own, to be added by ct_context_add_stage. */
#ifndef SMOOTH_H
#define SMOOTH_H
#include <cornerturn_stage.h>

extern const ct_stage ct_stage_smooth;

#endif

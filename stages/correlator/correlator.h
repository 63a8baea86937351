/* correlator.h: what the correlator's files share: baselines, engines, cells.
 * Room: stages/correlator. Knows cornerturn.h alone.
 * Used by: correlator.c (shapes), correlator_ref.c (definition), correlator_test.c. */
#ifndef CT_CORRELATOR_H
#define CT_CORRELATOR_H
#include "cornerturn_stage.h"

extern const ct_stage ct_stage_correlator; /* its line is in stages/stages.c */

/* Places in .ports. */
enum { CT_CORRELATOR_X, CT_CORRELATOR_M, CT_CORRELATOR_Y, CT_CORRELATOR_COUNTS };

/* Station pairs i <= j in the order 0-0, 1-0, 1-1, 2-0, ... */
static inline int64_t ct_correlator_baseline(int64_t i, int64_t j)
{
    return j * (j + 1) / 2 + i;
}

/* What makes the sums: see the tunables DOT and WG. */
typedef enum ct_correlator_engine {
    CT_CORRELATOR_PLAIN, /* multiplications and additions */
    CT_CORRELATOR_VNNI,  /* dot products by x86 vectors of 32-bit lanes */
    CT_CORRELATOR_DP4A   /* dot products of four bytes in a 32-bit number, for work-groups */
} ct_correlator_engine;

ct_correlator_engine ct_correlator_engine_of(const ct_step *step);
ct_correlator_engine ct_correlator_engine_suggest(const ct_step *step);
bool ct_correlator_engine_takes_vnni(const ct_step *step);
int ct_correlator_engine_dot4(const ct_step *step);
ct_status ct_correlator_emit(const ct_step *step, ct_text *text, ct_error *err);

bool ct_correlator_cells_legal(const ct_step *step);
void ct_correlator_cells_suggest(ct_step *step);
int ct_correlator_cells_launch(const ct_step *step, ct_launch *out);

/* The same where a work-group shares the work. */
bool ct_correlator_group_legal(const ct_step *step);
void ct_correlator_group_suggest(ct_step *step);
int ct_correlator_group_launch(const ct_step *step, ct_launch *out);

ct_status ct_correlator_reference(const ct_step *step, ct_array ports[], ct_error *err);

#endif

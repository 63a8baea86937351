/* correlator.h: what the correlator's files share: baselines, engines, cells.
 * Room: stages/correlator. Knows only cornerturn_stage.h. */
#ifndef CT_CORRELATOR_H
#define CT_CORRELATOR_H
#include "cornerturn_stage.h"

extern const ct_stage ct_stage_correlator; /* its line is in stages/stages.c */

/* Places in .ports. */
enum { CT_CORRELATOR_X, CT_CORRELATOR_M, CT_CORRELATOR_Y, CT_CORRELATOR_COUNTS };

/* What is correlated: the stations of X, or its beams, all of which is said of stations below and
 * in the kernel. */
static inline char ct_correlator_letter(const ct_array *x)
{
    return ct_array_find(x, 'S') >= 0 ? 'S' : 'B';
}

static inline int64_t ct_correlator_stations(const ct_array *x)
{
    return ct_array_extent(x, ct_correlator_letter(x));
}

/* Station pairs i <= j in the order 0-0, 1-0, 1-1, 2-0, ... */
static inline int64_t ct_correlator_baseline(int64_t i, int64_t j)
{
    return j * (j + 1) / 2 + i;
}

/* What makes the sums: see the tunables DOT and WG. */
typedef enum ct_correlator_engine {
    CT_CORRELATOR_PLAIN, /* multiplications and additions */
    CT_CORRELATOR_VNNI,  /* dot products by x86 vectors of 32-bit lanes */
    CT_CORRELATOR_AMX,   /* products of matrices of bytes, x86 */
    CT_CORRELATOR_DP4A,  /* dot products of four bytes in a 32-bit number, for work-groups */
    CT_CORRELATOR_MMA    /* products of matrices of bytes by a GPU's matrix units */
} ct_correlator_engine;

/* What suits shapes and engines, of the stage's `where`: no value that does no more than a smaller
 * one would; dot products by vectors take whole ones, and estimates of 64-bit sums are good enough
 * over 128 times (see correlator_words.cl); panels hold whole stations. */
/* clang-format off */
#define CT_CORRELATOR_SUITS \
    "(BELOW_TILE_T < TIMES || MATRICES && TILE_T == 32 || DOT == 2 && WG > 1 && TILE_T == 16) && " \
    "BELOW_CELLS_SP < PANELS && BELOW_TILE_C < X_N_C && " \
    "(DOTS || !DOT) && (DOTS || VECTOR_SP <= 8) && (WG > 1 || !DOTS || VECTOR_SP == 16) && " \
    "(DOT < 2 || Y_IS_ci32) && (DOT < 2 || WG == 1 || VECTOR_SP == 2 && TILE_T % 16 == 0) && (MATRICES ? CELL_SP == 16 && VECTORS_SP <= 2 && TILE_T % 32 == 0 : " \
    "CELL_SP < 16) && " \
    "(WG > 1 || !Y_IS_cf32 || TILE_T >= 32 || TILE_T >= TIMES) && " \
    "(!DOTS || !Y_IS_ci64 || WG == 1 && TILE_T <= 128) && " \
    "(WG == 1 || SIDE * CELL_SP >= X_N_P) && (WG == 1 || GROUP_BYTES <= 32768) && " \
    "(WG > 1 || ROWS >= X_N_P) && (WG > 1 || ROWS % CELL_SP == 0) && " \
    "(WG > 1 || PACKED_BYTES + KEPT_BYTES <= MOST_BYTES)"
/* clang-format on */

/* The value of one of the stage's terms. */
int64_t ct_correlator_term(const ct_step *step, const char *name);

ct_correlator_engine ct_correlator_engine_of(const ct_step *step);
ct_correlator_engine ct_correlator_engine_suggest(const ct_step *step);
bool ct_correlator_engine_takes_vnni(const ct_step *step);
bool ct_correlator_engine_takes_amx(const ct_step *step);
bool ct_correlator_engine_takes_mma(const ct_step *step);
const char *ct_correlator_engine_note(const ct_step *step);
int ct_correlator_engine_dot4(const ct_step *step);
ct_status ct_correlator_emit(const ct_step *step, ct_text *text, ct_error *err);

void ct_correlator_suggest(ct_step *step);
int ct_correlator_launch(const ct_step *step, ct_launch *out);

/* The same where a work-group shares the work. */
void ct_correlator_group_suggest(ct_step *step);
int ct_correlator_group_launch(const ct_step *step, ct_launch *out);

ct_status ct_correlator_reference(const ct_step *step, ct_array ports[], ct_error *err);

#endif

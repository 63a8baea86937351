/* ppf.h: what the files of the filter bank in one pass share.
 * Room: stages/ppf. Knows the public header. */
#ifndef CT_STAGES_PPF_H
#define CT_STAGES_PPF_H
#include "cornerturn_stage.h"

/* Places in .ports: the first two as of fir and of fft. */
enum { CT_PPF_X, CT_PPF_Y, CT_PPF_W, CT_PPF_F };
enum { PPF_LANES = 16, PPF_SIDES = 3 };

/* A side of the tile of spectra: the tunable that says how long it is, and the most that helps. */
typedef struct ppf_side {
    char dim;
    const char *tile;
    int64_t most;
} ppf_side;
extern const ppf_side ct_ppf_sides[PPF_SIDES]; /* fastest first, as in tiles */

/* How far a work-item reaches along a side. */
int64_t ct_ppf_reach(const ct_step *step, int side);
/* The sides in the order of an array's strides, fastest first; of extent 1 last. */
void ct_ppf_order(const ct_array *array, int order[PPF_SIDES]);

/* What a work-group makes, on GPUs: of fft_group.h. */
struct fft_group ct_ppf_group_of(const ct_step *step);

/* What `where` says of the tiles, which suggest() holds to. */
#define PPF_FITS "ITEM_BYTES <= 4194304"

void ct_ppf_suggest(ct_step *step);
int ct_ppf_launch(const ct_step *step, ct_launch *out);
ct_status ct_ppf_emit(const ct_step *step, ct_text *text, ct_error *err);
ct_status ct_ppf_reference(const ct_step *step, ct_array ports[], ct_error *err);

#endif

/* fft_group.h: transforms by work-groups, for stages whose kernels make them on GPUs: fft itself,
 * and the filter bank in one pass. Room: stages/fft. Knows the public header and fft.h only. */
#ifndef CT_STAGES_FFT_GROUP_H
#define CT_STAGES_FFT_GROUP_H
#include "fft.h"

enum { FFT_GROUP_MOST = 4096 }; /* numbers of a tile, as a rule */

/* A work-group makes TILE_S x TILE_P x TILE_T spectra of one subband, which it reads in the order
 * of `x` and writes in that of `y`. */
typedef struct fft_group {
    int64_t length;
    const ct_array *x, *y;
    char along; /* the dimension of x that a spectrum lies along: C, or T where it is of samples */
    char band;  /* and the one that subbands do */
    int64_t subbands; /* 1: there are none */
} fft_group;

fft_group ct_fft_group_of(const ct_step *step); /* of stage fft */
/* Text that makes last_pass, MIDDLE_PASSES and all that is told at the top of fft_group.cl. */
void ct_fft_emit_group(const ct_step *step, ct_text *text, const fft_group *group);
/* The launch of its work-groups, with GROUP_x(n) of the text. */
int ct_fft_group_start(const ct_step *step, const fft_group *group, ct_launch *out);

/* For suggest(): a tile of one spectrum; lengthened along the sides that are faster than dimension
 * `until` in this array, until so many lie together, and it has no more than `most`; along one
 * side; along all in the array's order; and the work-items that suit. */
void ct_fft_group_single(ct_step *step);
void ct_fft_group_lengthen(ct_step *step, const ct_array *array, char until, int64_t wanted,
                           int64_t most);
void ct_fft_group_side(ct_step *step, const ct_array *array, char dim, int64_t wanted,
                       int64_t most);
void ct_fft_group_fill(ct_step *step, const ct_array *array, int64_t most);
void ct_fft_group_items(ct_step *step, int64_t length);
/* Sides, faster than dimension `until`, of more than one element. */
bool ct_fft_group_across(const ct_array *array, char until);
/* Spectra of that length which a tile has at most, where so many numbers are to be near: a power of
 * two. */
int64_t ct_fft_group_most(int64_t length, int64_t numbers);

/* Bytes of local memory that a work-group takes, at most: the value of a term, which `where` and
 * suggest() hold to; `n` is the name of the length. */
#define FFT_GROUP_BYTES(n) "8 * ROWS * (" n " + " n " / 16 + (" n " >= 512 ? 23 : 8))"
#define FFT_GROUP_FITS "(LOCAL_BYTES == 0 || GROUP_BYTES <= LOCAL_BYTES)"

#endif

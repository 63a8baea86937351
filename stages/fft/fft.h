/* fft.h: what the files of the FFT stage share: the shape of the work, and the list of engines.
 * Room: stages/fft. Knows the public header only; cl_ types stay inside the engines' files. */
#ifndef CT_STAGES_FFT_H
#define CT_STAGES_FFT_H
#include "cornerturn_stage.h"

enum { CT_FFT_X, CT_FFT_Y, CT_FFT_W };     /* places in .ports */
enum { FFT_PASSES = 12, FFT_MOST = 4096 }; /* most passes, and the longest transform, of a kernel */
#define FFT_TILE 65536                     /* most numbers of its tile */
#define FFT_TEXT_OF(number) #number
#define FFT_TEXT(number) FFT_TEXT_OF(number)
#define FFT_TILE_TEXT FFT_TEXT(FFT_TILE)

/* All transforms of a block: `batch` has the first sample of each, `from` in the input and `to` in
 * the output, slowest in the output first. */
typedef struct fft_shape {
    int64_t length;  /* N */
    int64_t in, out; /* strides along C */
    ct_copy batch;
} fft_shape;

void ct_fft_shape_make(fft_shape *out, const ct_array *x, const ct_array *y);
int64_t ct_fft_shape_prime(int64_t length); /* the largest prime factor; 1 of 1 */

/* What transforms: a library, whose functions are those of ct_stage, or without them the stage's
 * kernel. */
typedef struct fft_engine {
    int64_t largest_prime, least, most; /* of the lengths; 0: any */
    ct_status (*prepare)(ct_step *, void **state, ct_error *);
    ct_status (*enqueue)(void *state, void *queue, void *const mem[], ct_error *);
    void (*release)(void *state);
} fft_engine;

/* Channels of one transform: those of the input, of which the output has as many for each subband.
 */
int64_t ct_fft_length(const ct_step *step);
/* How many engines the tunable ENGINE names, and whether one of them is in this build and can
 * transform this length. */
int ct_fft_engines(void);
bool ct_fft_can(int engine, int64_t length);
void ct_fft_suggest(ct_step *step);
bool ct_fft_legal(const ct_step *step);

extern const fft_engine ct_fft_fftw, ct_fft_clfft, ct_fft_native;

/* The kernel's: radices of its passes, first to last, and how many; 0 where it cannot. The numbers
 * of its table; and whether both sides have their channels side by side, as VECTOR_C wants. */
int ct_fft_radices(int64_t length, int radix[FFT_PASSES]);
int64_t ct_fft_factors(int64_t length);
/* The sides of a tile of spectra, slowest first: the tunable that says how long it is, and the
 * largest of its values. */
enum { FFT_SIDES = 3 };
typedef struct fft_side {
    char dim;
    const char *tile;
    int64_t most;
} fft_side;
extern const fft_side ct_fft_sides[FFT_SIDES];
/* What lanes are: spectra; or with VECTOR_C 16 channels, of one spectrum or of both polarizations
 * in turns, spectra that become channels before the second pass, or channels that become spectra
 * before the last one. */
typedef enum fft_way {
    FFT_ROWS,
    FFT_CHANNELS,
    FFT_PAIRS,
    FFT_TO_CHANNELS,
    FFT_TO_SPECTRA,
    FFT_WAYS
} fft_way;
fft_way ct_fft_way(const ct_step *step); /* the one that VECTOR_C 16 takes; FFT_ROWS: none */
/* Rows of the tile, in this order, lie one after the other in the array. The tile is larger than
 * the arrays. */
bool ct_fft_is_direct(const ct_step *step, const ct_array *array, const int order[FFT_SIDES]);
bool ct_fft_clips(const ct_step *step);
/* The sides in the order of an array's strides, fastest first; of extent 1 last. */
void ct_fft_order(const ct_array *array, int order[FFT_SIDES]);
void ct_fft_table_fill(ct_array *fill, int64_t length);
ct_status ct_fft_table(const ct_step *step, const char *port, ct_array *fill, ct_error *err);
/* Text for kernels that transform: butterflies; after these passes across transforms (`first`: the
 * first one among those in place), or along them. What they want is at the top of fft_across.cl and
 * fft_along.cl. */
void ct_fft_emit_radix(ct_text *text);
void ct_fft_emit_across(ct_text *text, int64_t length, bool first);
/* What both of these are told of radices. */
void ct_fft_emit_passes(ct_text *text, int64_t length, bool first);
void ct_fft_emit_along(ct_text *text, int64_t length);
/* STREAM(v, p), which stores a vector: past the caches where NONTEMPORAL asks for it and every
 * vector begins at a cache line, but for those of tiles that move `back`. */
void ct_fft_emit_stream(const ct_step *step, ct_text *text, bool aligned, bool back);
/* PART and LEFT_AT of fft_along.cl, where tiles of stations begin at lines, and a station takes
 * `each` lanes of a vector that stations complete; with 0 none is left over. */
void ct_fft_emit_part(ct_text *text, int64_t stations, int64_t tile, int64_t each);
ct_status ct_fft_emit(const ct_step *step, ct_text *text, ct_error *err);
int ct_fft_launch(const ct_step *step, ct_launch *out);
/* Where work-groups transform; false where the device has not the local memory. */
bool ct_fft_group_suggest(ct_step *step);

ct_status ct_fft_reference(const ct_step *step, ct_array ports[], ct_error *err);

#endif

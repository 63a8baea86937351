/* fft_emit.c: what fft.cl is told of the radices of its passes and of where spectra lie, and the
 * text that suits. Room: stages/fft. Knows strides, tiles, fft_rows.cl and fft_channels.cl. Does
 * not know libraries. */
#include "fft.h"
#include "fft_across_cl.h"
#include "fft_along_cl.h"
#include "fft_channels_cl.h"
#include "fft_group.h"
#include "fft_group_rows_cl.h"
#include "fft_load_cl.h"
#include "fft_pairs_cl.h"
#include "fft_radix_cl.h"
#include "fft_rows_cl.h"
#include "fft_square_cl.h"
#include "fft_to_channels_cl.h"
#include "fft_to_spectra_cl.h"

enum {
    X = CT_FFT_X,
    Y = CT_FFT_Y,
    LINE = 8,
    LANES = 16
}; /* elements of a cache line, of a vector */

/* ---------------------------------------------------------------- where rows lie */

static const int tile_order[FFT_SIDES] = {2, 1, 0}; /* T, P, S */

bool ct_fft_is_direct(const ct_step *step, const ct_array *array, const int order[FFT_SIDES])
{
    int64_t together = 1;
    for (int k = 0; k < FFT_SIDES; k++) {
        const fft_side *side = &ct_fft_sides[order[k]];
        const int64_t rows = ct_step_tunable(step, side->tile);
        if (rows > 1 && ct_array_stride(array, side->dim) != together) return false;
        together *= rows;
    }
    return true;
}

/* The tile is larger than the array. */
bool ct_fft_clips(const ct_step *step)
{
    for (int k = 0; k < FFT_SIDES; k++)
        if (ct_step_tunable(step, ct_fft_sides[k].tile) >
            ct_array_extent(&step->port[Y], ct_fft_sides[k].dim))
            return true;
    return false;
}

/* What of a vector, all lanes of which stations complete, one of them takes; else 0. */
static int64_t lanes_of_station(const ct_step *step)
{
    int order[FFT_SIDES];
    int64_t before = 1;
    ct_fft_order(&step->port[Y], order);
    for (int k = 0; k < FFT_SIDES; k++) {
        const int64_t tile = ct_step_tunable(step, ct_fft_sides[order[k]].tile);
        if (ct_fft_sides[order[k]].dim == 'S')
            return before < LANES && before * tile % LANES == 0 ? before : 0;
        before *= tile;
    }
    return 0;
}

/* Every row of lanes begins at a cache line, but for those of a last
 * tile that moves `back`. */
static bool native_is_aligned(const ct_step *step, fft_way way, bool *back)
{
    const ct_array *y = &step->port[Y];
    const bool pairs = way == FFT_PAIRS && ct_array_stride(y, 'P') == 1;
    const bool channels = pairs || ct_array_stride(y, 'C') == 1;
    bool aligned = y->offset % LINE == 0;
    *back = false;
    if (ct_array_extent(&step->port[X], 'F') > 1)
        aligned = aligned && ct_fft_length(step) * ct_array_stride(y, 'C') % LINE == 0;
    if (!channels) aligned = aligned && ct_array_stride(y, 'C') % LINE == 0;
    for (int k = 0; k < FFT_SIDES; k++) {
        const char dim = ct_fft_sides[k].dim;
        const bool one = channels && !(pairs && dim == 'P');
        const int64_t tile = one ? 1 : ct_step_tunable(step, ct_fft_sides[k].tile);
        const int64_t extent = ct_array_extent(y, ct_fft_sides[k].dim);
        if (extent == 1 || extent == tile) continue;
        aligned = aligned && ct_array_stride(y, ct_fft_sides[k].dim) * tile % LINE == 0;
        const bool stays = way == FFT_TO_SPECTRA && dim == 'S' && lanes_of_station(step) > 0;
        *back = *back || (extent % tile != 0 && !stays);
    }
    return aligned;
}

/* ---------------------------------------------------------------- text */

/* Vectors of a tile that moves back begin anywhere: in pieces, which fill most lines together. */
static const char sometimes_text[] =
    "INLINE void stream(const V v, global float *p)\n"
    "{\n"
    "    if (((size_t)p & 63) == 0) {\n"
    "        __builtin_nontemporal_store(v, (global V *)p);\n"
    "    } else if (((size_t)p & 15) == 0) {\n"
    "        __builtin_nontemporal_store(v.s0123, (global float4 *)p);\n"
    "        __builtin_nontemporal_store(v.s4567, (global float4 *)p + 1);\n"
    "        __builtin_nontemporal_store(v.s89ab, (global float4 *)p + 2);\n"
    "        __builtin_nontemporal_store(v.scdef, (global float4 *)p + 3);\n"
    "    } else {\n"
    "        const ulong8 w = as_ulong8(v);\n"
    "        global ulong *q = (global ulong *)p;\n"
    "        __builtin_nontemporal_store(w.s0, q);\n"
    "        __builtin_nontemporal_store(w.s1, q + 1);\n"
    "        __builtin_nontemporal_store(w.s2, q + 2);\n"
    "        __builtin_nontemporal_store(w.s3, q + 3);\n"
    "        __builtin_nontemporal_store(w.s4, q + 4);\n"
    "        __builtin_nontemporal_store(w.s5, q + 5);\n"
    "        __builtin_nontemporal_store(w.s6, q + 6);\n"
    "        __builtin_nontemporal_store(w.s7, q + 7);\n"
    "    }\n"
    "}\n"
    "#define STREAM(v, p) stream(v, (global float *)(p))\n";

void ct_fft_emit_stream(const ct_step *step, ct_text *text, bool aligned, bool back)
{
    if (!ct_step_tunable(step, "NONTEMPORAL") || !aligned)
        ct_text_add(text, "#define STREAM(v, p) vstore16(v, 0, p)\n");
    else if (back)
        ct_text_add(text, "%s", sometimes_text);
    else
        ct_text_add(text, "#define STREAM(v, p) __builtin_nontemporal_store(v, (global V *)(p))\n");
}

void ct_fft_emit_part(ct_text *text, int64_t stations, int64_t tile, int64_t each)
{
    const int64_t left = each > 0 ? stations % tile * each : 0;
    ct_text_add(text, "#define PART %lld\n", left ? (long long)((left - 1) % LANES + 1) : 0);
    if (left)
        ct_text_add(text, "#define LEFT_AT(s, n) ((Y_N_S - (s) - (n) / %lld %% %lld) * %lld)\n",
                    (long long)each, (long long)tile, (long long)each);
}

/* The channel of the first result of transform n of the last pass: n's digits reversed. */
static void emit_channel(ct_text *text, const int *radix, int passes)
{
    int64_t low = 1, high = 1;
    for (int k = 0; k + 1 < passes; k++)
        high *= radix[k];
    ct_text_add(text, "#define CHANNEL(n) (0");
    for (int k = 0; k + 1 < passes; low *= radix[k++]) {
        high /= radix[k];
        ct_text_add(text, " + (n) / %lld %% %d * %lld", (long long)high, radix[k], (long long)low);
    }
    ct_text_add(text, ")\n");
}

/* All passes but the last one, and the first only where it is done in place. */
static void emit_middle(ct_text *text, const int *radix, int passes, int64_t length, bool first)
{
    int64_t count = 1, place = 0;
    ct_text_add(text, "#define MIDDLE_PASSES");
    for (int k = 0; k + 1 < passes; k++) {
        const int64_t span = length / radix[k];
        if (k > 0 || first)
            ct_text_add(text, " MIDDLE_PASS(%d, %lld, %lld, %lld);", radix[k], (long long)count,
                        (long long)span, (long long)place);
        place += 2 * (radix[k] - 1) * span;
        count *= radix[k];
        length = span;
    }
    ct_text_add(text, "\n");
}

void ct_fft_emit_radix(ct_text *text)
{
    ct_text_add(text, "#line 1 \"stages/fft/fft_radix.cl\"\n%s", fft_radix_cl);
}

void ct_fft_emit_passes(ct_text *text, int64_t length, bool first)
{
    int radix[FFT_PASSES];
    const int passes = ct_fft_radices(length, radix);
    ct_text_add(text, "#define PASSES %d\n#define RADIX_FIRST %d\n#define RADIX_LAST %d\n", passes,
                radix[0], radix[passes - 1]);
    emit_channel(text, radix, passes);
    emit_middle(text, radix, passes, length, first);
}

void ct_fft_emit_across(ct_text *text, int64_t length, bool first)
{
    ct_fft_emit_passes(text, length, first);
    ct_text_add(text, "#line 1 \"stages/fft/fft_across.cl\"\n%s", fft_across_cl);
}

/* R1 R2 LANES, of which the first two may be missing. */
void ct_fft_emit_along(ct_text *text, int64_t length)
{
    int radix[FFT_PASSES];
    const int passes = ct_fft_radices(length, radix);
    ct_text_add(text, "#define R1 %d\n#define R2 %d\n", passes > 1 ? radix[0] : 1,
                passes > 2 ? radix[1] : 1);
    ct_text_add(text, "#line 1 \"stages/fft/fft_square.cl\"\n%s", fft_square_cl);
    ct_text_add(text, "#line 1 \"stages/fft/fft_along.cl\"\n%s", fft_along_cl);
}

static void emit_rows(const ct_step *step, ct_text *text)
{
    const bool clips = ct_fft_clips(step);
    ct_text_add(text, "#define CLIPS %d\n#define X_DIRECT %d\n#define Y_DIRECT %d\n", clips,
                !clips && ct_fft_is_direct(step, &step->port[X], tile_order),
                !clips && ct_fft_is_direct(step, &step->port[Y], tile_order));
    ct_fft_emit_across(text, ct_fft_length(step), false);
    ct_text_add(text, "#line 1 \"stages/fft/fft_load.cl\"\n%s", fft_load_cl);
    ct_text_add(text, "#line 1 \"stages/fft/fft_rows.cl\"\n%s", fft_rows_cl);
}

/* Which spectrum is row n of a tile; both polarizations are one row where they are `paired`. */
static void emit_order(const ct_step *step, ct_text *text, const int *order, bool paired)
{
    int64_t before = 1;
    for (int k = 0; k < FFT_SIDES; k++) {
        const fft_side *side = &ct_fft_sides[order[k]];
        const int64_t rows = paired && side->dim == 'P' ? 1 : ct_step_tunable(step, side->tile);
        ct_text_add(text, "#define ROW_%c(n) ((n) / %lld %% %lld)\n", side->dim, (long long)before,
                    (long long)rows);
        before *= rows;
    }
    ct_text_add(text, "#define NEXT_TILE ((long)TILE_T * X_STRIDE_T)\n");
}

/* Row after row in the order of the input's memory. */
static void emit_along(const ct_step *step, ct_text *text, bool paired)
{
    int order[FFT_SIDES];
    ct_fft_order(&step->port[X], order);
    ct_text_add(text, "#define CLIPS 1\n#define ROWS (TILE_S%s * TILE_T)\n",
                paired ? "" : " * TILE_P");
    emit_order(step, text, order, paired);
    ct_text_add(
        text,
        "#define ASKS (PREFETCH ? 2 : 0)\n#define GET_FIRST GET_X\n#define ROW_STRIDE VECTORS\n");
    ct_fft_emit_along(text, ct_fft_length(step));
}

static void emit_to_channels(const ct_step *step, ct_text *text)
{
    int order[FFT_SIDES], radix[FFT_PASSES];
    const int64_t length = ct_fft_length(step);
    const bool clips = ct_fft_clips(step);
    const int passes = ct_fft_radices(length, radix);
    ct_fft_order(&step->port[X], order);
    const bool direct = !clips && ct_fft_is_direct(step, &step->port[X], order);
    ct_text_add(text, "#define CLIPS %d\n#define X_DIRECT %d\n", clips, direct);
    emit_order(step, text, direct ? order : tile_order, false);
    ct_text_add(text, "#define R2 %d\n", passes > 2 ? radix[1] : 1);
    ct_fft_emit_across(text, length, false);
    ct_text_add(text, "#line 1 \"stages/fft/fft_load.cl\"\n%s", fft_load_cl);
    ct_text_add(text, "#line 1 \"stages/fft/fft_square.cl\"\n%s", fft_square_cl);
    ct_text_add(text, "#line 1 \"stages/fft/fft_to_channels.cl\"\n%s", fft_to_channels_cl);
}

/* Tiles that go by the order of the output's memory. */
static void emit_to_spectra(const ct_step *step, ct_text *text)
{
    int order[FFT_SIDES];
    const int64_t length = ct_fft_length(step);
    ct_fft_order(&step->port[Y], order);
    emit_order(step, text, order, false);
    ct_text_add(text, "#define CLIPS 0\n#define ROWS (TILE_S * TILE_P * TILE_T)\n");
    ct_text_add(text,
                "#define ASKS (PREFETCH ? 4 : 0)\n#define GET_FIRST GET_X\n#define ROW_STRIDE %s\n",
                length < LANES * LANES ? "VECTORS" : "(VECTORS + 1)");
    ct_fft_emit_along(text, length);
    ct_text_add(text, "#line 1 \"stages/fft/fft_to_spectra.cl\"\n%s", fft_to_spectra_cl);
}

static void emit_channels(const ct_step *step, ct_text *text)
{
    emit_along(step, text, false);
    ct_text_add(text, "#line 1 \"stages/fft/fft_channels.cl\"\n%s", fft_channels_cl);
}

static void emit_pairs(const ct_step *step, ct_text *text)
{
    ct_text_add(text, "#define X_PAIRS %d\n#define Y_PAIRS %d\n",
                ct_array_stride(&step->port[X], 'C') == 2,
                ct_array_stride(&step->port[Y], 'C') == 2);
    emit_along(step, text, true);
    ct_text_add(text, "#line 1 \"stages/fft/fft_pairs.cl\"\n%s", fft_pairs_cl);
}

/* Of transforms, as if there were no subbands: fft.cl lets the arrays begin at one. */
static void emit_places(const ct_step *step, ct_text *text)
{
    if (ct_array_extent(&step->port[X], 'F') > 1) ct_text_add(text, "#define N_C X_N_C\n");
    ct_text_add(text, "#define FROM_AT(s, p, t) X_AT(s, p, t, 0, 0)\n"
                      "#define TO_AT(s, p, t) Y_AT(s, p, t, 0)\n");
}

fft_group ct_fft_group_of(const ct_step *step)
{
    const ct_array *x = &step->port[X];
    return (fft_group){.length = ct_fft_length(step),
                       .x = x,
                       .y = &step->port[Y],
                       .along = 'C',
                       .band = 'F',
                       .subbands = ct_array_extent(x, 'F')};
}

static void emit_group(const ct_step *step, ct_text *text)
{
    const fft_group group = ct_fft_group_of(step);
    ct_fft_emit_group(step, text, &group);
    ct_text_add(text, "#line 1 \"stages/fft/fft_group_rows.cl\"\n%s", fft_group_rows_cl);
}

ct_status ct_fft_emit(const ct_step *step, ct_text *text, ct_error *err)
{
    static void (*const ways[FFT_WAYS])(const ct_step *,
                                        ct_text *) = {[FFT_ROWS] = emit_rows,
                                                      [FFT_CHANNELS] = emit_channels,
                                                      [FFT_PAIRS] = emit_pairs,
                                                      [FFT_TO_CHANNELS] = emit_to_channels,
                                                      [FFT_TO_SPECTRA] = emit_to_spectra};
    int radix[FFT_PASSES];
    bool back = false;
    const fft_way way = ct_step_holds(step, "VECTOR_C > 1") ? ct_fft_way(step) : FFT_ROWS;
    (void)err;
    if (!ct_step_holds(step, "ENGINE_IS_native") || ct_fft_radices(ct_fft_length(step), radix) == 0)
        return CT_OK;
    emit_places(step, text);
    if (step->gpu) {
        emit_group(step, text);
        return CT_OK;
    }
    ct_fft_emit_radix(text);
    const bool aligned = native_is_aligned(step, way, &back);
    ct_fft_emit_part(text, ct_array_extent(&step->port[Y], 'S'), ct_step_tunable(step, "TILE_S"),
                     way == FFT_TO_SPECTRA ? lanes_of_station(step) : 0);
    ct_fft_emit_stream(step, text, aligned, back);
    ways[way](step, text);
    return CT_OK;
}

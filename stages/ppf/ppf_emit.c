/* ppf_emit.c: what the kernel is told of where spectra lie, and the text that suits.
 * Room: stages/ppf. Knows strides, tiles, and the passes of stages/fft. Does not know the
 * arithmetic. */
#include "fft_group.h"
#include "fir.h"
#include "ppf.h"
#include "ppf_channels_cl.h"
#include "ppf_group_cl.h"
#include "ppf_plain_cl.h"
#include "ppf_samples_cl.h"
#include "ppf_spectra_cl.h"

enum { X = CT_PPF_X, Y = CT_PPF_Y, LINE = 8 }; /* elements of a cache line */
enum { UNROLLED = 64 };                        /* most taps whose arithmetic is written out */
enum { IN_REGISTERS = 32 };                    /* likewise on GPUs, where they stay in registers */

/* How the results of a step leave. */
typedef struct ppf_way {
    bool clips;           /* a work-item takes more than there is */
    bool channels;        /* spectrum by spectrum, channels side by side */
    bool direct;          /* lanes are spectra that lie together in memory */
    int order[PPF_SIDES]; /* of the places that lanes take, fastest first */
    int64_t station; /* lanes that one takes, where stations complete a vector and the last tile
                        has fewer; 0: that tile moves back */
} ppf_way;

static int64_t way_tile(const ct_step *step, int side)
{
    return ct_step_tunable(step, ct_ppf_sides[side].tile);
}

static bool way_clips(const ct_step *step)
{
    for (int k = 0; k < PPF_SIDES; k++)
        if (ct_ppf_reach(step, k) > ct_array_extent(&step->port[Y], ct_ppf_sides[k].dim))
            return true;
    return false;
}

/* The first `count` places of the tile, in this order, lie one after the other. */
static bool way_is_together(const ct_step *step, const int *order, int64_t count)
{
    int64_t together = 1;
    for (int k = 0; k < PPF_SIDES && together < count; k++) {
        const int64_t tile = way_tile(step, order[k]);
        const int64_t stride = ct_array_stride(&step->port[Y], ct_ppf_sides[order[k]].dim);
        if (tile > 1 && stride != together) return false;
        together *= tile;
    }
    return true;
}

static int64_t way_station(const ct_step *step, const int *order)
{
    int64_t before = 1;
    for (int k = 0; k < PPF_SIDES; k++) {
        const int64_t tile = way_tile(step, order[k]);
        if (ct_ppf_sides[order[k]].dim == 'S')
            return before < PPF_LANES && before * tile % PPF_LANES == 0 ? before : 0;
        before *= tile;
    }
    return 0;
}

static ppf_way way_of(const ct_step *step, bool vectors_of_channels)
{
    const ct_array *y = &step->port[Y];
    ppf_way way = {.clips = way_clips(step), .order = {0, 1, 2}};
    int64_t rows = 0;
    ct_step_evaluate(step, "ROWS", &rows, NULL);
    way.channels = vectors_of_channels && ct_array_stride(y, 'C') == 1 &&
                   (ct_step_holds(step, "WHOLE") || !way.clips);
    if (way.channels || way.clips) return way;
    if (vectors_of_channels) ct_ppf_order(y, way.order);
    way.direct = way_is_together(step, way.order, vectors_of_channels ? PPF_LANES : rows);
    if (way.direct && vectors_of_channels) way.station = way_station(step, way.order);
    for (int k = 0; k < PPF_SIDES && !way.direct; k++)
        way.order[k] = k;
    return way;
}

/* Every vector that is stored begins at a cache line, but for those of a last tile that moves
 * `back`. */
static bool way_is_aligned(const ct_step *step, const ppf_way *way, bool *back)
{
    const ct_array *y = &step->port[Y];
    bool aligned = y->offset % LINE == 0 && (way->channels || ct_array_stride(y, 'C') % LINE == 0);
    if (ct_fir_subbands(&step->port[X]) > 1)
        aligned = aligned && ct_step_int(step, "channels") * ct_array_stride(y, 'C') % LINE == 0;
    int64_t together = 1;
    *back = false;
    for (int k = 0; k < PPF_SIDES; k++) {
        const char dim = ct_ppf_sides[way->order[k]].dim;
        const int64_t tile = way_tile(step, way->order[k]), extent = ct_array_extent(y, dim);
        const bool inside = !way->channels && together < PPF_LANES;
        const int64_t steps = inside ? tile : 1;
        together *= tile;
        if (extent == steps) continue;
        aligned = aligned && ct_array_stride(y, dim) * steps % LINE == 0;
        *back = *back || (extent % steps != 0 && !(dim == 'S' && way->station > 0));
    }
    return aligned;
}

static void emit_way(const ct_step *step, ct_text *text, const ppf_way *way)
{
    ct_text_add(text,
                "#define CLIPS %d\n#define BY_CHANNELS %d\n#define Y_DIRECT %d\n"
                "#define X_DIRECT %d\n",
                way->clips, way->channels, way->direct, ct_array_stride(&step->port[X], 'T') == 1);
    ct_fft_emit_part(text, ct_array_extent(&step->port[Y], 'S'), ct_step_tunable(step, "TILE_S"),
                     way->station);
    /* where the tile fits, the last one moves back */
    ct_text_add(text, "#define START(first, tile, extent) %s\n",
                way->clips ? "(first)" : "min((first), (extent) - (tile))");
}

/* After V, the type of vectors. */
static void emit_butterflies(const ct_step *step, ct_text *text, const ppf_way *way)
{
    bool back = false;
    const bool aligned = way_is_aligned(step, way, &back);
    ct_fft_emit_radix(text);
    ct_fft_emit_stream(step, text, aligned, back);
}

/* The row of place n. */
static void emit_places(const ct_step *step, ct_text *text, const ppf_way *way)
{
    static const char *const rows[PPF_SIDES] = {"TILE_T", "TILE_P * TILE_T", "1"}; /* P, S, T */
    int64_t before = 1;
    ct_text_add(text, "#define PLACE_AT(n) ((0");
    for (int k = 0; k < PPF_SIDES; k++) {
        const int64_t tile = way_tile(step, way->order[k]);
        ct_text_add(text, " + (n) / %lld %% %lld * %s", (long long)before, (long long)tile,
                    rows[way->order[k]]);
        before *= tile;
    }
    ct_text_add(text, ") * ROW_STRIDE)\n");
}

static void emit_channels(const ct_step *step, ct_text *text)
{
    const ppf_way way = way_of(step, true);
    const int64_t channels = ct_step_int(step, "channels");
    emit_way(step, text, &way);
    emit_places(step, text, &way);
    ct_text_add(
        text,
        "#define ASKS 0\n#define GET_FIRST GET_Z\n#define ROW_STRIDE %s\n#define UNROLL_TAPS %s\n",
        channels < PPF_LANES * PPF_LANES ? "VECTORS" : "(VECTORS + 1)",
        ct_step_int(step, "taps") <= UNROLLED ? "UNROLL" : "");
    emit_butterflies(step, text, &way);
    ct_fft_emit_along(text, channels);
    ct_text_add(text, "#line 1 \"stages/ppf/ppf_samples.cl\"\n%s", ppf_samples_cl);
    ct_text_add(text, "#line 1 \"stages/ppf/ppf_channels.cl\"\n%s", ppf_channels_cl);
}

static void emit_spectra(const ct_step *step, ct_text *text)
{
    const ppf_way way = way_of(step, false);
    emit_way(step, text, &way);
    emit_butterflies(step, text, &way);
    ct_fft_emit_across(text, ct_step_int(step, "channels"), true);
    ct_text_add(text, "#line 1 \"stages/ppf/ppf_samples.cl\"\n%s", ppf_samples_cl);
    ct_text_add(text, "#line 1 \"stages/ppf/ppf_spectra.cl\"\n%s", ppf_spectra_cl);
}

static void emit_plain(const ct_step *step, ct_text *text)
{
    ct_text_add(text,
                "#define LANES 1\n#define PART 0\n#define START(first, tile, extent) (first)\n");
    ct_fft_emit_radix(text);
    ct_fft_emit_across(text, ct_step_int(step, "channels"), true);
    ct_text_add(text, "#line 1 \"stages/ppf/ppf_plain.cl\"\n%s", ppf_plain_cl);
}

static void emit_group(const ct_step *step, ct_text *text)
{
    const fft_group group = ct_ppf_group_of(step);
    ct_fft_emit_group(step, text, &group);
    ct_text_add(text, "#define TAPS_WRITTEN_OUT %d\n", ct_step_int(step, "taps") <= IN_REGISTERS);
    ct_text_add(text, "#line 1 \"stages/ppf/ppf_group.cl\"\n%s", ppf_group_cl);
}

ct_status ct_ppf_emit(const ct_step *step, ct_text *text, ct_error *err)
{
    (void)err;
    if (ct_fir_subbands(&step->port[X]) > 1) ct_text_add(text, "#define N_C W_N_C\n");
    ct_text_add(text, "#define REACH_T (TILE_T * TILES_T) /* spectra of a work-item along T */\n");
    if (step->gpu)
        emit_group(step, text);
    else if (ct_step_tunable(step, "VECTOR_C") > 1)
        emit_channels(step, text);
    else if (ct_step_tunable(step, "VECTOR_SPT") > 1)
        emit_spectra(step, text);
    else
        emit_plain(step, text);
    return CT_OK;
}

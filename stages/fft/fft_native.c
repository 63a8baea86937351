/* fft_native.c: the engine that is a kernel: the radices of a length, the table of its factors, and
 * what the kernel is told of both and of the arrays. Room: stages/fft. Knows fft_rows.cl,
 * fft_channels.cl. Does not know libraries. */
#include "fft.h"
#include "fft_channels_cl.h"
#include "fft_radix_cl.h"
#include "fft_rows_cl.h"
#include <math.h>

#define PI 3.14159265358979323846

enum { X = CT_FFT_X, Y = CT_FFT_Y, LANES = 16, LINE = 8 }; /* elements of a cache line */

/* ---------------------------------------------------------------- radices */

int ct_fft_radices(int64_t length, int radix[FFT_PASSES])
{
    static const int odd[] = {3, 5, 7};
    int count = 0;
    if (length < 2 || length > FFT_MOST) return 0;
    for (int k = 0; k < 3; k++)
        for (; length % odd[k] == 0; length /= odd[k])
            radix[count++] = odd[k];
    if (length & (length - 1)) return 0;
    for (int64_t rest = length / LANES; rest > 1; rest /= radix[count - 1])
        radix[count++] = rest < LANES ? (int)rest : LANES;
    if (length > 1) radix[count++] = length < LANES ? (int)length : LANES;
    return count;
}

const fft_engine ct_fft_native = {.largest_prime = 7, .least = 2, .most = FFT_MOST};

bool ct_fft_by_channels(const ct_step *step)
{
    const ct_array *x = &step->port[X], *y = &step->port[Y];
    const int64_t length = ct_array_extent(y, 'C');
    return ct_array_stride(x, 'C') == 1 && ct_array_stride(y, 'C') == 1 && length >= LANES &&
           (length & (length - 1)) == 0;
}

/* Of each pass but the last, of transforms of `length`: cosines, then sines. */
int64_t ct_fft_factors(int64_t length)
{
    int radix[FFT_PASSES];
    int64_t factors = 0;
    const int passes = ct_fft_radices(length, radix);
    for (int k = 0; k + 1 < passes; length /= radix[k++])
        factors += 2 * (radix[k] - 1) * (length / radix[k]);
    return factors;
}

ct_status ct_fft_table(const ct_step *step, const char *port, ct_array *fill, ct_error *err)
{
    int radix[FFT_PASSES];
    int64_t length = ct_array_extent(&step->port[Y], 'C'), place = 0;
    const int passes = ct_fft_radices(length, radix);
    (void)port, (void)err;
    for (int pass = 0; pass + 1 < passes; length /= radix[pass++]) {
        const int64_t span = length / radix[pass], half = (radix[pass] - 1) * span;
        for (int64_t n = 0; n < half; n++) {
            const int64_t part = (n / span + 1) * (n % span) % length; /* of a circle's `length` */
            const double angle = 2 * PI * (double)part / (double)length;
            ct_array_save(fill, place + n, cos(angle), 0);
            ct_array_save(fill, place + half + n, sin(angle), 0);
        }
        place += 2 * half;
    }
    return CT_OK;
}

/* ---------------------------------------------------------------- where rows lie */

/* Rows of the tile, in its order S, P, T, lie one after the other. */
static bool native_is_direct(const ct_step *step, const ct_array *array)
{
    int64_t together = 1;
    for (int k = 2; k >= 0; k--) {
        const int64_t rows =
            ct_step_tunable(step, (const char *[]){"TILE_S", "TILE_P", "TILE_T"}[k]);
        if (rows > 1 && ct_array_stride(array, "SPT"[k]) != together) return false;
        together *= rows;
    }
    return true;
}

/* The tile is larger than the array. */
static bool native_clips(const ct_step *step)
{
    const ct_array *y = &step->port[Y];
    return ct_step_tunable(step, "TILE_S") > ct_array_extent(y, 'S') ||
           ct_step_tunable(step, "TILE_P") > ct_array_extent(y, 'P') ||
           ct_step_tunable(step, "TILE_T") > ct_array_extent(y, 'T');
}

/* Every row of lanes begins at a cache line. */
static bool native_is_aligned(const ct_step *step, bool channels)
{
    static const struct {
        char dim;
        const char *tile;
    } sides[] = {{'S', "TILE_S"}, {'P', "TILE_P"}, {'T', "TILE_T"}};
    const ct_array *y = &step->port[Y];
    bool aligned = y->offset % LINE == 0;
    if (!channels) aligned = aligned && ct_array_stride(y, 'C') % LINE == 0;
    for (int k = 0; k < 3; k++) {
        const int64_t tile = channels ? 1 : ct_step_tunable(step, sides[k].tile);
        const int64_t extent = ct_array_extent(y, sides[k].dim);
        if (extent == 1) continue;
        aligned = aligned && ct_array_stride(y, sides[k].dim) * tile % LINE == 0;
        if (tile > 1) aligned = aligned && extent % tile == 0; /* the last one does not move back */
    }
    return aligned;
}

/* ---------------------------------------------------------------- text */

static void emit_stream(const ct_step *step, ct_text *text, bool channels)
{
    if (ct_step_tunable(step, "NONTEMPORAL") && native_is_aligned(step, channels))
        ct_text_add(text, "#define STREAM(v, p) __builtin_nontemporal_store(v, (global V *)(p))\n");
    else
        ct_text_add(text, "#define STREAM(v, p) vstore16(v, 0, p)\n");
}

/* The channel of the first result of block n of the last pass: n's digits reversed. */
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

static void emit_passes(ct_text *text, const int *radix, int passes, int64_t length)
{
    int64_t blocks = 1, place = 0;
    ct_text_add(text, "#define PASSES %d\n#define RADIX_FIRST %d\n#define RADIX_LAST %d\n", passes,
                radix[0], radix[passes - 1]);
    emit_channel(text, radix, passes);
    ct_text_add(text, "#define MIDDLE_PASSES");
    for (int k = 0; k + 1 < passes; k++) {
        const int64_t span = length / radix[k];
        if (k > 0)
            ct_text_add(text, " PASS(%d, %lld, %lld, %lld, GET_Z);", radix[k], (long long)blocks,
                        (long long)span, (long long)place);
        place += 2 * (radix[k] - 1) * span;
        blocks *= radix[k];
        length = span;
    }
    ct_text_add(text, "\n");
}

static void emit_rows(const ct_step *step, ct_text *text, const int *radix, int passes)
{
    const bool clips = native_clips(step);
    ct_text_add(text, "#define CLIPS %d\n#define X_DIRECT %d\n#define Y_DIRECT %d\n", clips,
                !clips && native_is_direct(step, &step->port[X]),
                !clips && native_is_direct(step, &step->port[Y]));
    emit_passes(text, radix, passes, ct_array_extent(&step->port[Y], 'C'));
    ct_text_add(text, "#line 1 \"stages/fft/fft_rows.cl\"\n%s", fft_rows_cl);
}

/* R1 R2 LANES, of which the first two may be missing. */
static void emit_channels(ct_text *text, const int *radix, int passes)
{
    ct_text_add(text, "#define R1 %d\n#define R2 %d\n#line 1 \"stages/fft/fft_channels.cl\"\n%s",
                passes > 1 ? radix[0] : 1, passes > 2 ? radix[1] : 1, fft_channels_cl);
}

ct_status ct_fft_emit(const ct_step *step, ct_text *text, ct_error *err)
{
    int radix[FFT_PASSES];
    const int passes = ct_fft_radices(ct_array_extent(&step->port[Y], 'C'), radix);
    const bool channels = ct_step_holds(step, "VECTOR_C > 1");
    (void)err;
    if (!ct_step_holds(step, "ENGINE_IS_native") || passes == 0) return CT_OK;
    ct_text_add(text, "#line 1 \"stages/fft/fft_radix.cl\"\n%s", fft_radix_cl);
    emit_stream(step, text, channels);
    if (channels)
        emit_channels(text, radix, passes);
    else
        emit_rows(step, text, radix, passes);
    return CT_OK;
}

int ct_fft_launch(const ct_step *step, ct_launch *out)
{
    const ct_array *y = &step->port[Y];
    out->global[0] = (size_t)ct_divide_up(ct_array_extent(y, 'T'), ct_step_tunable(step, "TILE_T"));
    out->global[1] = (size_t)ct_divide_up(ct_array_extent(y, 'P'), ct_step_tunable(step, "TILE_P"));
    out->global[2] = (size_t)ct_divide_up(ct_array_extent(y, 'S'), ct_step_tunable(step, "TILE_S"));
    out->local[0] = out->local[1] = out->local[2] = 1;
    return 1;
}

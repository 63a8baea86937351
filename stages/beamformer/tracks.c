/* tracks.c: beams that move: towards directions on the sky, or along rows of directions. Weights
 * belong to segments of the stream, each a fixed number of samples, so that no block's size changes
 * a beam; segments may end inside a block. Room: stages/beamformer. Knows time and geometry. Does
 * not know kernels. */
#include <math.h>
#include <string.h>

#include "arrival.h"
#include "beamformer.h"

#define TWO_PI 6.28318530717958647692
#define MOST_CYCLES (3.0 / 360) /* by which the farthest station may lag at a segment's ends */
#define WARNED_CYCLES (10.0 / 360)
enum { LEAST = CT_TRACKS_GRAIN, MOST = 4096, EXACT = 32 /* channels from one sine to the next */ };

static const ct_array *input(const ct_step *step)
{
    return &step->port[CT_BEAMFORMER_X];
}

/* ---- where beams look */

/* Rows at an instant, straight in between: before the first and after the last on their line. */
static void along_rows(const ct_beams *beams, double seconds, double (*out)[3])
{
    const double place = seconds / beams->step_s;
    const int64_t last = beams->rows - 2, floored = (int64_t)floor(place);
    const int64_t row = floored < 0 ? 0 : floored > last ? last : floored;
    for (int64_t b = 0; b < beams->count; b++) {
        const double *from = beams->direction[b * beams->rows + row], *to = from + 3;
        double length = 0;
        for (int k = 0; k < 3; k++) {
            out[b][k] = from[k] + (place - (double)row) * (to[k] - from[k]);
            length += out[b][k] * out[b][k];
        }
        for (int k = 0; k < 3; k++)
            out[b][k] /= sqrt(length);
    }
}

/* Unit vectors at a place of the stream, between samples too; of stations that are in phase towards
 * a centre, what beams differ from it. */
static ct_status look(const ct_step *step, const ct_beams *beams, double sample, double (*out)[3],
                      ct_error *err)
{
    const ct_meta *meta = &input(step)->meta;
    const double seconds = meta->start_s + sample * meta->sample_time_s;
    const int64_t count = beams->count + (beams->relative ? 1 : 0);
    ct_status status = CT_OK;
    if (!beams->radec) along_rows(beams, seconds, out);
    if (beams->radec)
        status = ct_step_directions(step, meta->start_mjd, seconds, count, beams->radec, out, err);
    for (int64_t b = 0; status == CT_OK && beams->relative && b < beams->count; b++)
        for (int k = 0; k < 3; k++)
            out[b][k] -= out[beams->count][k];
    return status;
}

/* ---- segments */

/* Radians in a second by which a beam moves, at most. On the sky all move with it, but those that
 * are counted from a centre by their distance from there only. */
static ct_status fastest(const ct_step *step, const ct_beams *beams, double *out, ct_error *err)
{
    double(*at)[3] = beams->toward;
    ct_status status = look(step, beams, 0, at, err);
    double most = 0;
    for (int64_t n = 0; !beams->radec && n < beams->count * (beams->rows - 1); n++) {
        const double *u =
            beams->direction[n / (beams->rows - 1) * beams->rows + n % (beams->rows - 1)];
        most = fmax(most, hypot(hypot(u[3] - u[0], u[4] - u[1]), u[5] - u[2]) / beams->step_s);
    }
    for (int64_t b = 0; status == CT_OK && beams->radec && b < beams->count; b++)
        most = fmax(most, CT_ARRIVAL_EARTH_RAD_S * hypot(hypot(at[b][0], at[b][1]), at[b][2]));
    *out = most;
    return status;
}

static double highest_hz(const ct_meta *meta)
{
    double highest = 0;
    for (int64_t c = 0; c < meta->frequencies; c++)
        highest = fmax(highest, meta->frequency_hz[c]);
    return highest;
}

/* Powers of two: any tile's times divide them. */
ct_status ct_tracks_plan(ct_step *step, ct_beams *beams, ct_error *err)
{
    const ct_array *x = input(step);
    const double far_s = ct_arrival_longest_s(beams->position, ct_array_extent(x, 'S'));
    double rate;
    if (!(x->meta.sample_time_s > 0))
        return ct_step_fail(step, NULL, err,
                            "beams that move need the time of a sample: give the source "
                            "\"sample_time_s\"");
    beams->toward = ct_step_alloc(step, (size_t)(beams->count + 1) * sizeof *beams->toward);
    const ct_status status = beams->toward ? fastest(step, beams, &rate, err) : CT_FAILED;
    if (status != CT_OK) return status;
    const double cycles = rate * far_s * highest_hz(&x->meta) * x->meta.sample_time_s;
    beams->segment = MOST;
    while (beams->segment > LEAST && 0.5 * (double)beams->segment * cycles > MOST_CYCLES)
        beams->segment /= 2;
    while (beams->segment > LEAST && x->meta.total > 0 && beams->segment / 2 >= x->meta.total)
        beams->segment /= 2;
    if (0.5 * (double)beams->segment * cycles > WARNED_CYCLES)
        ct_step_warn(step,
                     "beams move by up to %.0f degrees at the farthest station within the %lld "
                     "samples that share weights; \"delay\" before the beam former follows closely",
                     360 * (double)beams->segment * cycles, (long long)beams->segment);
    return CT_OK;
}

/* ---- blocks: where segments begin in them */

/* The largest power of two by which both a block and a segment divide: each block begins at a
 * multiple of it, counted from a segment's beginning. */
static int64_t common(int64_t samples, int64_t segment)
{
    while (samples % segment != 0)
        segment /= 2;
    return segment;
}

void ct_tracks_shape(ct_step *step, const ct_beams *beams, int64_t samples)
{
    const int64_t segment = beams->segment, latest = segment - common(samples, segment);
    const int64_t segments = ct_divide_up(latest + samples, segment);
    if (segments > 1 && latest > 0) ct_array_add(&step->port[CT_BEAMFORMER_N], 'K', segments);
    ct_array_add(&step->port[CT_BEAMFORMER_W], 'K', segments);
}

/* Samples of the first segment that came before this block, the stream's sample `begin`. Where a
 * stage before this one leaves samples out at the stream's start, the first block has begun before
 * the stream. */
static int64_t samples_before(const ct_step *step, int64_t begin)
{
    const int64_t segment = ((const ct_beams *)step->state)->segment;
    const int64_t grid = common(ct_array_extent(input(step), 'T'), segment);
    const int64_t late = ((begin % grid) + grid) % grid;
    const int64_t from = late > 0 ? begin + grid - late : begin;
    return ((from % segment) + segment) % segment;
}

static int64_t begin_of(const ct_step *step, const ct_array *fill)
{
    const ct_meta *meta = &input(step)->meta;
    return (int64_t)llround((fill->meta.start_s - meta->start_s) / meta->sample_time_s);
}

void ct_tracks_begins(const ct_step *step, ct_array *fill)
{
    const int64_t segment = ((const ct_beams *)step->state)->segment;
    const int64_t before = samples_before(step, begin_of(step, fill));
    for (int64_t k = 0; k < ct_array_extent(fill, 'K'); k++)
        ct_array_save(fill, fill->offset + k, (double)(k * segment - before), 0);
}

int64_t ct_tracks_segment(const ct_step *step, const ct_array ports[], int64_t t)
{
    const ct_beams *beams = step->state;
    const ct_array *n = &ports[CT_BEAMFORMER_N];
    const int64_t first = n->type == CT_NONE ? 0 : (int64_t)ct_array_load(n, n->offset).re;
    return beams->segment > 0 ? (t - first) / beams->segment : 0;
}

/* ---- weights */

/* Channels are equally spaced as a rule: then each is the one before it times a constant, begun
 * anew before errors add up to anything. */
static bool is_even(const ct_meta *meta)
{
    const double *hz = meta->frequency_hz;
    bool even = meta->frequencies > 1;
    for (int64_t c = 2; even && c < meta->frequencies; c++)
        even = fabs((hz[c] - hz[0]) - (double)c * (hz[1] - hz[0])) < 1e-9 * hz[c];
    return even;
}

static ct_complex phasor(double cycles, double scale)
{
    return (ct_complex){scale * cos(TWO_PI * cycles), scale * sin(TWO_PI * cycles)};
}

static void fill_channels(const ct_meta *meta, bool even, double tau_s, double scale, float *out)
{
    const double apart_hz = even ? meta->frequency_hz[1] - meta->frequency_hz[0] : 0;
    const ct_complex next = phasor(apart_hz * tau_s, 1);
    ct_complex w = {0, 0};
    for (int64_t c = 0; c < meta->frequencies; c++) {
        const ct_complex last = w;
        w = (ct_complex){last.re * next.re - last.im * next.im,
                         last.re * next.im + last.im * next.re};
        if (!even || c % EXACT == 0) w = phasor(meta->frequency_hz[c] * tau_s, scale);
        out[2 * c] = (float)w.re;
        out[2 * c + 1] = (float)w.im;
    }
}

ct_status ct_tracks_fill(const ct_step *step, ct_array *fill, double scale, ct_error *err)
{
    const ct_beams *beams = step->state;
    const ct_meta *meta = &input(step)->meta;
    const int64_t stations = ct_array_extent(fill, 'S'), channels = ct_array_extent(fill, 'C');
    const int64_t begin = begin_of(step, fill);
    const double first = (double)(begin - samples_before(step, begin));
    const bool even = is_even(meta);
    float *out = (float *)fill->data + 2 * fill->offset;
    ct_status status = CT_OK;
    for (int64_t k = 0; status == CT_OK && k < ct_array_extent(fill, 'K'); k++) {
        const double middle = first + ((double)k + 0.5) * (double)beams->segment - 0.5;
        status = look(step, beams, middle, beams->toward, err);
        for (int64_t n = 0; status == CT_OK && n < beams->count * stations;
             n++, out += 2 * channels)
            fill_channels(meta, even,
                          ct_arrival_s(beams->position[n % stations], beams->toward[n / stations]),
                          scale, out);
    }
    return status;
}

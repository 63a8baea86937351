/* beams.c: the beam former's weights, from a file or from geometry.
 * Room: stages/beamformer. Knows B, S and C and what a weight means. Does not know kernels. */
#include "beamformer.h"
#include <math.h>
#include <string.h>

#include "arrival.h"

#define TWO_PI 6.28318530717958647692

static ct_status fail_weights(ct_step *step, ct_error *err, const char *sentence)
{
    return ct_step_fail(step, "weights", err, "%s: %s", ct_step_text(step, "weights"), sentence);
}

/* Names the file's axes: the sidecar's dims, else B,S,C or B,S; a last axis of two real numbers is
 * a complex one. */
static ct_status name_axes(ct_step *step, ct_beams *beams, const char *dims, ct_error *err)
{
    ct_array *numbers = &beams->numbers;
    ct_layout layout = {0};
    if (!ct_type_complex(numbers->type)) {
        if (numbers->rank < 1 || numbers->extent[numbers->rank - 1] != 2)
            return fail_weights(step, err, "expected complex numbers, found real ones");
        beams->pair = numbers->stride[--numbers->rank];
    }
    if (!dims) dims = numbers->rank == 3 ? "BSC" : "BS";
    ct_status status = ct_layout_parse(&layout, dims, err);
    if (status != CT_OK) return status;
    if (layout.rank != numbers->rank || strspn(layout.dim, "BSC") != (size_t)layout.rank ||
        !strchr(layout.dim, 'B') || !strchr(layout.dim, 'S'))
        return ct_step_fail(step, "weights", err,
                            "%s: expected axes B,S,C or B,S in any order, found %d axes named %s",
                            ct_step_text(step, "weights"), numbers->rank, layout.dim);
    memcpy(numbers->dim, layout.dim, sizeof layout.dim);
    return CT_OK;
}

static ct_status check_extent(ct_step *step, const ct_array *numbers, char dim, ct_error *err)
{
    int64_t found = ct_array_extent(numbers, dim);
    int64_t expected = ct_array_extent(ct_step_array(step, "X"), dim);
    if (ct_array_find(numbers, dim) < 0 || found == expected) return CT_OK;
    return ct_step_fail(step, "weights", err,
                        "%s: expected weights for %lld %ss, found %lld (axes %s)",
                        ct_step_text(step, "weights"), (long long)expected, ct_dim_name(dim),
                        (long long)found, numbers->dim);
}

static ct_complex load_number(const ct_beams *beams, int64_t b, int64_t s, int64_t c)
{
    const ct_array *numbers = &beams->numbers;
    int64_t at = b * ct_array_stride(numbers, 'B') + s * ct_array_stride(numbers, 'S') +
                 c * ct_array_stride(numbers, 'C');
    ct_complex weight = ct_array_load(numbers, at);
    if (beams->pair) weight.im = ct_array_load(numbers, at + beams->pair).re;
    return weight;
}

static ct_status check_finite(ct_step *step, const ct_beams *beams, ct_error *err)
{
    const ct_array *numbers = &beams->numbers;
    int64_t stations = ct_array_extent(numbers, 'S'), channels = ct_array_extent(numbers, 'C');
    for (int64_t n = 0; n < ct_array_count(numbers); n++) {
        int64_t c = n % channels, s = n / channels % stations, b = n / channels / stations;
        ct_complex weight = load_number(beams, b, s, c);
        if (!isfinite(weight.re) || !isfinite(weight.im))
            return ct_step_fail(step, "weights", err,
                                "%s: the weight of beam %lld, station %lld, channel %lld is "
                                "%g%+gi; weights must be finite",
                                ct_step_text(step, "weights"), (long long)b, (long long)s,
                                (long long)c, weight.re, weight.im);
    }
    return CT_OK;
}

static ct_status load_file(ct_step *step, ct_beams *beams, ct_error *err)
{
    const char *dims;
    ct_status status = ct_npy_load(step, "weights", &beams->numbers, err);
    if (status == CT_OK) status = ct_npy_dims(step, "weights", &dims, err);
    if (status == CT_OK) status = name_axes(step, beams, dims, err);
    if (status == CT_OK) status = check_extent(step, &beams->numbers, 'S', err);
    if (status == CT_OK) status = check_extent(step, &beams->numbers, 'C', err);
    if (status == CT_OK) status = check_finite(step, beams, err);
    beams->count = ct_array_extent(&beams->numbers, 'B');
    return status;
}

static ct_status check_frequencies(const ct_step *step, const char *param, ct_error *err)
{
    const ct_array *x = &step->port[CT_BEAMFORMER_X];
    const ct_meta *meta = &x->meta;
    const int64_t channels = ct_array_extent(x, 'C');
    if (meta->shifts)
        return ct_step_fail(step, param, err,
                            "the stations were shifted by whole samples: \"delay\" does the rest, "
                            "before the beam former");
    if (!meta->frequency_hz)
        return ct_step_fail(step, param, err,
                            "directions need the frequency of each of the %lld channels, which is "
                            "not known; give the source \"frequency_hz\"%s",
                            (long long)channels,
                            meta->sample_time_s > 0 ? "" : " and \"sample_time_s\"");
    if (meta->frequencies != channels)
        return ct_step_fail(step, param, err,
                            "directions need the frequency of each of the %lld channels, and the "
                            "input says %lld; give the source \"frequency_hz\"",
                            (long long)channels, (long long)meta->frequencies);
    for (int64_t c = 0; c < channels; c++)
        if (!(meta->frequency_hz[c] > 0))
            return ct_step_fail(
                step, param, err,
                "directions need frequencies above 0, channel %lld has %g Hz; is the "
                "source's \"frequency_hz\" in Hz?",
                (long long)c, meta->frequency_hz[c]);
    return CT_OK;
}

/* The stage's own, or the observation's. */
static ct_status load_positions(ct_step *step, ct_beams *beams, ct_error *err)
{
    const int64_t stations = ct_array_extent(&step->port[CT_BEAMFORMER_X], 'S');
    if (ct_step_value(step, "positions")) return ct_geometry_positions(step, &beams->position, err);
    return ct_arrival_positions(step, stations, &beams->position, err);
}

static ct_status load_geometry(ct_step *step, ct_beams *beams, const char *directions,
                               ct_error *err)
{
    const double *centre = step->port[CT_BEAMFORMER_X].meta.phase_centre;
    if (!ct_step_value(step, "positions") && ct_step_observation(step)->stations == 0)
        return ct_step_fail(step, NULL, err,
                            "directions need \"positions\" of the stations, or \"stations\" in the "
                            "pipeline's \"observation\"");
    if (centre)
        return ct_step_fail(step, directions, err,
                            "the stations are in phase towards right ascension %g, declination %g: "
                            "beams beside it are named by \"radec\"",
                            centre[0], centre[1]);
    ct_status status = check_frequencies(step, directions, err);
    if (status == CT_OK) status = load_positions(step, beams, err);
    if (status == CT_OK) status = ct_geometry_directions(step, directions, beams, err);
    beams->step_s = ct_step_real(step, "step_s");
    return status == CT_OK && beams->rows > 1 ? ct_tracks_plan(step, beams, err) : status;
}

/* ---- on the sky */

/* Those of "radec", or the observation's; after them the phase centre where there is one. */
static ct_status load_radec(ct_step *step, ct_beams *beams, const ct_value *list, ct_error *err)
{
    const double *said = ct_step_observation(step)->radec;
    const double *centre = step->port[CT_BEAMFORMER_X].meta.phase_centre;
    if (list && (ct_value_kind(list) != CT_LIST || ct_value_count(list) == 0))
        return ct_step_fail(step, "radec", err,
                            "expected a list of [right ascension, declination] in degrees");
    beams->count = list ? (int64_t)ct_value_count(list) : 1;
    beams->relative = centre != NULL;
    double(*radec)[2] = ct_step_alloc(step, (size_t)(beams->count + 1) * sizeof *radec);
    ct_status status = radec ? CT_OK : CT_FAILED;
    for (int64_t b = 0; status == CT_OK && list && b < beams->count; b++)
        status = ct_arrival_radec(step, "radec", ct_value_at(list, (size_t)b), b, radec[b], err);
    for (int k = 0; status == CT_OK && k < 2; k++) {
        if (!list) radec[0][k] = said[k];
        if (centre) radec[beams->count][k] = centre[k];
    }
    beams->radec = (const double(*)[2])radec;
    return status;
}

static ct_status load_sky(ct_step *step, ct_beams *beams, const ct_value *list, ct_error *err)
{
    const char *param = list ? "radec" : NULL;
    ct_status status = load_radec(step, beams, list, err);
    if (status == CT_OK) status = check_frequencies(step, param, err);
    if (status == CT_OK) status = load_positions(step, beams, err);
    return status == CT_OK ? ct_tracks_plan(step, beams, err) : status;
}

/* ---- all of it */

static ct_status fail_neither(ct_step *step, const ct_value *weights, ct_error *err)
{
    if (!weights && ct_step_value(step, "positions"))
        return ct_step_fail(step, "positions", err, "positions need \"directions\" of the beams");
    if (!weights)
        return ct_step_fail(step, NULL, err,
                            "expected \"weights\", \"radec\" or \"directions\", found none of "
                            "them");
    if (ct_value_kind(weights) == CT_INT || ct_value_kind(weights) == CT_REAL)
        return ct_step_fail(step, "weights", err,
                            "expected a file or a list of directions, found %.10g",
                            ct_value_real(weights, 0));
    return ct_step_fail(step, "weights", err, "expected a file or a list of directions, found %s",
                        ct_value_kind(weights) == CT_OBJECT ? "an object" : "something else");
}

/* Two of them would contradict each other. */
static ct_status check_one(ct_step *step, ct_error *err)
{
    static const char *const names[] = {"weights", "directions", "radec"};
    const char *first = NULL;
    for (int n = 0; n < 3; n++) {
        if (!ct_step_value(step, names[n])) continue;
        if (first)
            return ct_step_fail(step, names[n], err, "expected either \"%s\" or \"%s\", found both",
                                first, names[n]);
        first = names[n];
    }
    return CT_OK;
}

ct_status ct_beams_load(ct_step *step, ct_beams **out, ct_error *err)
{
    const ct_value *weights = ct_step_value(step, "weights"), *sky = ct_step_value(step, "radec");
    ct_beams *beams = *out = ct_step_alloc(step, sizeof *beams);
    const ct_observation *said = ct_step_observation(step);
    const ct_status status = beams ? check_one(step, err) : CT_FAILED;
    if (status != CT_OK) return status;
    beams->rows = 1;
    if (ct_step_value(step, "directions")) return load_geometry(step, beams, "directions", err);
    if (ct_value_kind(weights) == CT_LIST) return load_geometry(step, beams, "weights", err);
    if (ct_value_kind(weights) == CT_TEXT) return load_file(step, beams, err);
    if (sky || (!weights && said->radec && said->stations > 0))
        return load_sky(step, beams, sky, err);
    return fail_neither(step, weights, err);
}

ct_complex ct_beams_weight(const ct_step *step, int64_t beam, int64_t station, int64_t channel)
{
    const ct_beams *beams = step->state;
    if (beams->numbers.type != CT_NONE) return load_number(beams, beam, station, channel);
    const double tau_s = ct_arrival_s(beams->position[station], beams->direction[beam]);
    double cycles = ct_step_array(step, "X")->meta.frequency_hz[channel] * tau_s;
    return (ct_complex){cos(TWO_PI * cycles), sin(TWO_PI * cycles)};
}

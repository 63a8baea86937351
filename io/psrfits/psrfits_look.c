/* psrfits_look.c: what an array can be written as, and what such a file says of it.
 * Room: io/psrfits. Knows metadata. Does not know FITS. */
#include "angle.h"
#include "beam_names.h"
#include "psrfits_print.h"
#include <math.h>
#include <string.h>

#define ROWS_BYTES (256 << 20) /* of the rows that are being filled, of all files, about */

/* ---- what can be written */

static int64_t look_bits(const ct_step *step)
{
    const int64_t bits = ct_step_int(step, "bits");
    return bits > 0 ? bits : (int64_t)ct_type_bits(step->port[0].type);
}

static int64_t look_row_samples(const ct_step *step)
{
    const ct_array *in = &step->port[0];
    const int64_t given = ct_step_int(step, "row_samples");
    const double sample = (double)(ct_array_extent(in, 'Q') * ct_array_extent(in, 'C') *
                                   (int64_t)sizeof(float) * ct_beam_names_count(in));
    int64_t samples = 4096;
    while (samples > 16 && (double)samples * sample > ROWS_BYTES)
        samples /= 2;
    return given > 0 ? given : samples;
}

static ct_status look_check_numbers(const ct_step *step, ct_error *err)
{
    const int64_t bits = ct_step_int(step, "bits"), samples = ct_step_int(step, "row_samples");
    if (bits != 0 && bits != 2 && bits != 4 && bits != 8 && bits != 16 && bits != 32)
        return ct_step_fail(step, "bits", err, "expected 2, 4, 8, 16, 32, or 0, found %lld",
                            (long long)bits);
    if (bits > 0 && bits < 8 && samples % 8 != 0)
        return ct_step_fail(step, "row_samples", err,
                            "numbers of %lld bits fill whole bytes: expected a multiple of 8, "
                            "found %lld",
                            (long long)bits, (long long)samples);
    return CT_OK;
}

static ct_status look_check_dims(const ct_step *step, ct_error *err)
{
    const ct_array *in = &step->port[0];
    for (int i = 0; i < in->rank; i++)
        if (!strchr("BSTQC", in->dim[i]))
            return ct_step_fail(step, NULL, err,
                                "expected the dimensions T, C and perhaps B, S, Q, found %s",
                                in->dim);
    if (ct_array_find(in, 'T') < 0 || ct_array_find(in, 'C') < 0)
        return ct_step_fail(step, NULL, err, "expected the dimensions T and C, found %s", in->dim);
    if (ct_array_extent(in, 'Q') > 4)
        return ct_step_fail(step, NULL, err, "PSRFITS has at most 4 polarizations, found Q=%lld",
                            (long long)ct_array_extent(in, 'Q'));
    return CT_OK;
}

static ct_status look_check_known(const ct_step *step, ct_error *err)
{
    const ct_meta *meta = &step->port[0].meta;
    const struct {
        bool known;
        const char *what, *key;
    } rows[] = {{meta->sample_time_s > 0, "the time between samples", "sample_time_s"},
                {meta->frequency_hz && meta->frequencies == ct_array_extent(&step->port[0], 'C'),
                 "the channels' frequencies", "frequency_hz"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!rows[i].known)
            return ct_step_fail(step, NULL, err,
                                "PSRFITS needs %s, not known here: give the source %s",
                                rows[i].what, rows[i].key);
    return CT_OK;
}

ct_status ct_psrfits_look_check(ct_step *step, ct_error *err)
{
    ct_status status = ct_psrfits_can_print(step, err);
    if (status == CT_OK) status = look_check_dims(step, err);
    if (status == CT_OK) status = look_check_numbers(step, err);
    if (status == CT_OK) status = look_check_known(step, err);
    if (status != CT_OK) return status;
    if (!(step->port[0].meta.start_mjd > 0))
        ct_step_warn(step, "PSRFITS's readers need the date, not known here: give the source "
                           "start_mjd");
    ct_psrfits_pol_type_warn(step);
    return CT_OK;
}

/* ---- what the file says */

/* Of the leading edge of the first sample; a double of MJD is no better than 2 us. */
static void look_start(ct_psrfits_look *look, const ct_meta *meta)
{
    const double day = floor(meta->start_mjd + 2e-6 / 86400);
    double second = fmax((meta->start_mjd - day) * 86400, 0);
    if (fabs(second - nearbyint(second)) < 2e-6) second = nearbyint(second);
    second += meta->start_s - 0.5 * meta->sample_time_s;
    if (second < 0 && second > -1e-9 * meta->sample_time_s) second = 0;
    const double days = floor(second / 86400);
    look->day = (int64_t)(day + days);
    look->second = second - days * 86400;
}

/* The source's, else the phase centre, else the observation's. */
static void look_pointing(ct_psrfits_look *look, const ct_step *step)
{
    const ct_meta *meta = &step->port[0].meta;
    const double *radec = meta->phase_centre,
                 said[2] = {15 * ct_angle_unpack(meta->src_raj), ct_angle_unpack(meta->src_dej)};
    if (!radec) radec = ct_step_observation(step)->radec;
    if (said[0] != 0 || said[1] != 0) radec = said;
    look->pointed = radec != NULL;
    look->ra = radec ? radec[0] : 0;
    look->dec = radec ? radec[1] : 0;
}

void ct_psrfits_look_at(ct_psrfits_look *look, const ct_step *step)
{
    const ct_array *in = &step->port[0];
    const ct_meta *meta = &in->meta;
    const int64_t bits = look_bits(step), channels = ct_array_extent(in, 'C');
    const bool same = bits == (int64_t)ct_type_bits(in->type);
    const double spacing = channels > 1 ? meta->frequency_hz[1] - meta->frequency_hz[0] : 0;
    const double width = meta->channel_width_hz > 0 ? meta->channel_width_hz : fabs(spacing);
    *look = (ct_psrfits_look){
        .source = meta->source_name ? meta->source_name : ct_step_observation(step)->source_name,
        .telescope = meta->telescope ? meta->telescope : ct_step_observation(step)->telescope,
        .channels = channels,
        .pols = ct_array_extent(in, 'Q'),
        .row_samples = look_row_samples(step),
        .bits = bits,
        .as_stored = same,
        .with_sign = bits == 16 || (same && in->type == CT_I8),
        .beam = -1,
        .spacing_s = meta->sample_time_s,
        .hz = meta->frequency_hz,
        .width_hz = spacing < 0 ? -width : width};
    ct_psrfits_pol_type(look, in);
    look_start(look, meta);
    look_pointing(look, step);
}

/* lofar_bf_head_of.c: what LOFAR's files say of an array: from its metadata, the observation and
 * the node's parameters.
 * Room: io/lofar_bf. Knows ports and parameters. Does not know HDF5. */
#include "angle.h"
#include "beam_names.h"
#include "lofar_bf_ports.h"
#include <math.h>

#define SIGNAL(name) #name,

/* Subbands of a clock of 200 or 160 MHz, whose width the channels divide. */
static void head_subbands(const ct_step *step, ct_lofar_bf_head *head)
{
    static const double clocks[] = {200, 160};
    const int64_t given = ct_step_int(step, "subband_channels");
    head->subband_channels = given > 0 ? given : 1;
    for (size_t i = 0; i < sizeof clocks / sizeof clocks[0] && head->clock_mhz == 0; i++) {
        const double width = clocks[i] * 1e6 / 1024, parts = floor(width / head->width_hz + 0.5);
        if (parts < 1 || fabs(parts * head->width_hz - width) > 1e-6 * width) continue;
        if (parts > (double)head->channels || head->channels % (int64_t)parts != 0) continue;
        head->clock_mhz = clocks[i];
        if (given < 1) head->subband_channels = (int64_t)parts;
    }
}

/* A day and seconds: a double of MJD has microseconds at best, so what is below them is rounding.
 */
static void head_start(const ct_meta *meta, ct_lofar_bf_head *head)
{
    const double day = floor(meta->start_mjd), part = (meta->start_mjd - day) * 86400;
    double lead = meta->start_s - 0.5 * meta->sample_time_s;
    if (fabs(lead) < 1e-9 * meta->sample_time_s) lead = 0;
    head->start_day = day;
    head->start_s = floor(part * 1e6 + 0.5) / 1e6 + lead;
}

static void head_place(const ct_step *step, int64_t beam, ct_lofar_bf_head *head)
{
    const ct_meta *meta = &step->port[CT_LOFAR_BF_X].meta;
    const ct_value *list = ct_step_value(step, "radec"), *pair = ct_value_at(list, (size_t)beam);
    head->ra_deg = ct_angle_unpack(meta->src_raj) * 15;
    head->dec_deg = ct_angle_unpack(meta->src_dej);
    if (meta->phase_centre) {
        head->ra_deg = meta->phase_centre[0];
        head->dec_deg = meta->phase_centre[1];
    }
    if (!list) return;
    head->ra_deg = ct_value_real(ct_value_at(pair, 0), 0);
    head->dec_deg = ct_value_real(ct_value_at(pair, 1), 0);
}

static void head_stations(const ct_step *step, int64_t beam, ct_lofar_bf_head *head)
{
    const ct_observation *said = ct_step_observation(step);
    const ct_array *in = &step->port[CT_LOFAR_BF_X];
    head->stations = said->names;
    head->stations_count = said->names ? said->stations : 0;
    head->site = said->site;
    if (ct_array_find(in, 'S') < 0 || ct_array_extent(in, 'S') != said->stations || !said->names)
        return;
    head->stations += ct_beam_names_index(in, beam).s;
    head->stations_count = 1;
}

ct_lofar_bf_head ct_lofar_bf_head_of(const ct_step *step, const double *hz, int64_t beam,
                                     int64_t set)
{
    const ct_array *in = &step->port[CT_LOFAR_BF_X];
    const ct_meta *meta = &in->meta;
    const bool aligned = meta->header && meta->header->data_type == 6;
    static const char *const signals[] = {CT_LOFAR_BF_SIGNALS(SIGNAL)};
    ct_lofar_bf_head head = {
        .telescope = meta->telescope ? meta->telescope : "LOFAR",
        .source = meta->source_name ? meta->source_name : "unknown",
        .signal_sum = signals[ct_step_choice(step, "signal_sum")],
        .beams = ct_beam_names_count(in),
        .beam = beam,
        .sets = ct_lofar_bf_sets(in),
        .set = set,
        .component = ct_lofar_bf_component(in, set),
        .channels = ct_array_extent(in, 'C'),
        .frequency_hz = hz,
        .width_hz = ct_lofar_bf_width(meta),
        .sample_time_s = meta->sample_time_s,
        .samples = meta->total > 0 ? meta->total : 0,
        .dm = aligned ? meta->header->refdm : 0,
    };
    for (size_t i = 0; ct_lofar_bf_given[i]; i++)
        head.given[i] = ct_value_text(
            ct_value_get(ct_step_value(step, "attributes"), ct_lofar_bf_given[i]), NULL);
    head_subbands(step, &head);
    head_start(meta, &head);
    head_place(step, beam, &head);
    head_stations(step, beam, &head);
    return head;
}

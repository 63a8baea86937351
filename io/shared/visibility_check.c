/* visibility_check.c: see visibility.h: whether an array and its pipeline say all that a file of
 * visibilities has to.
 * Room: io/shared. Knows ports and the observation. Does not know formats. */
#include "visibility.h"
#include <math.h>

enum { X = CT_VISIBILITY_X, COUNTS = CT_VISIBILITY_COUNTS };

#define DEGREE (3.14159265358979323846 / 180)

int64_t ct_visibility_samples(const ct_step *step)
{
    const int64_t given = ct_step_int(step, "samples");
    return given > 0 ? given : step->port[X].meta.integrated;
}

int64_t ct_visibility_stations(const ct_array *in)
{
    int64_t stations = 0;
    while ((stations + 1) * (stations + 2) / 2 <= ct_array_extent(in, 'L'))
        stations++;
    return stations;
}

/* Products of two receptors have numbers that all readers know. */
static ct_status check_products(const ct_step *step, const char *format, ct_error *err)
{
    char names[CT_PRODUCTS_TEXT];
    const ct_array *in = &step->port[X];
    const int64_t products = ct_array_extent(in, 'Q');
    if (products > CT_VISIBILITY_PRODUCTS)
        return ct_step_fail(step, NULL, err,
                            "%s has names for the products XX, XY, YX, YY of two polarizations: "
                            "expected 4 or fewer along Q, found %lld",
                            format, (long long)products);
    if (!ct_array_product(in, 0))
        return ct_step_fail(step, NULL, err,
                            "what the %lld along Q are is not known, and %s says it: give the "
                            "source \"products\", as in \"XX XY YX YY\"",
                            (long long)products, format);
    for (int64_t q = 0; q < products; q++)
        if (ct_array_product(in, q)->aips >= 0)
            return ct_step_fail(step, NULL, err,
                                "expected products of two receptors along Q, such as XX XY YX YY "
                                "or RR LL, found %s",
                                ct_products_print(names, in->meta.products));
    return CT_OK;
}

static ct_status check_baselines(const ct_step *step, const char *format, ct_error *err)
{
    const ct_array *in = &step->port[X];
    const int64_t baselines = ct_array_extent(in, 'L'), stations = ct_visibility_stations(in);
    (void)format;
    if (stations * (stations + 1) / 2 == baselines) return CT_OK;
    return ct_step_fail(
        step, NULL, err,
        "expected all pairs of stations along L, each with itself too, such as %lld "
        "or %lld, found %lld",
        (long long)(stations * (stations + 1) / 2),
        (long long)((stations + 1) * (stations + 2) / 2), (long long)baselines);
}

static ct_status check_stations(const ct_step *step, const char *format, ct_error *err)
{
    const ct_observation *said = ct_step_observation(step);
    const int64_t stations = ct_visibility_stations(&step->port[X]);
    if (said->stations == 0)
        return ct_step_fail(step, NULL, err,
                            "%s needs the stations' positions: give the pipeline \"observation\": "
                            "{\"stations\": [[x, y, z], ..]} with the ITRF positions of %lld",
                            format, (long long)stations);
    if (said->stations == stations) return CT_OK;
    return ct_step_fail(
        step, NULL, err,
        "the observation has positions of %lld stations, but these are baselines of "
        "%lld",
        (long long)said->stations, (long long)stations);
}

double ct_visibility_width(const ct_meta *meta)
{
    if (meta->channel_width_hz > 0 || meta->frequencies < 2) return meta->channel_width_hz;
    return fabs(meta->frequency_hz[1] - meta->frequency_hz[0]);
}

static ct_status check_known(const ct_step *step, const char *format, ct_error *err)
{
    const ct_array *in = &step->port[X];
    const ct_meta *meta = &in->meta;
    if (!meta->frequency_hz || meta->frequencies != ct_array_extent(in, 'C') ||
        !(ct_visibility_width(meta) > 0))
        return ct_step_fail(step, NULL, err,
                            "%s needs the channels' frequencies and width, which are not known: "
                            "give the source frequency_hz%s",
                            format, meta->sample_time_s > 0 ? "" : " and sample_time_s");
    if (!(meta->sample_time_s > 0))
        return ct_step_fail(step, NULL, err,
                            "%s needs the time between integrations, which is not known: give the "
                            "source sample_time_s",
                            format);
    if (!(meta->start_mjd > 0))
        return ct_step_fail(step, NULL, err,
                            "%s needs the date, which is not known: give the source start_mjd",
                            format);
    if (ct_visibility_samples(step) > 0) return CT_OK;
    return ct_step_fail(step, NULL, err,
                        "how many samples are in an integration is not known: expected "
                        "\"samples\", or the visibilities of this pipeline's own correlator");
}

static ct_status check_counts(const ct_step *step, const char *format, ct_error *err)
{
    const ct_array *in = &step->port[X], *counts = &step->port[COUNTS];
    (void)format;
    if (counts->type == CT_NONE) return CT_OK;
    if (ct_array_extent(counts, 'L') != ct_array_extent(in, 'L'))
        return ct_step_fail(
            step, "input/COUNTS", err, "found counts of %lld baselines, the visibilities have %lld",
            (long long)ct_array_extent(counts, 'L'), (long long)ct_array_extent(in, 'L'));
    if (ct_array_find(counts, 'C') < 0 || ct_array_extent(counts, 'C') == ct_array_extent(in, 'C'))
        return CT_OK;
    return ct_step_fail(
        step, "input/COUNTS", err, "found counts of %lld channels, the visibilities have %lld",
        (long long)ct_array_extent(counts, 'C'), (long long)ct_array_extent(in, 'C'));
}

void ct_visibility_phase(const ct_meta *meta, ct_visibility_header *header)
{
    header->projected = meta->phase_centre != NULL;
    header->centre[1] = 90 * DEGREE;
    if (!header->projected) return;
    header->centre[0] = meta->phase_centre[0] * DEGREE;
    header->centre[1] = meta->phase_centre[1] * DEGREE;
}

/* Whether directions on the sky can be computed is said before anything is written. */
static ct_status check_sky(const ct_step *step, const char *format, ct_error *err)
{
    const ct_meta *meta = &step->port[X].meta;
    ct_visibility_header header = {0};
    ct_visibility_axes axes;
    (void)format;
    ct_visibility_phase(meta, &header);
    ct_status status = ct_visibility_site_of(step, &header.site, err);
    if (status == CT_OK)
        status = ct_visibility_axes_at(step, &header, meta->start_mjd, meta->start_s, &axes, err);
    return status;
}

ct_status ct_visibility_check(const ct_step *step, const char *format, ct_error *err)
{
    static ct_status (*const checks[])(const ct_step *, const char *, ct_error *) = {
        check_products, check_baselines, check_stations, check_known, check_counts, check_sky};
    ct_status status = CT_OK;
    for (size_t i = 0; status == CT_OK && i < sizeof checks / sizeof checks[0]; i++)
        status = checks[i](step, format, err);
    return status;
}

/* lofar_bf_check.c: whether an array and its pipeline say all that LOFAR's files have to; and which
 * files these are.
 * Room: io/lofar_bf. Knows ports and parameters. Does not know HDF5. */
#include "beam_names.h"
#include "lofar_bf_ports.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

bool ct_lofar_bf_voltages(const ct_array *in)
{
    return ct_type_complex(in->type);
}

int64_t ct_lofar_bf_sets(const ct_array *in)
{
    return ct_lofar_bf_voltages(in) ? 2 * ct_array_extent(in, 'P') : ct_array_extent(in, 'Q');
}

/* One product without a name is the total intensity. */
int ct_lofar_bf_component(const ct_array *in, int64_t set)
{
    const ct_product *product = ct_array_product(in, set);
    int component = ct_array_extent(in, 'Q') == 1 ? 0 : -1;
    if (ct_lofar_bf_voltages(in)) return CT_LOFAR_BF_VOLTS + (int)set;
    if (product) (void)ct_lofar_bf_component_find(product->name, &component);
    return component;
}

static ct_status check_dimensions(const ct_step *step, ct_error *err)
{
    const ct_array *in = &step->port[CT_LOFAR_BF_X];
    const char *names = ct_lofar_bf_voltages(in) ? "BSPTC" : "BSTQC";
    for (int i = 0; i < in->rank; i++)
        if (!strchr(names, in->dim[i]))
            return ct_step_fail(
                step, NULL, err,
                "expected the dimensions T, C and perhaps B, S, and P of voltages or "
                "Q of power, found %s",
                in->dim);
    if (ct_array_find(in, 'T') < 0)
        return ct_step_fail(step, NULL, err, "expected the dimension T, found %s", in->dim);
    const int64_t sets = ct_lofar_bf_sets(in);
    if (sets <= CT_LOFAR_BF_PLANES) return CT_OK;
    return ct_step_fail(
        step, NULL, err,
        "LOFAR's files have at most %d components of a beam: expected %s, found %lld",
        CT_LOFAR_BF_PLANES, ct_lofar_bf_voltages(in) ? "1 or 2 polarizations" : "1 to 4 along Q",
        (long long)(ct_lofar_bf_voltages(in) ? sets / 2 : sets));
}

static ct_status check_components(const ct_step *step, ct_error *err)
{
    const ct_array *in = &step->port[CT_LOFAR_BF_X];
    if (ct_lofar_bf_voltages(in) && ct_array_feed(in) == CT_FEED_CIRCULAR)
        return ct_step_fail(step, NULL, err,
                            "LOFAR's files have voltages of receptors X and Y: expected linear "
                            "receptors, found circular ones");
    if (ct_lofar_bf_component(in, 0) >= 0) return CT_OK;
    return ct_step_fail(step, NULL, err,
                        "LOFAR's files name what is along Q, not known here: give the source "
                        "products, as in \"IQUV\"");
}

double ct_lofar_bf_width(const ct_meta *meta)
{
    if (meta->channel_width_hz > 0 || meta->frequencies < 2) return meta->channel_width_hz;
    return fabs(meta->frequency_hz[1] - meta->frequency_hz[0]);
}

static ct_status check_known(const ct_step *step, ct_error *err)
{
    const ct_array *in = &step->port[CT_LOFAR_BF_X];
    const ct_meta *meta = &in->meta;
    const struct {
        bool known;
        const char *what, *key;
    } rows[] = {{meta->sample_time_s > 0, "the time between samples", "sample_time_s"},
                {meta->start_mjd > 0, "the date", "start_mjd"},
                {meta->frequency_hz && meta->frequencies == ct_array_extent(in, 'C') &&
                     ct_lofar_bf_width(meta) > 0,
                 "the channels' frequencies and width", "frequency_hz and channel_width_hz"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!rows[i].known)
            return ct_step_fail(step, NULL, err,
                                "LOFAR's files need %s, not known here: give the source %s",
                                rows[i].what, rows[i].key);
    const bool down = meta->frequencies > 1 && meta->frequency_hz[1] < meta->frequency_hz[0];
    for (int64_t c = 1; c < meta->frequencies; c++)
        if (meta->frequency_hz[c] == meta->frequency_hz[c - 1] ||
            (meta->frequency_hz[c] < meta->frequency_hz[c - 1]) != down)
            return ct_step_fail(
                step, NULL, err,
                "expected channels in the order of their frequencies, found channel "
                "%lld at %.9g Hz after %.9g Hz",
                (long long)c, meta->frequency_hz[c], meta->frequency_hz[c - 1]);
    return CT_OK;
}

static ct_status check_radec(const ct_step *step, ct_error *err)
{
    const ct_value *list = ct_step_value(step, "radec");
    const int64_t beams = ct_beam_names_count(&step->port[CT_LOFAR_BF_X]);
    if (!list) return CT_OK;
    if (ct_value_kind(list) != CT_LIST || (int64_t)ct_value_count(list) != beams)
        return ct_step_fail(step, "radec", err, "expected a list of %lld pairs, one for each beam",
                            (long long)beams);
    for (int64_t b = 0; b < beams; b++) {
        const ct_value *pair = ct_value_at(list, (size_t)b);
        const double ra = ct_value_real(ct_value_at(pair, 0), NAN);
        const double dec = ct_value_real(ct_value_at(pair, 1), NAN);
        if (ct_value_count(pair) != 2 || !(fabs(ra) <= 360) || !(fabs(dec) <= 90))
            return ct_step_fail(step, "radec", err,
                                "beam %lld: expected [right ascension, declination] in degrees",
                                (long long)b);
    }
    return CT_OK;
}

static ct_status check_attributes(const ct_step *step, ct_error *err)
{
    const ct_value *given = ct_step_value(step, "attributes");
    if (given && ct_value_kind(given) != CT_OBJECT)
        return ct_step_fail(step, "attributes", err, "expected {\"PROJECT_ID\": \"..\", ..}");
    for (size_t i = 0; i < ct_value_count(given); i++) {
        const char *key = ct_value_key(given, i);
        size_t k = 0;
        while (ct_lofar_bf_given[k] && strcmp(ct_lofar_bf_given[k], key) != 0)
            k++;
        const char *nearest = ct_suggest_nearest(key, ct_lofar_bf_given);
        if (!ct_lofar_bf_given[k])
            return ct_step_fail(step, "attributes", err,
                                "expected names as PROJECT_ID or ANTENNA_SET, found \"%s\"%s%s%s",
                                key, nearest ? "; did you mean \"" : "", nearest ? nearest : "",
                                nearest ? "\"?" : "");
        if (!ct_value_text(ct_value_at(given, i), NULL))
            return ct_step_fail(step, "attributes", err, "%s: expected a text", key);
    }
    return CT_OK;
}

static ct_status check_subbands(const ct_step *step, ct_error *err)
{
    const int64_t given = ct_step_int(step, "subband_channels");
    const int64_t channels = ct_array_extent(&step->port[CT_LOFAR_BF_X], 'C');
    if (given < 1 || channels % given == 0) return CT_OK;
    return ct_step_fail(step, "subband_channels", err,
                        "expected a number that divides the %lld channels, found %lld",
                        (long long)channels, (long long)given);
}

static ct_status check_file(const ct_step *step, ct_error *err)
{
    const char *file = ct_step_path(step, "file"), *dot = strrchr(file, '.');
    if (!ct_step_bool(step, "raw") || !dot || strcmp(dot, ".raw") != 0) return CT_OK;
    return ct_step_fail(step, "file", err,
                        "expected a name that does not end in .raw, which the samples get");
}

ct_status ct_lofar_bf_check(ct_step *step, ct_error *err)
{
    static ct_status (*const checks[])(const ct_step *, ct_error *) = {
        check_dimensions, check_components, check_known, check_radec,
        check_attributes, check_subbands,   check_file};
    ct_status status = CT_OK;
    if (!ct_lofar_bf_there()) return ct_step_fail(step, NULL, err, CT_LOFAR_BF_NONE);
    for (size_t i = 0; status == CT_OK && i < sizeof checks / sizeof checks[0]; i++)
        status = checks[i](step, err);
    return status;
}

/* sidecar_sky.c: of the JSON file beside an array, what says where on Earth and sky it is from: the
 * observation, and which station pairs stand along an axis; see sidecar.h.
 * Room: io/shared. Knows JSON's syntax. Does not know formats. */
#include "sidecar.h"
#include "sidecar_put.h"
#include <string.h>

static ct_status put_position(ct_output *out, const double at[3], ct_error *err)
{
    char x[CT_NUMBER_TEXT], y[CT_NUMBER_TEXT], z[CT_NUMBER_TEXT];
    return ct_output_print(out, err, "[%s, %s, %s]", ct_number_shortest(x, at[0], false),
                           ct_number_shortest(y, at[1], false),
                           ct_number_shortest(z, at[2], false));
}

static ct_status put_stations(ct_output *out, const ct_observation *said, ct_error *err)
{
    ct_status status = CT_OK;
    for (int64_t s = 0; status == CT_OK && s < said->stations; s++) {
        status = ct_output_print(out, err, s ? ", " : ",\n  \"stations\": [");
        if (status == CT_OK) status = put_position(out, said->station[s], err);
    }
    return status == CT_OK && said->stations > 0 ? ct_output_print(out, err, "]") : status;
}

static ct_status put_names(ct_output *out, const char *const *names, ct_error *err)
{
    ct_status status = CT_OK;
    for (size_t n = 0; status == CT_OK && names && names[n]; n++) {
        status = ct_output_print(out, err, n ? ", " : ",\n  \"names\": [");
        if (status == CT_OK) status = ct_sidecar_quote(out, names[n], err);
    }
    return status == CT_OK && names ? ct_output_print(out, err, "]") : status;
}

static ct_status put_number(ct_output *out, const char *key, const double *number, ct_error *err)
{
    char text[CT_NUMBER_TEXT];
    if (!number) return CT_OK;
    return ct_output_print(out, err, ",\n  \"%s\": %s", key,
                           ct_number_shortest(text, *number, false));
}

static ct_status put_text(ct_output *out, const char *key, const char *text, ct_error *err)
{
    if (!text) return CT_OK;
    ct_status status = ct_output_print(out, err, ",\n  \"%s\": ", key);
    return status == CT_OK ? ct_sidecar_quote(out, text, err) : status;
}

/* In the form in which a pipeline says it; the site is always there where anything is. */
static ct_status put_observation(ct_output *out, const ct_observation *said, ct_error *err)
{
    ct_status status = CT_OK;
    if (!said->site) return CT_OK;
    status = ct_output_print(out, err, ",\n \"observation\": {\n  \"site\": ");
    if (status == CT_OK) status = put_position(out, said->site, err);
    if (status == CT_OK) status = put_stations(out, said, err);
    if (status == CT_OK) status = put_names(out, said->names, err);
    if (status == CT_OK) status = put_number(out, "ra_deg", said->radec, err);
    if (status == CT_OK)
        status = put_number(out, "dec_deg", said->radec ? said->radec + 1 : NULL, err);
    if (status == CT_OK) status = put_number(out, "dut1_s", said->dut1_s, err);
    if (status == CT_OK) status = put_text(out, "telescope", said->telescope, err);
    if (status == CT_OK) status = put_text(out, "source_name", said->source_name, err);
    return status == CT_OK ? ct_output_print(out, err, "}") : status;
}

/* Station pairs in the order of L: [i, j], i <= j, as the correlator makes them. */
static ct_status put_baselines(ct_output *out, int64_t count, ct_error *err)
{
    ct_status status = ct_output_print(out, err, ",\n \"baselines\": [");
    int64_t i = 0, j = 0;
    for (int64_t l = 0; status == CT_OK && l < count; l++) {
        status =
            ct_output_print(out, err, "%s[%lld, %lld]", l ? ", " : "", (long long)i, (long long)j);
        i = i == j ? 0 : i + 1;
        if (i == 0) j++;
    }
    return status == CT_OK ? ct_output_print(out, err, "]") : status;
}

ct_status ct_sidecar_put_sky(ct_output *out, const ct_array *array, const ct_observation *said,
                             ct_error *err)
{
    ct_status status = put_observation(out, said, err);
    const int64_t baselines = ct_array_find(array, 'L') < 0 ? 0 : ct_array_extent(array, 'L');
    const double *centre = array->meta.phase_centre;
    char ra[CT_NUMBER_TEXT], dec[CT_NUMBER_TEXT];
    if (status == CT_OK && centre)
        status = ct_output_print(out, err, ",\n \"phase_centre_deg\": [%s, %s]",
                                 ct_number_shortest(ra, centre[0], false),
                                 ct_number_shortest(dec, centre[1], false));
    if (status == CT_OK && baselines > 0) status = put_baselines(out, baselines, err);
    if (status == CT_OK) status = ct_sidecar_put_products(out, array, err);
    return status;
}

/* sidecar_write.c: the JSON file beside an array's data; see sidecar.h.
 * Room: io/shared. Knows JSON's syntax and ct_meta. Does not know formats. */
#include "sidecar.h"
#include "sidecar_put.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ct_status sidecar_put_real(ct_output *out, const char *key, double value, ct_error *err)
{
    char text[CT_NUMBER_TEXT];
    const bool says =
        value != 0 || strcmp(key, "start_s") == 0; /* without it it is half a sample */
    if (!says) return CT_OK;
    return ct_output_print(out, err, ",\n \"%s\": %s", key, ct_number_shortest(text, value, false));
}

/* The character that is no letter here: one that moves others (U+0080 to U+009F, U+2000 to U+2FFF,
 * U+FEFF) in UTF-8, else a byte of Latin-1, as old headers have it. */
static unsigned sidecar_code(const unsigned char *at, int *bytes)
{
    const bool two = at[0] == 0xc2 && (at[1] & 0xc0) == 0x80;
    const bool three = (at[0] == 0xe2 && (at[1] & 0xc0) == 0x80 && (at[2] & 0xc0) == 0x80) ||
                       (at[0] == 0xef && at[1] == 0xbb && at[2] == 0xbf);
    *bytes = two ? 2 : three ? 3 : 1;
    if (two) return at[1];
    return three ? (at[0] & 0x0fu) << 12 | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu) : at[0];
}

ct_status ct_sidecar_quote(ct_output *out, const char *text, ct_error *err)
{
    ct_status status = ct_output_print(out, err, "\"");
    while (status == CT_OK && *text) {
        int bytes = ct_text_letter(text);
        const char *escape = *text == '"' || *text == '\\' ? "\\" : "";
        if (bytes > 0)
            status = ct_output_print(out, err, "%s%.*s", escape, bytes, text);
        else
            status = ct_output_print(out, err, "\\u%04x",
                                     sidecar_code((const unsigned char *)text, &bytes));
        text += bytes;
    }
    return status == CT_OK ? ct_output_print(out, err, "\"") : status;
}

static ct_status sidecar_put_text(ct_output *out, const char *key, const char *text, ct_error *err)
{
    if (!text) return CT_OK;
    const ct_status status = ct_output_print(out, err, ",\n \"%s\": ", key);
    return status == CT_OK ? ct_sidecar_quote(out, text, err) : status;
}

static ct_status sidecar_put_list(ct_output *out, const char *key, const double *reals,
                                  const int64_t *integers, int64_t count, ct_error *err)
{
    char text[CT_NUMBER_TEXT];
    if (!reals && !integers) return CT_OK;
    ct_status status = ct_output_print(out, err, ",\n \"%s\": [", key);
    for (int64_t i = 0; status == CT_OK && i < count; i++) {
        double value = reals ? reals[i] : (double)integers[i];
        status = ct_output_print(out, err, "%s%s", i ? ", " : "",
                                 ct_number_shortest(text, value, false));
    }
    return status == CT_OK ? ct_output_print(out, err, "]") : status;
}

static ct_status sidecar_put_shape(ct_output *out, const ct_array *array, const ct_layout *layout,
                                   int64_t total, ct_error *err)
{
    ct_status status =
        ct_output_print(out, err, "{\"dims\": \"%s\",\n \"type\": \"%s\",\n \"sizes\": [",
                        layout->dim, ct_type_name(array->type));
    for (int i = 0; status == CT_OK && i < layout->rank; i++) {
        char dim = layout->dim[i];
        long long extent = dim == 'T' ? total : ct_array_extent(array, dim);
        status = ct_output_print(out, err, "%s%lld", i ? ", " : "", extent);
    }
    return status == CT_OK ? ct_output_print(out, err, "]") : status;
}

/* A list is written only where it has a value for each index: nothing else could be read back. */
static ct_status sidecar_put_lists(ct_output *out, const ct_array *array, ct_error *err)
{
    const ct_meta *meta = &array->meta;
    ct_status status = CT_OK;
    if (meta->frequencies == ct_array_extent(array, 'C') * ct_array_extent(array, 'F'))
        status =
            sidecar_put_list(out, "frequency_hz", meta->frequency_hz, NULL, meta->frequencies, err);
    if (meta->dms != ct_array_extent(array, 'D')) return status;
    if (status == CT_OK) status = sidecar_put_list(out, "dm", meta->dm, NULL, meta->dms, err);
    if (status == CT_OK)
        status = sidecar_put_list(out, "downsample", NULL, meta->downsample, meta->dms, err);
    if (status == CT_OK && meta->subbands > 0)
        status = ct_output_print(out, err, ",\n \"subbands\": %lld,\n \"smear\": %lld",
                                 (long long)meta->subbands, (long long)meta->smear);
    return status;
}

static ct_status sidecar_put_meta(ct_output *out, const ct_meta *meta, ct_error *err)
{
    const struct {
        const char *key;
        double value;
    } reals[] = {{"sample_time_s", meta->sample_time_s},
                 {"start_s", meta->start_s},
                 {"start_mjd", meta->start_mjd},
                 {"channel_width_hz", meta->channel_width_hz},
                 {"src_raj", meta->src_raj},
                 {"src_dej", meta->src_dej}};
    ct_status status = CT_OK;
    for (size_t i = 0; status == CT_OK && i < sizeof reals / sizeof reals[0]; i++)
        status = sidecar_put_real(out, reals[i].key, reals[i].value, err);
    if (status == CT_OK) status = sidecar_put_text(out, "source_name", meta->source_name, err);
    if (status == CT_OK) status = sidecar_put_text(out, "telescope", meta->telescope, err);
    return status;
}

ct_status ct_sidecar_check(ct_step *step, const char *data_file, ct_error *err)
{
    ct_value *root = NULL;
    char file[CT_SIDECAR_NAME];
    ct_sidecar_name(file, data_file);
    if (access(file, F_OK) != 0) return CT_OK;
    const bool ours = ct_value_load(&root, file, NULL) == CT_OK && ct_value_get(root, "dims");
    ct_value_free(root);
    if (ours) return CT_OK;
    return ct_step_fail(step, "file", err,
                        "expected a name beside which %s can be written, found that file there "
                        "already: it describes no array",
                        file);
}

ct_status ct_sidecar_write(ct_output *out, const ct_array *array, const ct_layout *layout,
                           int64_t total, const ct_step *step, ct_error *err)
{
    ct_status status = sidecar_put_shape(out, array, layout, total, err);
    if (status == CT_OK) status = sidecar_put_meta(out, &array->meta, err);
    if (status == CT_OK) status = sidecar_put_lists(out, array, err);
    if (status == CT_OK) status = ct_sidecar_put_sky(out, array, ct_step_observation(step), err);
    if (status == CT_OK)
        status = sidecar_put_text(out, "incomplete", ct_step_incomplete(step), err);
    return status == CT_OK ? ct_output_print(out, err, "}\n") : status;
}

/* describe.c: what there is: devices, and what a data file holds.
 * Room: core. Knows which source reads which file. Does not know file formats.
 * Called by: cli (`info`), through cornerturn.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "fail.h"
#include "memory.h"
#include "step.h"
#include "text.h"

ct_status ct_describe_devices(char **out, ct_error *err)
{
    ct_text text = {0};
    const ct_status status = ct_device_list(&text, err);
    *out = status == CT_OK ? ct_text_take(&text) : NULL;
    ct_text_free(&text);
    return status;
}

typedef struct ct_magic {
    size_t at, length;
    const char *bytes, *stage;
} ct_magic;

static const ct_magic ct_describe_magics[] = {
    {0, 6, "\x93NUMPY", "source.npy"},
    {4, 12, "HEADER_START", "source.sigproc"},
};

/* Station packets have no magic number, so they are what is left. */
static ct_status ct_describe_format(const char **stage, const char *file, ct_error *err)
{
    char head[64] = {0};
    FILE *in = fopen(file, "rb");
    const size_t got = in != NULL ? fread(head, 1, sizeof head, in) : 0;
    if (in == NULL || ferror(in)) {
        const int code = errno;
        if (in != NULL) fclose(in);
        return ct_error_add(err, CT_DATA, "%s: cannot be read: %s", file, strerror(code));
    }
    fclose(in);
    *stage = "source.lofar";
    for (size_t i = 0; i < sizeof ct_describe_magics / sizeof ct_describe_magics[0]; i++) {
        const ct_magic *m = &ct_describe_magics[i];
        if (got >= m->at + m->length && memcmp(head + m->at, m->bytes, m->length) == 0)
            *stage = m->stage;
    }
    return CT_OK;
}

static void ct_describe_frequencies(ct_text *text, const ct_meta *meta)
{
    if (meta->frequency_hz == NULL || meta->frequencies < 1) return;
    const double first = meta->frequency_hz[0] / 1e6;
    const double last = meta->frequency_hz[meta->frequencies - 1] / 1e6;
    if (meta->frequencies == 1)
        ct_text_add(text, "frequency    %.9g MHz\n", first);
    else
        ct_text_add(text, "frequency    %.9g to %.9g MHz\n", first, last);
    if (meta->channel_width_hz != 0.0)
        ct_text_add(text, "width        %.9g kHz\n", meta->channel_width_hz / 1e3);
}

static void ct_describe_meta(ct_text *text, const ct_meta *meta)
{
    if (meta->sample_time_s > 0.0) {
        ct_text_add(text, "sample time  %.9g us\n", meta->sample_time_s * 1e6);
        if (meta->total > 0)
            ct_text_add(text, "length       %.9g s\n", (double)meta->total * meta->sample_time_s);
    }
    ct_describe_frequencies(text, meta);
    if (meta->start_mjd > 0.0) ct_text_add(text, "start        MJD %.12g\n", meta->start_mjd);
    if (meta->source_name != NULL) ct_text_add(text, "source       %s\n", meta->source_name);
    if (meta->telescope != NULL) ct_text_add(text, "telescope    %s\n", meta->telescope);
}

static void ct_describe_array(ct_text *text, const ct_array *array)
{
    ct_text_add(text, "type         %s\nlayout       %s\n", ct_type_name(array->type),
                array->layout.rank > 0 ? array->layout.dim : "any");
    for (int i = 0; i < array->rank; i++) {
        const bool time = array->dim[i] == 'T' && array->meta.total >= 0;
        ct_text_add(text, "%-12s %lld\n", ct_dim_name(array->dim[i]),
                    (long long)(time ? array->meta.total : array->extent[i]));
    }
    ct_describe_meta(text, &array->meta);
}

static ct_status ct_describe_step(ct_text *text, const ct_stage *stage, const char *file,
                                  ct_error *err)
{
    ct_status status = CT_OK;
    ct_text json = {0};
    ct_value *given = NULL;
    ct_step *step = NULL;
    static const char *const known[] = {NULL};
    ct_text_add(&json, "{\"file\": ");
    ct_text_add_json(&json, file);
    ct_text_add(&json, "}");
    CT_TRY(ct_value_parse(&given, json.data, file, err));
    CT_TRY(ct_step_new(&step, stage, file, given, known, NULL, err));
    CT_TRY(ct_step_infer(step, err));
    ct_text_add(text, "%s: read by %s\n", file, stage->name);
    ct_describe_array(text, &step->port[0]);
out:
    ct_step_free(step);
    ct_value_free(given);
    ct_text_free(&json);
    return status;
}

ct_status ct_describe_file(char **out, ct_context *context, const char *file, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text text = {0};
    const char *name = NULL;
    *out = NULL;
    CT_TRY(ct_describe_format(&name, file, err));
    const ct_stage *stage = ct_context_stage(context, name);
    if (stage == NULL) {
        status =
            ct_error_add(err, CT_DATA, "%s: stage %s, which reads it, is not here", file, name);
        goto out;
    }
    CT_TRY(ct_describe_step(&text, stage, file, err));
    *out = ct_text_take(&text);
out:
    ct_text_free(&text);
    return status;
}

/* plot_source.c: the array that a file holds, by the source stage of its format.
 * Room: plot. Knows steps and sources. Does not know headers. */
#include <string.h>

#include "magic.h"
#include "plot_inner.h"
#include "sidecar.h"

static const ct_format *find_raw(void)
{
    for (int i = 0; ct_formats[i]; i++)
        if (ct_formats[i]->source && strcmp(ct_formats[i]->source->name, "source.raw") == 0)
            return ct_formats[i];
    return NULL;
}

/* Whether there is a description beside a file; its name either way. */
static ct_status is_described(bool *out, char beside[CT_SIDECAR_NAME], const char *file,
                              ct_error *err)
{
    ct_value *root = NULL;
    const ct_status status = ct_sidecar_load(&root, beside, file, err);
    *out = root != NULL;
    ct_value_free(root);
    return status;
}

/* The source that reads such a file. */
static ct_status source_stage(const ct_stage **out, const ct_plot *plot, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_format *format = NULL;
    ct_input *in = ct_memory_get(sizeof *in);
    CT_NEED(in, sizeof *in, err);
    in->fd = -1;
    CT_TRY(ct_input_open(in, plot->file, err));
    CT_TRY(ct_magic_format(&format, in, err));
    const char *kind = ct_magic_find(in);
    if (!format && !kind) {
        char beside[CT_SIDECAR_NAME];
        bool described = false;
        CT_TRY(is_described(&described, beside, plot->file, err));
        if (described) format = find_raw();
    }
    if (!format || !format->source)
        CT_TRY(
            ct_error_add(err, CT_DATA,
                         "%s: expected data, candidates or a pipeline, found %s; 'cornerturn info "
                         "%s' may know more",
                         plot->file, kind ? kind : "none that is known", plot->file));
    *out = format->source;
out:
    if (in) ct_input_close(in);
    ct_memory_free(in);
    return status;
}

static bool has_param(const ct_stage *stage, const char *name)
{
    for (const ct_param *param = stage->params; param && param->name; param++)
        if (strcmp(param->name, name) == 0) return true;
    return false;
}

static ct_status check_dims(const ct_stage *stage, const ct_plot *plot, ct_error *err)
{
    ct_status status = CT_OK;
    char beside[CT_SIDECAR_NAME];
    bool described = false;
    if (plot->options->dims || !has_param(stage, "dims")) return CT_OK;
    CT_TRY(is_described(&described, beside, plot->file, err));
    if (!described)
        CT_TRY(
            ct_error_add(err, CT_DATA,
                         "%s: expected a description of its dimensions in %s, or --dims with them, "
                         "slowest first, such as --dims TC",
                         plot->file, beside));
out:
    return status;
}

static ct_status source_given(ct_value **out, const ct_stage *stage, const ct_plot *plot,
                              ct_error *err)
{
    ct_status status = CT_OK;
    ct_text text = {0};
    const char *dims = plot->options->dims;
    CT_TRY(check_dims(stage, plot, err));
    if (dims && !has_param(stage, "dims"))
        CT_TRY(ct_error_add(
            err, CT_USAGE,
            "%s: --dims is for numbers without names of dimensions; this file has them",
            plot->file));
    ct_text_add(&text, "{\"%s\": ", has_param(stage, "file") ? "file" : "files");
    ct_text_add_json(&text, plot->file);
    if (dims) {
        ct_text_add(&text, ", \"dims\": ");
        ct_text_add_json(&text, dims);
    }
    ct_text_add(&text, "}");
    CT_TRY(ct_text_check(&text, err));
    CT_TRY(ct_value_parse(out, text.data, plot->file, err));
out:
    ct_text_free(&text);
    return status;
}

ct_status ct_plot_source_find(ct_plot_source *out, const ct_plot *plot, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_stage *stage = NULL;
    *out = (ct_plot_source){0};
    CT_TRY(source_stage(&stage, plot, err));
    CT_TRY(source_given(&out->given, stage, plot, err));
    CT_TRY(ct_step_new(&out->step, stage, "plot", out->given, NULL, NULL, err));
    CT_TRY(ct_step_infer(out->step, err));
    out->array = out->step->port[0];
    const int t = ct_array_find(&out->array, 'T');
    if (t < 0 || out->array.meta.total < 0)
        CT_TRY(ct_error_add(err, CT_DATA,
                            "%s: its length is not known before it is read: copy it to a file with "
                            "'cornerturn run', and plot that",
                            plot->file));
    out->array.extent[t] = out->array.meta.total;
    if (ct_array_count(&out->array) <= 0)
        CT_TRY(ct_error_add(err, CT_DATA, "%s: there are no samples in it", plot->file));
out:
    return status;
}

ct_status ct_plot_source_open(ct_plot_source *source, ct_error *err)
{
    const ct_status status = source->step->stage->io.open(source->step, &source->state, err);
    source->opened = source->state != NULL;
    return status;
}

void ct_plot_source_close(ct_plot_source *source)
{
    if (source->opened) (void)source->step->stage->io.close(source->state, false, NULL);
    ct_step_free(source->step);
    ct_value_free(source->given);
}

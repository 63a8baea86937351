/* plot.c: a picture of a file: which picture, by what the file is.
 * Room: plot. Knows what can be shown. Does not know how. */
#include <string.h>

#include "input.h"
#include "plot_inner.h"
#include "struct_version.h"
#include "uvh5_view.h"

void ct_plot_name(ct_text *text, const ct_meta *meta)
{
    if (meta->source_name && *meta->source_name) ct_text_add(text, "%s", meta->source_name);
    if (meta->telescope && *meta->telescope)
        ct_text_add(text, "%s%s", text->length ? ", " : "", meta->telescope);
}

/* Without folders. */
static const char *last_of(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash && slash[1] ? slash + 1 : file;
}

double ct_plot_title(ct_canvas *canvas, const ct_plot *plot, const char *title, const char *below)
{
    ct_canvas_print(canvas, 92, 22, CT_ANCHOR_START, CT_COLOUR_INK, "%s%s%s", last_of(plot->file),
                    *title ? ": " : "", title);
    ct_canvas_text(canvas, 92, 40, CT_ANCHOR_START, false, CT_COLOUR_GREY, below);
    return 56;
}

static ct_status plot_array(ct_plot *plot, ct_error *err)
{
    ct_status status = CT_OK;
    ct_plot_source source;
    ct_plot_choice choice;
    ct_plot_grid grid = {0};
    CT_TRY(ct_plot_source_find(&source, plot, err));
    if (plot->options->directions) {
        CT_TRY(ct_plot_array_beams(plot, &source, err));
        goto out;
    }
    CT_TRY(ct_plot_choose(&choice, &source.array, plot, err));
    CT_TRY(ct_plot_grid_new(&grid, source.array.meta.total, choice.rows, CT_PLOT_COLUMNS,
                            CT_PLOT_ROWS, err));
    grid.largest = plot->options->largest;
    CT_TRY(ct_plot_grid_read(&grid, &source, &choice, err));
    if (grid.columns > 1 && grid.rows > 1)
        CT_TRY(ct_plot_waterfall(plot, &source, &choice, &grid, err));
    else
        CT_TRY(ct_plot_profile(plot, &source, &choice, &grid, err));
out:
    ct_plot_grid_free(&grid);
    ct_plot_source_close(&source);
    return status;
}

static ct_status plot_json(ct_plot *plot, ct_error *err)
{
    ct_status status = CT_OK;
    ct_value *root = NULL;
    CT_TRY(ct_value_load(&root, plot->file, err));
    if (ct_value_get(root, "nodes") && ct_value_get(root, "cornerturn"))
        status = ct_plot_pipeline(plot, err);
    else if (ct_value_get(root, "beams") && ct_value_get(root, "best"))
        status = ct_plot_candidates(plot, root, err);
    else
        status = ct_error_add(err, CT_DATA,
                              "%s: expected data, candidates or a pipeline, found other JSON; "
                              "'cornerturn info %s' may know it",
                              plot->file, plot->file);
out:
    ct_value_free(root);
    return status;
}

/* The file's first letters, without blanks before them. */
static ct_status plot_head(char out[64], const ct_plot *plot, ct_error *err)
{
    ct_status status = CT_OK;
    char head[64] = "";
    ct_input *in = ct_memory_get(sizeof *in);
    CT_NEED(in, sizeof *in, err);
    in->fd = -1;
    CT_TRY(ct_input_open(in, plot->file, err));
    CT_TRY(ct_input_read(in, 0, head, in->size < 63 ? (size_t)in->size : 63, err));
    memcpy(out, head, 64);
    const size_t blanks = strspn(head, " \t\r\n");
    memmove(out, out + blanks, 64 - blanks);
out:
    if (in) ct_input_close(in);
    ct_memory_free(in);
    return status;
}

static ct_status plot_any(ct_plot *plot, ct_error *err)
{
    char head[64] = "";
    const ct_status status = plot_head(head, plot, err);
    if (status != CT_OK) return status;
    if (head[0] == '{') return plot_json(plot, err);
    if (strncmp(head, "DM,Sigma,Time,Sample,Downfact,Beam", 34) == 0)
        return ct_plot_candidates(plot, NULL, err);
    if (memcmp(head, "\x89HDF\r\n\x1a\n", 8) == 0 && ct_uvh5_view_is(plot->file))
        return ct_plot_visibilities(plot, err);
    return plot_array(plot, err);
}

ct_status ct_plot_file(char **said, ct_context *context, const char *file, const char *picture,
                       const ct_plot_options *options, ct_error *err)
{
    static const ct_struct_version kind = CT_STRUCT_VERSION(ct_plot_options, size);
    static const ct_plot_options none = {.size = sizeof none};
    ct_status status = CT_OK;
    ct_plot_options known;
    ct_plot plot = {.file = file, .out = picture, .options = &known, .context = context};
    CT_GIVEN_OUT(err, said, context, file, picture);
    CT_TRY(ct_struct_take(&known, &kind, options ? options : &none, err));
    CT_TRY(ct_canvas_check(picture, err));
    CT_TRY(plot_any(&plot, err));
    CT_TRY(ct_text_take(said, &plot.said, err));
out:
    ct_text_free(&plot.said);
    return status;
}

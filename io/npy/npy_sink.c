/* npy_sink.c: sink.npy: an array in a .npy file, axes in the sink's layout, and a JSON file beside
 * it with what .npy cannot say.
 * Room: io/npy. Knows the .npy header. Does not know graphs. */
#include "array_sink.h"
#include "npy.h"
#include "params.h"
#include <string.h>

static const ct_param sink_params[] = {{"file", CT_PARAM_FILE, "!", ".json", 0, 0,
                                        "the .npy file to write; name.npy.json is written too"},
                                       CT_ARRAY_SINK_GATHER,
                                       {0}};

static size_t npy_header(char *out, size_t size, const ct_array *array, const ct_layout *layout,
                         int64_t total)
{
    int64_t shape[CT_DIMS];
    for (int i = 0; i < layout->rank; i++)
        shape[i] = layout->dim[i] == 'T' ? total : ct_array_extent(array, layout->dim[i]);
    return ct_npy_print(out, size, array->type, layout->rank, shape);
}

static ct_status npy_open(ct_step *step, void **state, ct_error *err)
{
    return ct_array_sink_open(step, npy_header, state, err);
}

/* A name that says another format is taken as it is, and others will not find what they expect. */
static ct_status npy_infer(ct_step *step, ct_error *err)
{
    static const struct {
        const char *ending, *use;
    } others[] = {{".h5", "sink.fbh5, sink.lofar_bf or sink.uvh5"},
                  {".hdf5", "sink.fbh5, sink.lofar_bf or sink.uvh5"},
                  {".fbh5", "sink.fbh5"},
                  {".uvh5", "sink.uvh5"},
                  {".ms", "sink.ms"},
                  {".fil", "sink.sigproc"},
                  {".tim", "sink.sigproc"},
                  {".sf", "sink.psrfits"},
                  {".fits", "sink.psrfits"},
                  {".dada", "sink.dada"},
                  {".dat", "sink.presto"},
                  {".raw", "sink.raw"},
                  {".csv", NULL},
                  {".txt", NULL}};
    const char *file = ct_step_path(step, "file"), *end = file + strlen(file);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const size_t length = strlen(others[i].ending);
        if ((size_t)(end - file) < length || strcmp(end - length, others[i].ending) != 0) continue;
        ct_step_warn(step, "sink.npy writes NumPy's .npy into %s, whatever its ending says%s%s",
                     ct_step_text(step, "file"), others[i].use ? "; for that there is " : "",
                     others[i].use ? others[i].use : "");
    }
    return ct_array_sink_infer(step, err);
}

const ct_stage ct_stage_sink_npy = {
    .api = CT_API,
    .version = 1,
    .name = "sink.npy",
    .summary = "writes an array as .npy, axes in the sink's layout, with a JSON file beside it",
    .ports = {{"X", CT_IN, 0, "*", CT_TYPES_ARRAY, "*", NULL, "any array"}},
    .params = sink_params,
    .split = "*",
    .infer = npy_infer,
    .traits = CT_STAGE_THREAD | CT_STAGE_MENDS,
    .io = CT_ARRAY_SINK_IO(npy_open),
};

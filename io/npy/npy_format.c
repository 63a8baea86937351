/* npy_format.c: how .npy files are recognized and described, and the stages that read and write
 * them.
 * Room: io/npy. Knows the .npy header. Does not know blocks. */
#include "describe_lines.h"
#include "format.h"
#include "npy.h"
#include <inttypes.h>

static ct_status npy_describe(FILE *out, ct_input *in, ct_error *err)
{
    ct_npy header;
    ct_status status = ct_npy_read(&header, in, err);
    if (status != CT_OK) return status;
    ct_describe_line(out, "format", "NumPy array");
    ct_describe_line(out, "numbers", "%s, %s axis fastest", header.descr,
                     header.fortran ? "first" : "last");
    fprintf(out, "%-18s", "shape");
    for (int i = 0; i < header.rank; i++)
        fprintf(out, "%s%" PRId64, i ? " x " : "", header.shape[i]);
    fputc('\n', out);
    return ct_describe_sidecar(out, in->file, err);
}

extern const ct_stage ct_stage_source_npy, ct_stage_sink_npy;
const ct_format ct_format_npy = {.name = ".npy",
                                 .is = ct_npy_is,
                                 .found = "a .npy file: use source.npy",
                                 .describe = npy_describe,
                                 .source = &ct_stage_source_npy,
                                 .sink = &ct_stage_sink_npy};

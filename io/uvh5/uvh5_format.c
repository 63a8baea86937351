/* uvh5_format.c: how UVH5 files are recognized and described, and the stage that writes them.
 * Room: io/uvh5. Knows what a file says. Does not know blocks. */
#include "describe_lines.h"
#include "format.h"
#include "uvh5_view.h"
#include <inttypes.h>
#include <string.h>

static bool uvh5_is(const uint8_t *start, size_t bytes)
{
    (void)bytes;
    return memcmp(start, "\x89HDF\r\n\x1a\n", 8) == 0;
}

static ct_status uvh5_describe(FILE *out, ct_input *in, ct_error *err)
{
    ct_uvh5_view view;
    char names[CT_PRODUCTS_TEXT];
    const ct_status status = ct_uvh5_view_open(&view, in->file, err);
    if (status != CT_OK) return status;
    ct_describe_line(out, "format", "UVH5 %s, HDF5", view.version);
    if (view.telescope[0]) ct_describe_line(out, "telescope", "%s", view.telescope);
    ct_describe_line(out, "rows",
                     "%" PRId64 ": %" PRId64 " baselines of %" PRId64 " stations, %" PRId64
                     " times",
                     view.rows, view.baselines, view.stations, view.times);
    ct_describe_line(out, "channels", "%" PRId64 ", centres %.6f to %.6f MHz", view.channels,
                     view.first_hz / 1e6, view.last_hz / 1e6);
    ct_describe_line(out, "products", "%" PRId64 "%s%s", view.products,
                     view.names.count ? ": " : "",
                     view.names.count ? ct_products_print(names, &view.names) : "");
    ct_uvh5_view_close(&view);
    return CT_OK;
}

extern const ct_stage ct_stage_sink_uvh5;
const ct_format ct_format_uvh5 = {
    .name = "UVH5",
    .is = uvh5_is,
    .holds = ct_uvh5_view_is,
    .found = "a UVH5 file, which no source reads; cornerturn plot draws it",
    .describe = uvh5_describe,
    .sink = &ct_stage_sink_uvh5};

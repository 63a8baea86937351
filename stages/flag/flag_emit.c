/* flag_emit.c: what the kernels are told before their text, and which of them there are.
 * Room: stages/flag. Knows how channels are compared. Does not know samples. */
#include "flag.h"
#include "flag_bins_cl.h"
#include "flag_bytes_cl.h"
#include "flag_channels_cl.h"
#include "flag_lanes_cl.h"
#include "flag_median_cl.h"
#include "flag_power_cl.h"

static void emit_file(ct_text *text, const char *name, const char *lines)
{
    ct_text_add(text, "#line 1 \"stages/flag/%s\"\n%s\n", name, lines);
}

static void emit_nearby(const ct_flag_nearby *of, ct_text *text)
{
    ct_text_add(
        text, "#define PART %lld\n#define PARTS %lld\n#define NEAR %lld\n#define MOST %lld\n",
        (long long)of->part, (long long)of->parts, (long long)of->near, (long long)of->most);
    ct_text_add(text, "#define LAGS %d\nconstant int LAG[] = {0", of->lags);
    for (int k = 0; k < of->lags; k++)
        ct_text_add(text, ", %lld", (long long)of->lag[k]);
    ct_text_add(text, "};\n");
}

ct_status ct_flag_emit(const ct_step *step, ct_text *text, ct_error *err)
{
    (void)err;
    emit_file(text, "flag_lanes.cl", flag_lanes_cl);
    if (!ct_flag_is_power(step)) return CT_OK;
    const ct_flag_nearby nearby = ct_flag_nearby_of(step);
    emit_nearby(&nearby, text);
    emit_file(text, "flag_median.cl", flag_median_cl);
    emit_file(text, "flag_bytes.cl", flag_bytes_cl);
    emit_file(text, "flag_bins.cl", flag_bins_cl);
    emit_file(text, "flag_power.cl", flag_power_cl);
    emit_file(text, "flag_channels.cl", flag_channels_cl);
    return CT_OK;
}

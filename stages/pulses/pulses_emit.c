/* pulses_emit.c: definitions before the kernel: how series are cut, as literals; and the text of
 * what it is made of. Room: stages/pulses. Knows lengths. Does not know layouts. */
#include <math.h>

#include "pulses.h"
#include "pulses_boxcars_cl.h"
#include "pulses_lanes_cl.h"
#include "pulses_noise_cl.h"
#include "pulses_series_cl.h"
#include "pulses_units_cl.h"

enum { MOST_LANES = 16 };

/* Own samples of the longest bin that does not end with a vector; 0: all do. */
static int64_t find_ragged(const ct_step *step)
{
    const pulses_cut *cut = step->state;
    int64_t longest = 0;
    for (int64_t d = 0; d < ct_array_extent(&step->port[PORT_X], 'D'); d++) {
        const int64_t each = cut->bin / ct_pulses_ratio(step, d);
        if (each % MOST_LANES != 0 && each > longest) longest = each;
    }
    return longest;
}

/* Of a sum of 1, 2, 4, .. samples, the S/N; and how many there are. */
static void emit_scales(const ct_step *step, ct_text *text)
{
    const int64_t widest = ct_step_int(step, "widest");
    int widths = 0;
    ct_text_add(text, "#define SCALES {");
    for (int64_t width = 1; width <= widest; width *= 2, widths++)
        ct_text_add(text, "%s%.9ef", width > 1 ? ", " : "", 1.0 / sqrt((double)width));
    ct_text_add(text, "}\n#define WIDTHS %d\n", widths);
}

ct_status ct_pulses_emit(const ct_step *step, ct_text *text, ct_error *err)
{
    const pulses_cut *cut = step->state;
    const double clip = ct_step_real(step, "clip");
    (void)err;
    ct_text_add(text, "#define BIN %lld\n#define PART %lld\n", (long long)cut->bin,
                (long long)cut->part);
    ct_text_add(text, "#define HALO %lld\n#define RAGGED %lld\n", (long long)cut->halo,
                (long long)find_ragged(step));
    ct_text_add(text, "#define GROUPS %d\n#define NEIGHBOURS %d\n#define MOST_UNLIKE %.9ef\n",
                PULSES_GROUPS, PULSES_NEIGHBOURS, PULSES_UNLIKE);
    ct_text_add(text, "#define CLIP %.9ef\n#define GAIN %.9ef\n", clip, ct_pulses_gain(clip));
    emit_scales(step, text);
    ct_text_add_sort(text, "SORT_WINDOW", 1, PULSES_WINDOW);
    if (ct_pulses_in_groups(step))
        ct_text_add_sort(text, "SORT_SPAN", 1, PULSES_WINDOW * PULSES_GROUPS);
    else
        ct_text_add_sort(text, "MERGE_WINDOWS", PULSES_WINDOW, 2 * PULSES_WINDOW);
    ct_text_add(text, "#line 1 \"stages/pulses/pulses_series.cl\"\n%s", pulses_series_cl);
    if (ct_pulses_in_groups(step)) {
        ct_pulses_group_emit(step, text);
        return CT_OK;
    }
    ct_text_add(text, "#define COARSE %lld\n", (long long)cut->coarse);
    ct_text_add(text, "#line 1 \"stages/pulses/pulses_lanes.cl\"\n%s", pulses_lanes_cl);
    ct_text_add(text, "#line 1 \"stages/pulses/pulses_units.cl\"\n%s", pulses_units_cl);
    ct_text_add(text, "#line 1 \"stages/pulses/pulses_noise.cl\"\n%s", pulses_noise_cl);
    ct_text_add(text, "#line 1 \"stages/pulses/pulses_boxcars.cl\"\n%s", pulses_boxcars_cl);
    return CT_OK;
}

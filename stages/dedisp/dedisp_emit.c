/* dedisp_emit.c: what dedisp.cl is told of ranges, and of the scratch that holds its input.
 * Room: stages/dedisp. Knows tiles, shifts and strides. Does not know parameters or the kernel's
 * text. */
#include "dedisp.h"
#include "dedisp_cells_cl.h"
#include "dedisp_count_cl.h"
#include "dedisp_group_cl.h"
#include "dedisp_share_cl.h"
#include "dedisp_sweep_cl.h"
#include "dedisp_vectors_cl.h"

int64_t ct_dedisp_samples(const ct_step *step, const dedisp_range *range)
{
    const dedisp_trials *trials = step->state;
    return ct_divide_up(ct_array_extent(&step->port[PORT_Y], 'T') * trials->finest,
                        range->downsample);
}

int64_t ct_dedisp_tiles(const ct_step *step, const dedisp_range *range)
{
    if (ct_step_tunable(step, "SHARE")) return ct_dedisp_share_panels(step->state, range);
    return ct_divide_up(range->count, ct_dedisp_panel_trials(step));
}

/* ---- definitions */

static void emit_ranges(const ct_step *step, ct_text *text)
{
    const dedisp_trials *trials = step->state;
    ct_text_add(text, "#define RANGES %lld\n", (long long)trials->ranges);
    ct_text_add(text, "enum { FIRST, LAST, TILES, SAMPLES, HOLD, LEVEL, COLUMNS };\n"
                      "constant int RANGE[RANGES][COLUMNS] = {\n");
    for (int64_t r = 0; r < trials->ranges; r++) {
        const dedisp_range *range = &trials->range[r];
        ct_text_add(text, "    {%lld, %lld, %lld, %lld, %lld, %lld},\n", (long long)range->first,
                    (long long)(range->first + range->count - 1),
                    (long long)ct_dedisp_tiles(step, range),
                    (long long)ct_dedisp_samples(step, range),
                    (long long)(range->downsample / trials->finest), (long long)range->level);
    }
    ct_text_add(text, "};\n#define HOLDS %d\n", trials->coarsest != trials->finest);
}

/* Ranges of one factor share a level: only the first of them names it. */
static bool names_level(const dedisp_trials *trials, int64_t r)
{
    for (int64_t k = 0; k < r; k++)
        if (trials->range[k].level == trials->range[r].level) return false;
    return true;
}

static void emit_levels(const ct_step *step, ct_text *text)
{
    const dedisp_trials *trials = step->state;
    int64_t samples = ct_array_extent(&step->port[PORT_X], 'T');
    ct_text_add(text, "#define SUM_SAMPLES %lld\n#define SUM_LEVELS(to, from, piece) do { \\\n",
                (long long)ct_dedisp_sum_samples(step));
    for (int64_t r = 0; r < trials->ranges; r++) {
        const dedisp_range *range = &trials->range[r];
        if (!names_level(trials, r)) continue;
        const int64_t end = range->level + ct_divide_up(samples, range->downsample);
        ct_text_add(text, "    sum_level(to, from, piece, %lld, %lld, %lld); \\\n",
                    (long long)range->level, (long long)end, (long long)range->downsample);
    }
    ct_text_add(text, "} while (0)\n");
}

/* On CPUs a work-item makes a long piece of a row, else a sample. */
int64_t ct_dedisp_sum_samples(const ct_step *step)
{
    return ct_step_tunable(step, "WG") > 1 ? 1 : 4096;
}

/* ---- time made contiguous */

/* R with X's dimensions: its B is X's beams (or stations) and Stokes parameters. */
static ct_array rows_as_input(const ct_step *step)
{
    const ct_array *x = &step->port[PORT_X], *rows = &step->port[PORT_R];
    const int64_t series = ct_array_stride(rows, 'B'), beam = series * ct_array_extent(x, 'Q');
    ct_array to = *x;
    to.offset = rows->offset;
    for (int k = 0; k < x->rank; k++)
        to.stride[k] = x->dim[k] == 'T'   ? ct_array_stride(rows, 'T')
                       : x->dim[k] == 'C' ? ct_array_stride(rows, 'C')
                       : x->dim[k] == 'Q' ? series
                                          : beam;
    return to;
}

/* Boxes through registers or, for a group, through local memory; see stages/transpose. */
static ct_transpose transpose_of(const ct_step *step, const ct_array *to)
{
    const bool group = ct_step_tunable(step, "WG") > 1;
    return (ct_transpose){.from = &step->port[PORT_X],
                          .to = to,
                          .along_from = group ? 1 : 16,
                          .along_to = 1,
                          .lines = group ? 1 : 2,
                          .group = group ? 256 : 1,
                          .nontemporal = !group};
}

void ct_dedisp_transpose_launch(const ct_step *step, ct_launch *out)
{
    const ct_array to = rows_as_input(step);
    const ct_transpose transpose = transpose_of(step, &to);
    ct_transpose_launch(out, &transpose);
    out->entry = "dedisp_transpose";
}

/* ---- how a work-item makes its trials */

static void emit_file(ct_text *text, const char *name, const char *lines)
{
    ct_text_add(text, "#line 1 \"stages/dedisp/%s\"\n%s\n", name, lines);
}

static void emit_way(const ct_step *step, ct_text *text)
{
    emit_file(text, "dedisp_vectors.cl", dedisp_vectors_cl);
    if (ct_step_tunable(step, "SHARE")) {
        ct_dedisp_share_emit(step, text);
        emit_file(text, "dedisp_share.cl", dedisp_share_cl);
    } else if (ct_step_tunable(step, "TILE_T")) {
        ct_text_add(text, "#define PANEL_D %lld\n#define PANEL_T %lld\n",
                    (long long)ct_dedisp_panel_trials(step),
                    (long long)ct_dedisp_group_samples(step));
        emit_file(text, "dedisp_sweep.cl", dedisp_sweep_cl);
    } else if (ct_dedisp_in_groups(step)) {
        ct_dedisp_tile_emit(step, text);
        emit_file(text, "dedisp_group.cl", dedisp_group_cl);
    } else
        emit_file(text, "dedisp_cells.cl", dedisp_cells_cl);
}

ct_status ct_dedisp_emit(const ct_step *step, ct_text *text, ct_error *err)
{
    (void)err;
    emit_ranges(step, text);
    if (step->port[PORT_Z].type != CT_NONE) emit_levels(step, text);
    emit_way(step, text);
    if (step->port[PORT_R].type != CT_NONE) {
        const ct_array to = rows_as_input(step);
        const ct_transpose transpose = transpose_of(step, &to);
        ct_transpose_emit(text, &transpose);
    }
    if (step->port[PORT_COUNTS].type != CT_NONE)
        emit_file(text, "dedisp_count.cl", dedisp_count_cl);
    return CT_OK;
}

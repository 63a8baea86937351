/* emit_ids.c: which work-item does what: reads `parallel`, gives launches and ID_x.
 * Room: core/emit. Knows "C/TILE_C:WG, T, SP". Does not know what the kernel does with its place.
 */
#include "emit_inner.h"
#include "fail.h"
#include "parallel.h"
#include <string.h>

/* ---- from `parallel` */

/* Output ports first: they say where work-items write. */
static bool ids_extent(const ct_step *step, char letter, int64_t *extent)
{
    char letters[CT_DIMS + 1], aliases[CT_DIMS + 1];
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < ct_step_ports(step); i++) {
            bool writes = step->stage->ports[i].direction == CT_OUT;
            const char *place;
            if (step->port[i].type == CT_NONE || writes != (pass == 0)) continue;
            ct_step_letters(step, i, letters, aliases);
            place = strchr(letters, letter);
            if (!place) continue;
            *extent = ct_array_extent(&step->port[i], aliases[place - letters]);
            return true;
        }
    return false;
}

static ct_status ids_item(ct_axis *axis, const ct_step *step, const ct_parallel_item *item,
                          ct_error *err)
{
    ct_status status = CT_OK;
    int64_t extent = 1, value = 1;
    CT_TRY(ct_parallel_value(step, item, &value, err));
    if (item->local) {
        axis->local = value;
        axis->given = true;
        return CT_OK;
    }
    if (item->letter && !ids_extent(step, item->letter, &extent))
        return ct_error_add(err, CT_INVALID, "column %d: no port has a dimension %c",
                            item->letter_column, item->letter);
    axis->span[axis->spans++] =
        (ct_span){.letter = item->letter,
                  .steps = item->letter ? extent / value + (extent % value != 0) : value};
out:
    return status;
}

static ct_status ids_parse(ct_range *range, const ct_step *step, const char *parallel,
                           ct_error *err)
{
    ct_parallel parsed;
    ct_error why = {0};
    ct_status status = ct_parallel_parse(&parsed, parallel, &why);
    for (int i = 0; status == CT_OK && i < parsed.count; i++)
        status = ids_item(&range->axis[parsed.item[i].axis], step, &parsed.item[i], &why);
    if (status == CT_INVALID)
        return ct_step_fail(step, NULL, err, "parallel \"%s\": %s", parallel, why.text);
    return ct_error_pass(err, status, &why);
}

/* ---- without `parallel` */

static void ids_add(ct_axis *axis, char letter, int64_t steps)
{
    axis->span[axis->spans].letter = letter;
    axis->span[axis->spans++].steps = steps;
}

/* The contiguous dimension on axis 0, the next on axis 1, the rest together on axis 2. */
static void ids_derive(ct_range *range, const ct_step *step, int port)
{
    char letters[CT_DIMS + 1], aliases[CT_DIMS + 1];
    const ct_array *array = &step->port[port];
    const char *order = array->layout.rank ? array->layout.dim : array->dim;
    int rank = (int)strlen(order);
    ct_step_letters(step, port, letters, aliases);
    for (int i = 0; i < rank; i++) {
        int axis = rank - 1 - i < 2 ? rank - 1 - i : 2;
        const char *place = strchr(aliases, order[i]);
        ids_add(&range->axis[axis], letters[place - aliases], ct_array_extent(array, order[i]));
    }
    for (int i = 0; letters[i]; i++)
        if (aliases[i] == '-') ids_add(&range->axis[2], letters[i], 1);
}

/* ---- both */

/* Tiles are shared by a group, so its size must be known. */
static bool ids_local_known(const ct_step *step, const ct_range *range)
{
    bool given = step->stage->kernel.tiles && step->stage->kernel.tiles[0].name;
    for (int i = 0; i < 3; i++)
        given = given || range->axis[i].given;
    return given;
}

/* The last letter of an axis runs fastest. Kernels divide the axis's place in 32 bits. */
static ct_status ids_stride(const ct_step *step, ct_axis *axis, ct_error *err)
{
    axis->size = 1;
    for (int j = axis->spans - 1; j >= 0; j--) {
        axis->span[j].stride = axis->size;
        if (axis->size > INT32_MAX / (axis->span[j].steps > 0 ? axis->span[j].steps : 1))
            return ct_step_fail(step, NULL, err,
                                "stage %s puts more than %d work-items along one axis; make "
                                "\"block\" smaller",
                                step->stage->name, INT32_MAX);
        axis->size *= axis->span[j].steps;
    }
    return CT_OK;
}

/* The strides of the letters, and local sizes where these are `known`. */
static ct_status ids_complete(ct_range *range, const ct_step *step, bool known, ct_error *err)
{
    ct_status status = CT_OK;
    for (int i = 0; i < 3; i++) {
        CT_TRY(ids_stride(step, &range->axis[i], err));
        if (known && !range->axis[i].local) range->axis[i].local = 1;
    }
out:
    return status;
}

static int ids_port(const ct_step *step)
{
    const int first = ct_step_first_output(step);
    return first < 0 ? 0 : first;
}

ct_status ct_emit_range(ct_range *out, const ct_step *step, ct_error *err)
{
    ct_status status = CT_OK;
    memset(out, 0, sizeof *out);
    if (step->stage->kernel.parallel)
        CT_TRY(ids_parse(out, step, step->stage->kernel.parallel, err));
    else
        ids_derive(out, step, ids_port(step));
    CT_TRY(ids_complete(out, step, ids_local_known(step, out), err));
out:
    return status;
}

ct_status ct_emit_range_of(ct_range *out, const ct_step *step, int port, const char *parallel,
                           bool tiled, ct_error *err)
{
    ct_status status = CT_OK;
    memset(out, 0, sizeof *out);
    if (parallel)
        CT_TRY(ids_parse(out, step, parallel, err));
    else
        ids_derive(out, step, port);
    CT_TRY(ids_complete(out, step, tiled && ids_local_known(step, out), err));
out:
    return status;
}

bool ct_emit_range_has(const ct_range *range, char letter)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < range->axis[i].spans; j++)
            if (range->axis[i].span[j].letter == letter) return true;
    return false;
}

static void ids_define(ct_text *text, const ct_axis *axis, int place, const ct_span *span)
{
    bool slowest = span == axis->span;
    if (!span->letter) return;
    ct_text_add(text, "#define ID_%c ((int)get_global_id(%d)", span->letter, place);
    if (span->stride > 1) ct_text_add(text, " / %lld", (long long)span->stride);
    if (!slowest) ct_text_add(text, " %% %lld", (long long)span->steps);
    ct_text_add(text, ")\n");
}

static bool ids_is_rounded(const ct_axis *axis)
{
    return axis->local && axis->size % axis->local != 0;
}

void ct_emit_ids(ct_text *text, const ct_range *range)
{
    bool rounded = false;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < range->axis[i].spans; j++)
            ids_define(text, &range->axis[i], i, &range->axis[i].span[j]);
    ct_text_add(text, "#define CT_OUTSIDE (");
    for (int i = 0; i < 3; i++)
        if (ids_is_rounded(&range->axis[i])) {
            ct_text_add(text, "%sget_global_id(%d) >= %lld", rounded ? " || " : "", i,
                        (long long)range->axis[i].size);
            rounded = true;
        }
    ct_text_add(text, "%s)\n", rounded ? "" : "0");
}

void ct_emit_range_launch(ct_launch *out, const ct_range *range)
{
    for (int i = 0; i < 3; i++) {
        const ct_axis *axis = &range->axis[i];
        int64_t local = axis->local ? axis->local : 1;
        out->local[i] = (size_t)axis->local;
        const int64_t groups = axis->size / local + (axis->size % local != 0);
        out->global[i] = (size_t)groups * (size_t)local; /* less than 2^64, whatever `local` is */
    }
}

/* plot_choice.c: of an array of many dimensions, the two that a picture shows, and the index of
 * each other one. Room: plot. Knows dimensions. Does not know files. */
#include <string.h>

#include "plot_inner.h"

/* What goes up, by how much it says: channels, trials, then what else there is several of. */
static const char choice_order[] = "CFDBSLQPK";

static void choose_up(ct_plot_choice *out, const ct_array *array)
{
    for (const char *dim = choice_order; *dim && !out->up; dim++)
        if (ct_array_extent(array, *dim) > 1) out->up = *dim;
    for (int i = 0; i < array->rank && !out->up; i++)
        if (array->dim[i] != 'T' && array->extent[i] > 1) out->up = array->dim[i];
    if ((out->up == 'C' || out->up == 'F') && ct_array_find(array, 'F') >= 0 &&
        ct_array_find(array, 'C') >= 0) {
        out->up = 'C';
        out->slower = 'F';
    }
    out->rows = out->up ? ct_array_extent(array, out->up) : 1;
    if (out->slower) out->rows *= ct_array_extent(array, out->slower);
}

/* "B=3" or "beam=3". */
static bool read_one(const char *text, char *dim, int64_t *index)
{
    char *end = NULL;
    const char *equals = strchr(text, '=');
    if (!equals || equals == text) return false;
    char name[32];
    const size_t length = (size_t)(equals - text);
    if (length >= sizeof name) return false;
    memcpy(name, text, length);
    name[length] = 0;
    ct_layout one;
    if (ct_layout_parse(&one, name, NULL) != CT_OK || one.rank != 1) return false;
    const double value = ct_number_read(equals + 1, &end);
    if (end == equals + 1 || *end || value < 0 || value >= 1e15 || value != (double)(int64_t)value)
        return false;
    *dim = one.dim[0];
    *index = (int64_t)value;
    return true;
}

static ct_status choose_one(ct_plot_choice *out, const ct_array *array, const ct_plot *plot,
                            const char *text, bool *fixed, ct_error *err)
{
    char dim = 0;
    int64_t index = 0;
    if (!read_one(text, &dim, &index))
        return ct_error_add(
            err, CT_USAGE,
            "cornerturn plot: --dim: expected a dimension and an index such as B=3, "
            "found '%s'",
            text);
    const int place = ct_array_find(array, dim);
    if (place < 0 || dim == 'T')
        return ct_error_add(
            err, CT_USAGE, "%s: --dim %s: %s, found dimensions %s", plot->file, text,
            dim == 'T' ? "expected another dimension than time, which goes along the picture"
                       : "there is no such dimension",
            array->dim);
    if (index >= array->extent[place])
        return ct_error_add(err, CT_USAGE, "%s: --dim %s: expected an index from 0 to %lld",
                            plot->file, text, (long long)array->extent[place] - 1);
    out->index[place] = index;
    fixed[place] = true;
    return CT_OK;
}

/* The first index; of baselines the first one of two stations. */
ct_status ct_plot_choose(ct_plot_choice *out, const ct_array *array, const ct_plot *plot,
                         ct_error *err)
{
    bool fixed[CT_DIMS] = {false};
    ct_array left = *array;
    *out = (ct_plot_choice){0};
    for (int i = 0; i < array->rank; i++)
        if (array->dim[i] == 'L' && array->extent[i] > 1) out->index[i] = 1;
    for (const char *const *one = plot->options->at; one && *one; one++) {
        const ct_status status = choose_one(out, array, plot, *one, fixed, err);
        if (status != CT_OK) return status;
    }
    for (int i = 0; i < array->rank; i++)
        if (fixed[i]) left.extent[i] = 1;
    choose_up(out, &left);
    return CT_OK;
}

static bool is_shown(const ct_plot_choice *choice, char dim)
{
    return dim == 'T' || dim == choice->up || dim == choice->slower;
}

void ct_plot_choice_print(const ct_plot_choice *choice, const ct_array *array, ct_text *text,
                          ct_text *said)
{
    for (int i = 0; i < array->rank; i++) {
        const char dim = array->dim[i];
        const char *name = ct_dim_name(dim);
        const ct_product *product = dim == 'Q' ? ct_array_product(array, choice->index[i]) : NULL;
        if (is_shown(choice, dim) || (array->extent[i] < 2 && !product)) continue;
        ct_text_add(text, "%s", text->length ? ", " : "");
        if (product)
            ct_text_add(text, "%s %s", strcmp(product->kind, "Stokes") == 0 ? "Stokes" : "product",
                        product->name);
        else
            ct_text_add(text, "%s %lld of %lld", name ? name : "index", (long long)choice->index[i],
                        (long long)array->extent[i]);
        if (said && array->extent[i] > 1)
            ct_text_add(said, "shows %s %lld of 0 to %lld; --dim %c=N shows another\n",
                        product ? "product"
                        : name  ? name
                                : "index",
                        (long long)choice->index[i], (long long)array->extent[i] - 1, dim);
    }
}

/* tables.c: tables whose numbers stand in a .npy file that a parameter names.
 * Room: stages/own. Knows ct_npy_load and the description beside a file. Does not know the format.
 */
#include <string.h>

#include "fail.h"
#include "own.h"

/* The numbers of one table, with the file's axes named. */
typedef struct own_numbers {
    ct_array array;
    int64_t pair; /* elements from a real to its imaginary part, where these are two numbers; 0 */
} own_numbers;

static ct_status fail(ct_step *step, const char *param, ct_error *err, const char *sentence)
{
    return ct_step_fail(step, param, err, "%s: %s", ct_step_text(step, param), sentence);
}

/* A last axis of two real numbers is a complex one, where the table is complex. */
static ct_status check_type(ct_step *step, int port, own_numbers *numbers, ct_error *err)
{
    ct_array *array = &numbers->array;
    const char *param = ct_own_of(step)->port[port].from;
    const bool complex = ct_type_complex(step->port[port].type);
    if (complex == ct_type_complex(array->type)) return CT_OK;
    if (!complex) return fail(step, param, err, "expected real numbers, found complex ones");
    if (array->rank < 1 || array->extent[array->rank - 1] != 2)
        return fail(step, param, err,
                    "expected complex numbers, or a last axis of 2 real ones, found real ones");
    numbers->pair = array->stride[--array->rank];
    return CT_OK;
}

/* The dimensions of a port that a file of so many axes has, "[BS]?TC" as "BTC". */
static void natural_dims(char out[CT_DIMS + 1], const ct_step *step, int port, int rank)
{
    const char *dims = step->stage->ports[port].dims;
    int letters = 0, optional = 0, count = 0;
    for (const char *at = dims; *at; at++) {
        if (*at == '[') at += strcspn(at, "]");
        letters++;
        if (at[1] == '?') optional++, at++;
    }
    for (const char *at = dims; *at && count < CT_DIMS; at++) {
        const char letter = at[*at == '['];
        if (*at == '[') at += strcspn(at, "]");
        const bool left = at[1] == '?' && letters-- > rank;
        if (at[1] == '?') at++;
        if (!left) out[count++] = letter;
    }
    out[count] = 0;
}

static ct_status name_axes(ct_step *step, int port, own_numbers *numbers, ct_error *err)
{
    ct_status status = CT_OK;
    const char *param = ct_own_of(step)->port[port].from, *dims;
    char natural[CT_DIMS + 1];
    ct_layout layout = {0};
    CT_TRY(ct_npy_dims(step, param, &dims, err));
    natural_dims(natural, step, port, numbers->array.rank);
    ct_error why = {0};
    if (ct_layout_parse(&layout, dims ? dims : natural, &why) != CT_OK)
        return fail(step, param, err, why.text);
    if (layout.rank != numbers->array.rank)
        return ct_step_fail(step, param, err, "%s: expected the axes %s, found %d axes",
                            ct_step_text(step, param), layout.dim, numbers->array.rank);
    memcpy(numbers->array.dim, layout.dim, sizeof layout.dim);
out:
    return status;
}

/* What an input has as well must be as long. */
static ct_status check_extents(ct_step *step, int port, const ct_array *array, ct_error *err)
{
    const ct_port *ports = step->stage->ports;
    const char *param = ct_own_of(step)->port[port].from;
    for (int k = 0; k < array->rank; k++) {
        const char dim = array->dim[k];
        if (!strchr(ports[port].dims, dim) && strcmp(ports[port].dims, "*") != 0)
            return ct_step_fail(step, param, err, "%s: expected the dimensions %s, found %s",
                                ct_step_text(step, param), ports[port].dims, array->dim);
        for (int i = 0; i < CT_PORTS && ports[i].name; i++) {
            const int64_t expected = ct_array_extent(&step->port[i], dim);
            if (ports[i].direction != CT_IN || ct_array_find(&step->port[i], dim) < 0) continue;
            if (array->extent[k] == expected) continue;
            const char *name = ct_dim_name(dim);
            return ct_step_fail(step, param, err,
                                "%s: expected %lld along %c%s%s%s, as input %s has, found %lld "
                                "(axes %s)",
                                ct_step_text(step, param), (long long)expected, dim,
                                name ? " (" : "", name ? name : "", name ? ")" : "", ports[i].name,
                                (long long)array->extent[k], array->dim);
        }
    }
    return CT_OK;
}

static ct_status take_numbers(ct_step *step, int port, const own_numbers *numbers, ct_error *err)
{
    const char *param = ct_own_of(step)->port[port].from;
    const own_numbers **all = (const own_numbers **)step->state;
    own_numbers *copy = ct_step_alloc(step, sizeof *copy);
    if (!all) step->state = all = ct_step_alloc(step, sizeof *all * CT_PORTS);
    if (!all || !copy) return CT_FAILED;
    *copy = *numbers;
    all[port] = copy;
    for (int k = 0; k < numbers->array.rank; k++) {
        if (numbers->array.extent[k] < 1) return fail(step, param, err, "it has no numbers");
        ct_array_set(&step->port[port], numbers->array.dim[k], numbers->array.extent[k]);
    }
    return CT_OK;
}

/* The first of the port's types, which infer() leaves to the library. */
static ct_type table_type(const ct_step *step, int port)
{
    char word[16] = "";
    const char *types = step->stage->ports[port].types;
    const size_t length = strcspn(types, " ");
    if (length < sizeof word) memcpy(word, types, length);
    return ct_type_parse(word);
}

ct_status ct_own_table_infer(ct_step *step, int port, ct_error *err)
{
    ct_status status = CT_OK;
    own_numbers numbers = {0};
    const char *param = ct_own_of(step)->port[port].from;
    if (!ct_step_text(step, param)) return CT_OK; /* the port is optional */
    CT_TRY(ct_npy_load(step, param, &numbers.array, err));
    step->port[port].type = table_type(step, port);
    CT_TRY(check_type(step, port, &numbers, err));
    CT_TRY(name_axes(step, port, &numbers, err));
    CT_TRY(check_extents(step, port, &numbers.array, err));
    CT_TRY(take_numbers(step, port, &numbers, err));
out:
    return status;
}

static ct_complex load(const own_numbers *numbers, const ct_array *fill, const int64_t *index)
{
    int64_t at = numbers->array.offset;
    for (int k = 0; k < fill->rank; k++)
        at += index[k] * ct_array_stride(&numbers->array, fill->dim[k]);
    ct_complex number = ct_array_load(&numbers->array, at);
    if (numbers->pair) number.im = ct_array_load(&numbers->array, at + numbers->pair).re;
    return number;
}

ct_status ct_own_table(const ct_step *step, const char *port, ct_array *fill, ct_error *err)
{
    const own_numbers *const *all = (const own_numbers *const *)step->state;
    int64_t index[CT_DIMS] = {0};
    int place = 0;
    (void)err;
    while (strcmp(step->stage->ports[place].name, port) != 0)
        place++;
    for (int64_t i = 0; i < ct_array_count(fill); i++) {
        const ct_complex number = load(all[place], fill, index);
        ct_array_save(fill, i, number.re, number.im);
        for (int k = fill->rank - 1; k >= 0 && ++index[k] == fill->extent[k]; k--)
            index[k] = 0;
    }
    return CT_OK;
}

/* verify_arrays.c: what a case's own arrays give to inputs, and expect at outputs.
 * Room: tuner/verify. Knows ct_case_array. Does not know files' formats, or how results are
 * compared. Order: shapes of inputs, infer, loading. */
#include "fail.h"
#include "verify_inner.h"
#include "word.h"
#include <stdio.h>
#include <string.h>

static const ct_case_array *arrays_find(const verify_case *one, int port)
{
    const ct_stage *stage = one->step->stage;
    const ct_case_array *given = stage->verify.arrays;
    for (; given && given->port; given++)
        if (given->number == one->number && !strcmp(given->port, stage->ports[port].name))
            return given;
    return NULL;
}

bool ct_verify_given(const verify_case *one, int port)
{
    return arrays_find(one, port) != NULL;
}

static ct_status arrays_fail(const verify_case *one, int port, ct_error *err, const char *expected,
                             const char *found)
{
    char key[96];
    const ct_stage *stage = one->step->stage;
    const char *file = arrays_find(one, port)->file, *name = stage->ports[port].name;
    snprintf(key, sizeof key, "%s/%.60s",
             stage->ports[port].direction == CT_IN ? "inputs" : "outputs", name);
    if (one->page && file)
        return ct_step_fail_data(one->step, key, err, "%s: expected %s, found %s", file, expected,
                                 found);
    return ct_error_add(err, CT_DATA, "%s%sstage %s: case %d: %s: expected %s, found %s",
                        file ? file : "", file ? ": " : "", stage->name, one->number, name,
                        expected, found);
}

static ct_status arrays_get(const verify_case *one, int port, ct_array *out, ct_error *err)
{
    const ct_case_array *given = arrays_find(one, port);
    if (given->file) return ct_npy_load_file(one->step, given->file, out, err);
    *out = *given->array;
    return CT_OK;
}

/* "3 x 13 x 35 of f32" */
static void arrays_print(char out[256], const ct_array *array, const char *types)
{
    size_t length = 0;
    out[0] = 0;
    for (int k = 0; k < array->rank && length < 200; k++)
        length += (size_t)snprintf(out + length, 256 - length, "%s%lld", k ? " x " : "",
                                   (long long)array->extent[k]);
    snprintf(out + length, 256 - length, " of %s", types);
}

/* Complex integers lie in files as two along a last axis. */
static bool arrays_is_pair(const ct_array *array, int rank)
{
    return array->rank == rank + 1 && array->extent[rank] == 2 && !ct_type_complex(array->type);
}

/* ---- shapes of inputs */

/* The port's letters that the array can have: all, or those that are not optional. Where several
 * are possible it is the one that port 0 has, else the first. */
static int arrays_letters(const verify_case *one, int port, bool all, char out[CT_DIMS + 1])
{
    const char *at = one->step->stage->ports[port].dims;
    int count = 0;
    while (*at) {
        const size_t length = *at == '[' ? strcspn(at, "]") + 1 : 1;
        const bool optional = at[length] == '?';
        char letter = *at == '[' ? at[1] : *at;
        for (size_t i = 1; *at == '[' && port > 0 && i + 1 < length; i++)
            if (ct_array_find(&one->step->port[0], at[i]) >= 0) letter = at[i];
        if ((all || !optional) && count < CT_DIMS) out[count++] = letter;
        at += length + optional;
    }
    out[count] = 0;
    return count;
}

/* How the file's numbers are one of the port's types; CT_NONE where they are none. */
static ct_type arrays_type(const verify_case *one, int port, const ct_array *array, bool pair)
{
    const char *types = one->step->stage->ports[port].types;
    const char *wanted = port == 0 ? one->given->type : NULL;
    char name[16];
    snprintf(name, sizeof name, "%s%s", pair ? "c" : "", ct_type_name(array->type));
    const ct_type type = ct_type_parse(name);
    if (wanted) return ct_type_parse(wanted) == type ? type : CT_NONE;
    if (!strcmp(types, "*")) return type;
    if (types[0] == '=') return one->step->port[0].type == type ? type : CT_NONE;
    return ct_word_find(types, name) >= 0 ? type : CT_NONE;
}

static ct_status arrays_fail_shape(const verify_case *one, int port, const ct_array *array,
                                   ct_error *err)
{
    const ct_port *declared = &one->step->stage->ports[port];
    const char *wanted = port == 0 && one->given->type ? one->given->type : declared->types;
    char expected[256], found[256];
    snprintf(expected, sizeof expected, "the dimensions %s and the type %s", declared->dims,
             wanted);
    arrays_print(found, array, ct_type_name(array->type));
    return arrays_fail(one, port, err, expected, found);
}

ct_status ct_verify_arrays_shape(verify_case *one, int port, ct_error *err)
{
    ct_status status = CT_OK;
    ct_array array = {0}, *out = &one->step->port[port];
    char letters[CT_DIMS + 1];
    CT_TRY(arrays_get(one, port, &array, err));
    for (int all = 1; all >= 0; all--)
        for (int pair = 0; pair < 2; pair++) {
            const int rank = arrays_letters(one, port, all, letters);
            const ct_type type = arrays_type(one, port, &array, pair);
            const bool fits = pair ? arrays_is_pair(&array, rank) : array.rank == rank;
            if (!fits || type == CT_NONE || out->rank > 0) continue;
            out->type = type;
            for (int k = 0; k < rank; k++)
                ct_array_add(out, letters[k], array.extent[k]);
        }
    if (out->rank == 0) CT_TRY(arrays_fail_shape(one, port, &array, err));
out:
    return status;
}

/* Other inputs that have T are as long as port 0. */
ct_status ct_verify_arrays_infer(verify_case *one, ct_error *err)
{
    ct_status status = CT_OK;
    ct_step *step = one->step;
    ct_array *x = &step->port[0];
    const int t = ct_array_find(x, 'T');
    CT_TRY(ct_step_infer(step, err));
    if (!ct_verify_given(one, 0) || one->given->extents[0] || step->overlap == 0 ||
        step->overlap_kind != CT_VALID || t < 0)
        return CT_OK;
    if (x->extent[t] <= step->overlap) {
        char expected[64], found[32];
        snprintf(expected, sizeof expected, "more than the overlap of %lld samples along T",
                 (long long)step->overlap);
        snprintf(found, sizeof found, "%lld", (long long)x->extent[t]);
        return arrays_fail(one, 0, err, expected, found);
    }
    x->extent[t] -= step->overlap;
    CT_TRY(ct_step_infer(step, err));
out:
    return status;
}

/* ---- numbers */

/* How many samples of the port are before what the array has: a stream's history. */
static int64_t arrays_lead(const verify_case *one, int port)
{
    const ct_step *step = one->step;
    const bool keeps =
        step->stage->ports[port].direction == CT_IN && ct_step_has_history(step, port);
    return keeps && step->overlap_kind == CT_HISTORY ? step->overlap : 0;
}

static bool arrays_fits(const ct_array *wanted, const ct_array *array, int64_t lead)
{
    const bool complex_wanted = ct_type_complex(wanted->type);
    const bool pair = complex_wanted && arrays_is_pair(array, wanted->rank);
    if (!pair && (array->rank != wanted->rank || ct_type_complex(array->type) != complex_wanted))
        return false;
    for (int k = 0; k < wanted->rank; k++)
        if (array->extent[k] != wanted->extent[k] - (wanted->dim[k] == 'T' ? lead : 0))
            return false;
    return true;
}

static ct_status arrays_check(const verify_case *one, int port, const ct_array *array,
                              ct_error *err)
{
    ct_array wanted = one->port[port];
    const int64_t lead = arrays_lead(one, port);
    const bool output = one->step->stage->ports[port].direction == CT_OUT;
    const int t = ct_array_find(&wanted, 'T');
    char expected[256], found[256], dims[32] = "";
    if (arrays_fits(&wanted, array, lead)) return CT_OK;
    if (t >= 0) wanted.extent[t] -= lead;
    arrays_print(expected, &wanted,
                 !output                        ? ct_type_name(wanted.type)
                 : ct_type_complex(wanted.type) ? "complex numbers"
                                                : "real numbers");
    snprintf(dims, sizeof dims, " (%s)", wanted.dim);
    strncat(expected, dims, sizeof expected - strlen(expected) - 1);
    arrays_print(found, array, ct_type_name(array->type));
    return arrays_fail(one, port, err, expected, found);
}

/* Walks the port in natural order; an index before the array's beginning has 0. */
static void arrays_copy(ct_array *to, const ct_array *from, int64_t lead)
{
    int64_t index[CT_DIMS] = {0};
    const bool pair = arrays_is_pair(from, to->rank);
    const int64_t count = ct_array_count(to), half = pair ? from->stride[to->rank] : 0;
    for (int64_t n = 0; n < count; n++) {
        int64_t at = from->offset;
        bool before = false;
        for (int k = 0; k < to->rank; k++) {
            const int64_t i = index[k] - (to->dim[k] == 'T' ? lead : 0);
            before = before || i < 0;
            at += i * from->stride[k];
        }
        ct_complex value = before ? (ct_complex){0} : ct_array_load(from, at);
        if (pair && !before) value.im = ct_array_load(from, at + half).re;
        ct_array_save(to, n, value.re, value.im);
        for (int k = to->rank - 1; k >= 0 && ++index[k] == to->extent[k]; k--)
            index[k] = 0;
    }
}

ct_status ct_verify_arrays_load(verify_case *one, int port, ct_error *err)
{
    ct_status status = CT_OK;
    ct_array array = {0};
    CT_TRY(arrays_get(one, port, &array, err));
    CT_TRY(arrays_check(one, port, &array, err));
    arrays_copy(&one->port[port], &array, arrays_lead(one, port));
out:
    return status;
}

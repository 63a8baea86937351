/* h5parm_values.c: texts and axes of a table, whichever of HDF5's types they have.
 * Room: io/h5parm. Knows HDF5. Does not know which table is read. */
#ifdef CT_HAVE_HDF5
#include "h5parm_inner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_TEXTS = 1 << 16, MOST_NUMBERS = 1 << 26 };

ct_status ct_h5parm_fail(const ct_h5parm *of, const char *name, ct_error *err, const char *format,
                         ...)
{
    char sentence[512];
    va_list args;
    va_start(args, format);
    ct_number_print_args(sentence, sizeof sentence, format, args);
    va_end(args);
    return ct_error_add(err, CT_DATA, "%s: /%s/%s%s%s: %s", of->file, of->solset, of->soltab,
                        name ? "/" : "", name ? name : "", sentence);
}

bool ct_h5parm_is_numeric(hid_t set)
{
    const hid_t type = H5Dget_type(set);
    const H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    if (type >= 0) H5Tclose(type);
    return class == H5T_FLOAT || class == H5T_INTEGER;
}

/* ---- texts: of fixed length, or each of its own, which HDF5 allocates */

typedef struct text_box {
    hid_t of, space, type; /* the data set or attribute */
    bool attribute;
    int64_t count;
    size_t bytes; /* of one; 0: each has its own length */
} text_box;

static bool box_read(const text_box *box, hid_t type, void *to)
{
    if (box->attribute) return H5Aread(box->of, type, to) >= 0;
    return H5Dread(box->of, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to) >= 0;
}

static char *copy_text(ct_step *step, const char *from, size_t most)
{
    const size_t length = from ? strnlen(from, most) : 0;
    char *copy = ct_step_alloc(step, length + 1);
    return copy && length > 0 ? memcpy(copy, from, length) : copy;
}

/* `at` has room for all pointers, or for all texts of one length, with an end after each: HDF5 cuts
 * a text that fills all of its length otherwise. */
static bool box_take(const text_box *box, ct_step *step, char *at, const char **out)
{
    const hid_t type = H5Tcopy(H5T_C_S1), set = box->type >= 0 ? H5Tget_cset(box->type) : -1;
    bool fine = type >= 0 && set >= 0 && H5Tset_cset(type, (H5T_cset_t)set) >= 0 &&
                H5Tset_size(type, box->bytes ? box->bytes + 1 : H5T_VARIABLE) >= 0 &&
                box_read(box, type, at);
    for (int64_t n = 0; fine && n < box->count; n++)
        out[n] = box->bytes ? copy_text(step, at + (size_t)n * (box->bytes + 1), box->bytes)
                            : copy_text(step, ((char **)at)[n], CT_H5PARM_TEXT - 1);
    if (fine && box->bytes == 0) (void)H5Dvlen_reclaim(type, box->space, H5P_DEFAULT, at);
    if (type >= 0) H5Tclose(type);
    for (int64_t n = 0; fine && n < box->count; n++)
        fine = out[n] != NULL;
    return fine;
}

/* What is read as texts, and how many there are; NULL, or why it cannot be. */
static const char *box_check(text_box *box)
{
    if (box->space < 0 || box->type < 0) return "HDF5 cannot read it";
    if (H5Tget_class(box->type) != H5T_STRING) return "expected texts, found something else";
    if (H5Sget_simple_extent_type(box->space) == H5S_NULL) return "expected texts, found nothing";
    box->count = (int64_t)H5Sget_simple_extent_npoints(box->space);
    box->bytes = H5Tis_variable_str(box->type) > 0 ? 0 : H5Tget_size(box->type);
    if (box->bytes >= CT_H5PARM_TEXT) return "expected names of at most 255 letters";
    if (box->count < 1 || box->count > MOST_TEXTS) return "expected 1 to 65536 texts";
    return NULL;
}

static ct_status box_all(const ct_h5parm *of, const char *name, text_box *box, const char ***out,
                         ct_error *err)
{
    const char *why = box_check(box);
    if (why) return ct_h5parm_fail(of, name, err, "%s", why);
    const size_t each = box->bytes ? box->bytes + 1 : sizeof(char *);
    char *at = ct_step_alloc(of->step, (size_t)box->count * each);
    *out = ct_step_alloc(of->step, ((size_t)box->count + 1) * sizeof **out);
    if (!at || !*out) return CT_FAILED;
    if (box_take(box, of->step, at, *out)) return CT_OK;
    return ct_h5parm_fail(of, name, err, "HDF5 cannot read its texts");
}

static void box_close(const text_box *box)
{
    if (box->type >= 0) H5Tclose(box->type);
    if (box->space >= 0) H5Sclose(box->space);
}

ct_status ct_h5parm_texts(const ct_h5parm *of, const char *name, const char *const **out,
                          int64_t *count, ct_error *err)
{
    const char **texts = NULL;
    if (H5Lexists(of->group, name, H5P_DEFAULT) <= 0)
        return ct_h5parm_fail(of, name, err, "is missing");
    const hid_t set = H5Dopen2(of->group, name, H5P_DEFAULT);
    if (set < 0) return ct_h5parm_fail(of, name, err, "is no data set");
    text_box box = {.of = set, .space = H5Dget_space(set), .type = H5Dget_type(set)};
    const ct_status status = box_all(of, name, &box, &texts, err);
    box_close(&box);
    H5Dclose(set);
    *out = texts;
    *count = box.count;
    return status;
}

ct_status ct_h5parm_attribute(const ct_h5parm *of, hid_t object, const char *name, const char **out,
                              ct_error *err)
{
    const char **texts = NULL;
    *out = NULL;
    if (H5Aexists(object, name) <= 0) return CT_OK;
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0) return ct_h5parm_fail(of, NULL, err, "HDF5 cannot read %s", name);
    text_box box = {.of = attribute,
                    .attribute = true,
                    .space = H5Aget_space(attribute),
                    .type = H5Aget_type(attribute)};
    const ct_status status = box_all(of, name, &box, &texts, err);
    box_close(&box);
    H5Aclose(attribute);
    if (status == CT_OK) *out = texts[0];
    return status;
}

/* ---- numbers */

static ct_status check_ascending(const ct_h5parm *of, const char *name, const double *at,
                                 int64_t count, ct_error *err)
{
    for (int64_t n = 0; n < count; n++) {
        if (!isfinite(at[n]) || fabs(at[n]) > 1e300)
            return ct_h5parm_fail(of, name, err, "expected finite numbers, found %g at %lld", at[n],
                                  (long long)n);
        if (n > 0 && !(at[n] > at[n - 1]))
            return ct_h5parm_fail(of, name, err,
                                  "expected numbers that ascend, found %.15g after %.15g", at[n],
                                  at[n - 1]);
    }
    return CT_OK;
}

static ct_status axis_take(const ct_h5parm *of, const char *name, hid_t set, int64_t expected,
                           const double **out, ct_error *err)
{
    const hid_t space = H5Dget_space(set);
    const int64_t count = space >= 0 ? (int64_t)H5Sget_simple_extent_npoints(space) : -1;
    if (space >= 0) H5Sclose(space);
    if (!ct_h5parm_is_numeric(set))
        return ct_h5parm_fail(of, name, err, "expected numbers, found something else");
    if (count != expected || count > MOST_NUMBERS)
        return ct_h5parm_fail(of, name, err, "has %lld numbers, \"val\" %lld along that axis",
                              (long long)count, (long long)expected);
    double *at = ct_step_alloc(of->step, (size_t)count * sizeof *at);
    if (!at) return CT_FAILED;
    *out = at;
    if (H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, at) < 0)
        return ct_h5parm_fail(of, name, err, "HDF5 cannot read its numbers");
    return check_ascending(of, name, at, count, err);
}

ct_status ct_h5parm_axis(const ct_h5parm *of, const char *name, int64_t expected,
                         const double **out, ct_error *err)
{
    if (H5Lexists(of->group, name, H5P_DEFAULT) <= 0)
        return ct_h5parm_fail(of, name, err, "is missing");
    const hid_t set = H5Dopen2(of->group, name, H5P_DEFAULT);
    if (set < 0) return ct_h5parm_fail(of, name, err, "is no data set");
    const ct_status status = axis_take(of, name, set, expected, out, err);
    H5Dclose(set);
    return status;
}

#endif

/* sidecar.c: reading metadata; see sidecar.h.
 * Room: io/shared. Knows JSON values and ct_meta. Does not know formats. */
#include "sidecar.h"
#include "ranges.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const sidecar_kinds[] = {"nothing", "true or false", "a number", "a number",
                                            "a text",  "a list",        "an object"};

static ct_status sidecar_check(const ct_sidecar *sidecar, ct_error *err)
{
    if (ct_value_kind(sidecar->root) != CT_OBJECT)
        return ct_error_add(err, CT_DATA, "%s: expected an object, found %s", sidecar->file,
                            sidecar_kinds[ct_value_kind(sidecar->root)]);
    for (size_t i = 0; i < ct_value_count(sidecar->root); i++) {
        const char *key = ct_value_key(sidecar->root, i);
        size_t k = 0;
        while (ct_sidecar_keys[k] && strcmp(ct_sidecar_keys[k], key) != 0)
            k++;
        if (!ct_sidecar_keys[k]) {
            const char *near = ct_suggest_nearest(key, ct_sidecar_keys);
            return ct_error_add(err, CT_DATA, "%s: unknown key \"%s\", expected \"%s\"%s",
                                sidecar->file, key, near ? near : "dims",
                                near ? "" : ", \"type\", \"sample_time_s\" and the like");
        }
    }
    return CT_OK;
}

ct_status ct_sidecar_open(ct_sidecar *out, ct_step *step, const char *data_file, ct_error *err)
{
    char name[CT_SIDECAR_NAME], expected[CT_SIDECAR_NAME];
    *out = (ct_sidecar){.step = step};
    ct_status status = ct_sidecar_load(&out->root, name, data_file, err);
    char *kept = ct_step_alloc(step, strlen(name) + 1);
    if (!kept) return CT_FAILED;
    out->file = memcpy(kept, name, strlen(name) + 1);
    ct_sidecar_name(expected, data_file);
    if (strcmp(name, expected) != 0) { /* of the older name, which the run cannot know */
        ct_step_reads(step, "file", data_file);
        ct_step_reads(step, "file", name);
    }
    if (status != CT_OK) return status == CT_FAILED ? status : CT_DATA;
    return out->root ? sidecar_check(out, err) : CT_OK;
}

void ct_sidecar_close(ct_sidecar *sidecar)
{
    ct_value_free(sidecar->root);
    sidecar->root = NULL;
}

const ct_value *ct_sidecar_find(const ct_sidecar *sidecar, const char *key)
{
    const ct_value *given = ct_step_value(sidecar->step, key);
    return given ? given : ct_value_get(sidecar->root, key);
}

ct_status ct_sidecar_fail(const ct_sidecar *sidecar, const char *key, ct_error *err,
                          const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    ct_number_print_args(text, sizeof text, format, args);
    va_end(args);
    bool ours = !ct_step_value(sidecar->step, key) && ct_value_get(sidecar->root, key);
    if (ours) return ct_error_add(err, CT_DATA, "%s: %s: %s", sidecar->file, key, text);
    return ct_step_fail(sidecar->step, key, err, "%s", text);
}

static ct_status sidecar_kind(const ct_sidecar *sidecar, const char *key, const char *expected,
                              ct_error *err)
{
    ct_kind found = ct_value_kind(ct_sidecar_find(sidecar, key));
    return ct_sidecar_fail(sidecar, key, err, "expected %s, found %s", expected,
                           sidecar_kinds[found]);
}

ct_status ct_sidecar_lacks(const ct_sidecar *sidecar, const char *expected, const char *them,
                           ct_error *err)
{
    if (!sidecar->file)
        return ct_step_fail(sidecar->step, NULL, err, "expected %s, found none", expected);
    return ct_step_fail(sidecar->step, NULL, err, "expected %s, found %s neither here nor in %s",
                        expected, them, sidecar->file);
}

ct_status ct_sidecar_dims(const ct_sidecar *sidecar, ct_layout *out, ct_error *err)
{
    const ct_value *value = ct_sidecar_find(sidecar, "dims");
    if (!value) return ct_sidecar_lacks(sidecar, "\"dims\" such as \"SPT\"", "them", err);
    if (ct_value_kind(value) != CT_TEXT)
        return sidecar_kind(sidecar, "dims", "a text such as \"SPT\"", err);
    ct_error why = {0};
    if (ct_layout_parse(out, ct_value_text(value, ""), &why) != CT_OK)
        return ct_sidecar_fail(sidecar, "dims", err, "%s", why.text);
    if (out->split)
        return ct_sidecar_fail(sidecar, "dims", err,
                               "expected dimensions that are not split, found \"%s\"",
                               ct_value_text(value, ""));
    if (!strchr(out->dim, 'T'))
        return ct_sidecar_fail(sidecar, "dims", err, "expected T among them, found \"%s\"",
                               out->dim);
    return CT_OK;
}

/* What NumPy calls a type that there is here under another name; NULL: another word. */
static const char *sidecar_numpy(const char *word)
{
    static const char *const names[][2] = {
        {"complex64", "cf32"}, {"float32", "f32"}, {"float16", "f16"},
        {"int8", "i8"},        {"int16", "i16"},   {"int32", "i32"},
        {"uint8", "u8"},       {"uint16", "u16"},  {"uint32", "u32"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], word) == 0) return names[i][1];
    return NULL;
}

ct_status ct_sidecar_type(const ct_sidecar *sidecar, ct_type *out, ct_error *err)
{
    const ct_value *value = ct_sidecar_find(sidecar, "type");
    *out = CT_NONE;
    if (!value) return CT_OK;
    if (ct_value_kind(value) != CT_TEXT)
        return sidecar_kind(sidecar, "type", "a text such as \"ci8\"", err);
    *out = ct_type_parse(ct_value_text(value, ""));
    const char *numpy = sidecar_numpy(ct_value_text(value, ""));
    if (numpy)
        return ct_sidecar_fail(sidecar, "type", err, "found NumPy's \"%s\", which is \"%s\" here",
                               ct_value_text(value, ""), numpy);
    if (*out == CT_NONE || ct_type_bits(*out) < 8 || *out == CT_F64 || *out == CT_CF64)
        return ct_sidecar_fail(sidecar, "type", err,
                               "expected a type such as ci8, ci16, cf32, f32, u8, found \"%s\"",
                               ct_value_text(value, ""));
    return CT_OK;
}

static ct_status sidecar_check_range(const ct_sidecar *sidecar, const char *key, double value,
                                     ct_error *err)
{
    char expected[CT_RANGES_EXPECTED];
    if (ct_ranges_hold(key, value, expected)) return CT_OK;
    return ct_sidecar_fail(sidecar, key, err, "expected %s, found %g", expected, value);
}

static ct_status sidecar_real(const ct_sidecar *sidecar, const char *key, double *out,
                              ct_error *err)
{
    const ct_value *value = ct_sidecar_find(sidecar, key);
    ct_kind kind = ct_value_kind(value);
    if (!value) return CT_OK;
    if (kind != CT_INT && kind != CT_REAL) return sidecar_kind(sidecar, key, "a number", err);
    *out = ct_value_real(value, 0);
    return sidecar_check_range(sidecar, key, *out, err);
}

static ct_status sidecar_text(const ct_sidecar *sidecar, const char *key, const char **out,
                              ct_error *err)
{
    const ct_value *value = ct_sidecar_find(sidecar, key);
    if (!value) return CT_OK;
    if (ct_value_kind(value) != CT_TEXT) return sidecar_kind(sidecar, key, "a text", err);
    const char *text = ct_value_text(value, "");
    char *copy = ct_step_alloc(sidecar->step, strlen(text) + 1);
    *out = copy ? memcpy(copy, text, strlen(text) + 1) : NULL;
    return copy ? CT_OK : CT_FAILED;
}

/* Values along a dimension; channels of several subbands count on. */
static int64_t sidecar_count(const ct_array *array, char dim)
{
    return ct_array_extent(array, dim) * (dim == 'C' ? ct_array_extent(array, 'F') : 1);
}

/* A number, or a list of them: as many as there are along `dim`. */
static ct_status sidecar_list(const ct_sidecar *sidecar, const char *key, const ct_array *array,
                              char dim, double **out, ct_error *err)
{
    const ct_value *value = ct_sidecar_find(sidecar, key);
    bool list = ct_value_kind(value) == CT_LIST;
    size_t count = list ? ct_value_count(value) : 1;
    int64_t expected = sidecar_count(array, dim);
    *out = NULL;
    if (!value) return CT_OK;
    if ((int64_t)count != expected)
        return ct_sidecar_fail(sidecar, key, err,
                               "expected a number for each of %lld %ss, found %zu",
                               (long long)expected, ct_dim_name(dim), count);
    *out = ct_step_alloc(sidecar->step, count * sizeof **out);
    if (!*out) return CT_FAILED;
    for (size_t i = 0; i < count; i++) {
        const ct_value *one = list ? ct_value_at(value, i) : value;
        if (ct_value_kind(one) != CT_INT && ct_value_kind(one) != CT_REAL)
            return ct_sidecar_fail(sidecar, key, err, "expected numbers, found %s",
                                   sidecar_kinds[ct_value_kind(one)]);
        (*out)[i] = ct_value_real(one, 0);
        ct_status status = sidecar_check_range(sidecar, key, (*out)[i], err);
        if (status != CT_OK) return status;
    }
    return CT_OK;
}

static ct_status sidecar_whole(const ct_sidecar *sidecar, const char *key, int64_t *out,
                               ct_error *err)
{
    const ct_value *value = ct_sidecar_find(sidecar, key);
    if (!value) return CT_OK;
    *out = ct_value_int(value, -1);
    if (ct_value_kind(value) == CT_INT && *out >= 0) return CT_OK;
    if (ct_value_kind(value) != CT_INT && ct_value_kind(value) != CT_REAL)
        return sidecar_kind(sidecar, key, "a whole number", err);
    return ct_sidecar_fail(sidecar, key, err, "expected a whole number, found %g",
                           ct_value_real(value, 0));
}

static ct_status sidecar_trials(const ct_sidecar *sidecar, ct_array *array, ct_error *err)
{
    double *dm = NULL, *downsample = NULL;
    ct_status status = sidecar_list(sidecar, "dm", array, 'D', &dm, err);
    if (status == CT_OK) status = sidecar_list(sidecar, "downsample", array, 'D', &downsample, err);
    if (status != CT_OK) return status;
    array->meta.dm = dm;
    array->meta.dms = dm || downsample ? ct_array_extent(array, 'D') : 0;
    if (!downsample) return CT_OK;
    int64_t *whole = ct_step_alloc(sidecar->step, (size_t)array->meta.dms * sizeof *whole);
    if (!whole) return CT_FAILED;
    for (int64_t i = 0; i < array->meta.dms; i++) {
        if (!(downsample[i] >= 1 && downsample[i] < 1e9) || floor(downsample[i]) != downsample[i])
            return ct_sidecar_fail(sidecar, "downsample", err,
                                   "expected whole numbers from 1, found %g", downsample[i]);
        whole[i] = (int64_t)downsample[i];
    }
    array->meta.downsample = whole;
    return CT_OK;
}

ct_status ct_sidecar_about(const ct_sidecar *sidecar, ct_array *array, ct_error *err)
{
    ct_meta *meta = &array->meta;
    double *frequency = NULL;
    ct_status status = sidecar_real(sidecar, "src_raj", &meta->src_raj, err);
    if (status == CT_OK) status = sidecar_real(sidecar, "src_dej", &meta->src_dej, err);
    if (status == CT_OK) status = sidecar_text(sidecar, "source_name", &meta->source_name, err);
    if (status == CT_OK) status = sidecar_text(sidecar, "telescope", &meta->telescope, err);
    if (status == CT_OK)
        status = sidecar_list(sidecar, "frequency_hz", array, 'C', &frequency, err);
    meta->frequency_hz = frequency;
    meta->frequencies = frequency ? sidecar_count(array, 'C') : 0;
    return status;
}

ct_status ct_sidecar_meta(const ct_sidecar *sidecar, ct_array *array, ct_error *err)
{
    ct_meta *meta = &array->meta;
    const struct {
        const char *key;
        double *out;
    } reals[] = {{"sample_time_s", &meta->sample_time_s},
                 {"start_s", &meta->start_s},
                 {"start_mjd", &meta->start_mjd},
                 {"channel_width_hz", &meta->channel_width_hz}};
    ct_status status = CT_OK;
    for (size_t i = 0; status == CT_OK && i < sizeof reals / sizeof reals[0]; i++)
        status = sidecar_real(sidecar, reals[i].key, reals[i].out, err);
    if (status == CT_OK) status = ct_sidecar_about(sidecar, array, err);
    if (status == CT_OK) status = sidecar_trials(sidecar, array, err);
    if (status == CT_OK) status = sidecar_whole(sidecar, "subbands", &meta->subbands, err);
    if (status == CT_OK) status = sidecar_whole(sidecar, "smear", &meta->smear, err);
    if (status == CT_OK) status = ct_sidecar_products(sidecar, array, err);
    if (!ct_sidecar_find(sidecar, "start_s")) meta->start_s = 0.5 * meta->sample_time_s;
    if (status == CT_OK && !(meta->sample_time_s >= 0))
        status = ct_sidecar_fail(sidecar, "sample_time_s", err, "expected a time above 0, found %g",
                                 meta->sample_time_s);
    return status;
}

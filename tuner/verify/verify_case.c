/* verify_case.c: one case of a stage made ready: shapes, random inputs, the reference's outputs.
 * Room: tuner/verify. Knows steps. Does not know OpenCL calls or which variants will be tried.
 * Order: params, port 0, infer, extend, tunables, data, tables, reference. */
#include "fail.h"
#include "oneshot.h"
#include "verify_inner.h"
#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t ct_verify_hash(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t x = a * 0x9E3779B97F4A7C15u ^ b * 0xC2B2AE3D27D4EB4Fu ^ c * 0x165667B19E3779F9u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u; /* splitmix64 (Steele et al. 2014) */
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

int64_t ct_verify_similar_before(verify_similar *similar, int64_t reads, int64_t writes)
{
    for (int i = 0; i < VERIFY_SIMILAR; i++) {
        if (similar->cases[i] == 0) {
            similar->reads[i] = reads;
            similar->writes[i] = writes;
        }
        if (similar->reads[i] == reads && similar->writes[i] == writes) return similar->cases[i]++;
    }
    return 0;
}

double ct_verify_preload(int port, int64_t element)
{
    return (double)(ct_verify_hash(77, (uint64_t)port, (uint64_t)element) % 9);
}

static ct_status case_fail(const verify_case *one, ct_error *err, const char *what)
{
    if (one->page) return ct_step_fail(one->step, NULL, err, "%s", what);
    return ct_error_add(err, CT_INVALID, "stage %s: case %d: %s", one->step->stage->name,
                        one->number, what);
}

/* ---- shapes */

/* "S=3 P=2 T=65 C=7" */
static bool case_extents(ct_array *array, const char *text)
{
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        char *end;
        long long extent;
        if (!isupper((unsigned char)text[0]) || text[1] != '=' || array->rank == CT_DIMS)
            return false;
        extent = strtoll(text + 2, &end, 10);
        if (extent < 1) return false;
        ct_array_add(array, text[0], extent);
        text = end;
    }
    return array->rank > 0;
}

/* An observation such as a low-frequency array makes; dispersion needs its frequencies. */
static void case_meta(ct_step *step, ct_array *array)
{
    int64_t channels = ct_array_extent(array, 'C'), trials = ct_array_extent(array, 'D');
    double *frequency = ct_step_alloc(step, sizeof(double) * (size_t)channels);
    double *dm = ct_step_alloc(step, sizeof(double) * (size_t)trials);
    if (!frequency || !dm) return; /* the step knows */
    for (int64_t c = 0; c < channels; c++)
        frequency[c] = 150e6 + 0.5e6 * (double)c;
    for (int64_t d = 0; d < trials; d++)
        dm[d] = 0.5 * (double)d;
    array->meta.sample_time_s = 1e-3;
    array->meta.total = ct_array_extent(array, 'T');
    array->meta.frequency_hz = frequency;
    array->meta.frequencies = channels;
    array->meta.channel_width_hz = 0.5e6;
    if (ct_array_find(array, 'D') >= 0) {
        array->meta.dm = dm;
        array->meta.dms = trials;
    }
}

/* As the case says it, else as the array says it. */
static void case_describe(verify_case *one)
{
    const ct_array *x = &one->step->port[0];
    size_t length = 0;
    for (int k = 0; k < x->rank && length < sizeof one->input; k++)
        length += (size_t)snprintf(one->input + length, sizeof one->input - length, "%s%c=%lld",
                                   k ? " " : "", x->dim[k], (long long)x->extent[k]);
    if (one->given->extents[0])
        length = (size_t)snprintf(one->input, sizeof one->input, "%s", one->given->extents);
    if (length < sizeof one->input)
        snprintf(one->input + length, sizeof one->input - length, ", %s", ct_type_name(x->type));
}

static ct_status case_first_input(verify_case *one, ct_error *err)
{
    ct_array *x = &one->step->port[0];
    if (ct_verify_given(one, 0) && !one->given->extents[0])
        return ct_verify_arrays_shape(one, 0, err);
    x->type = ct_type_parse(one->given->type ? one->given->type : "");
    if (x->type == CT_NONE || !case_extents(x, one->given->extents))
        return case_fail(one, err, "expected extents such as \"S=3 T=65\" and a type");
    return CT_OK;
}

static ct_status case_input(verify_case *one, int port, bool flags, ct_error *err)
{
    ct_step *step = one->step;
    const unsigned has = step->stage->ports[port].flags;
    if ((has & CT_PORT_FLAGS) && (flags || ct_verify_given(one, port)))
        step->port[port] = ct_step_flags(step, port, one->number % 4 < 2);
    else if (ct_verify_given(one, port))
        return ct_verify_arrays_shape(one, port, err);
    else if (!(has & (CT_PORT_FLAGS | CT_PORT_OPTIONAL)))
        return case_fail(one, err,
                         "a second input that must be connected can be verified only with an array "
                         "for it");
    return CT_OK;
}

static ct_status case_inputs(verify_case *one, bool flags, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(case_first_input(one, err));
    case_describe(one);
    case_meta(one->step, &one->step->port[0]);
    for (int i = 1; i < ct_step_ports(one->step); i++)
        if (one->step->stage->ports[i].direction == CT_IN) CT_TRY(case_input(one, i, flags, err));
out:
    return status;
}

/* "TILE_T=4 CELL_B=2" on top of the defaults. */
static ct_status case_tunables(verify_case *one, ct_error *err)
{
    ct_status status = CT_OK;
    const char *at = one->given->tunables ? one->given->tunables : "";
    ct_step_default_tunables(one->step);
    for (at += strspn(at, " "); *at; at += strspn(at, " ")) {
        char name[64] = "", word[64] = "";
        size_t length = strcspn(at, "= "), rest;
        if (at[length] != '=' || length >= sizeof name)
            return case_fail(one, err, "expected tunables such as \"TILE_T=4 CELL_B=2\"");
        memcpy(name, at, length);
        at += length + 1;
        rest = strcspn(at, " ");
        memcpy(word, at, rest < sizeof word ? rest : sizeof word - 1);
        at += rest;
        CT_TRY(ct_step_set_tunable(one->step, name, word, err));
    }
out:
    return status;
}

/* ---- data */

/* The whole range of an integer type; floats between -1 and 1. */
static double case_value(ct_type type, uint64_t random)
{
    int bits = (int)ct_type_bits(type) / (ct_type_complex(type) ? 2 : 1);
    bool is_signed = type != CT_U8 && type != CT_U16 && type != CT_U32;
    double unit = (double)(random >> 11) * 0x1p-53;
    if (!ct_type_integer(type)) return 2 * unit - 1;
    bits = bits > 24 ? 24 : bits;
    return floor(ldexp(unit, bits)) - (is_signed ? ldexp(0.5, bits) : 0);
}

static void case_fill(ct_array *array, int port, bool flags)
{
    int64_t count = ct_array_count(array);
    for (int64_t i = 0; i < count; i++) {
        uint64_t re = ct_verify_hash(1, (uint64_t)port, (uint64_t)i);
        uint64_t im = ct_verify_hash(2, (uint64_t)port, (uint64_t)i);
        if (flags)
            ct_array_save(array, i, re % 5 == 0, 0);
        else
            ct_array_save(array, i, case_value(array->type, re), case_value(array->type, im));
    }
}

/* Of a stream that begins, with no samples missing. */
static void case_fill_flags(ct_array *array, int64_t history)
{
    const int64_t count = ct_array_count(array), length = ct_array_extent(array, 'T');
    for (int64_t i = 0; i < count; i++)
        ct_array_save(array, i, i % length < history, 0);
}

static ct_status case_fill_input(verify_case *one, int port, bool given, ct_error *err)
{
    const ct_step *step = one->step;
    const bool flags = step->stage->ports[port].flags & CT_PORT_FLAGS;
    if (ct_verify_given(one, port)) return ct_verify_arrays_load(one, port, err);
    if (flags && given)
        case_fill_flags(&one->port[port], step->overlap_kind == CT_HISTORY ? step->overlap : 0);
    else
        case_fill(&one->port[port], port, flags);
    return CT_OK;
}

static ct_status case_port(verify_case *one, int i, bool given, ct_device *device, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_direction direction = one->step->stage->ports[i].direction;
    ct_array *array = &one->port[i];
    *array = one->step->port[i];
    if (array->type == CT_NONE || direction == CT_SCRATCH) return CT_OK;
    if (direction == CT_OUT) array->type = ct_type_complex(array->type) ? CT_CF64 : CT_F64;
    ct_array_dense(array, NULL);
    array->data = ct_memory_get(ct_array_bytes(array));
    CT_NEED(array->data, ct_array_bytes(array), err);
    if (direction == CT_IN) CT_TRY(case_fill_input(one, i, given, err));
    if (direction == CT_TABLE) CT_TRY(ct_oneshot_run_table(array, one->step, i, device, err));
out:
    return status;
}

static ct_status case_data(verify_case *one, ct_device *device, ct_error *err)
{
    ct_status status = CT_OK;
    bool given = false;
    for (int i = 0; i < ct_step_ports(one->step); i++) {
        one->given_output[i] =
            one->step->stage->ports[i].direction == CT_OUT && ct_verify_given(one, i);
        given = given || one->given_output[i];
    }
    for (int i = 0; i < ct_step_ports(one->step); i++)
        CT_TRY(case_port(one, i, given, device, err));
out:
    return status;
}

/* Outputs that have neither an array nor a reference. */
static bool case_lacks(const verify_case *one)
{
    const ct_step *step = one->step;
    for (int i = 0; i < ct_step_ports(step); i++)
        if (step->stage->ports[i].direction == CT_OUT && step->port[i].type != CT_NONE &&
            !one->given_output[i])
            return !ct_oneshot_has_reference(step->stage);
    return false;
}

/* What the outputs should hold. */
static ct_status case_expected(verify_case *one, ct_device *device, ct_error *err)
{
    ct_status status = CT_OK;
    one->unreferenced = case_lacks(one);
    if (ct_oneshot_has_reference(one->step->stage))
        CT_TRY(ct_oneshot_run_reference(one->step, device, one->port, err));
    if (one->unreferenced) CT_TRY(ct_verify_expect_natural(one, device, err));
    for (int i = 0; i < ct_step_ports(one->step); i++)
        if (one->given_output[i]) CT_TRY(ct_verify_arrays_load(one, i, err));
out:
    return status;
}

static void case_rms(verify_case *one)
{
    for (int i = 0; i < ct_step_ports(one->step); i++) {
        const ct_array *array = &one->port[i];
        int64_t count = array->type == CT_NONE ? 0 : ct_array_count(array);
        double sum = 0;
        if (one->step->stage->ports[i].direction != CT_OUT) continue;
        for (int64_t k = 0; k < count; k++) {
            ct_complex value = ct_array_load(array, k);
            sum += value.re * value.re + value.im * value.im;
        }
        one->rms[i] = count && sum > 0 ? sqrt(sum / (double)count) : 1;
    }
}

/* A run brings whole grains, but to sums that are carried: neither the kernel nor the reference
 * looks at what is left over. */
static ct_status case_grains(const verify_case *one, ct_error *err)
{
    const int64_t times = ct_array_extent(&one->step->port[0], 'T'), grain = one->step->grain;
    char what[96];
    if (ct_step_carries(one->step) || times % grain == 0) return CT_OK;
    snprintf(what, sizeof what, "expected T to be a multiple of the grain of %lld, found %lld",
             (long long)grain, (long long)times);
    return case_fail(one, err, what);
}

static ct_status case_step(verify_case *one, const ct_stage *stage, ct_error *err)
{
    ct_status status = CT_OK;
    ct_source_location location = {0};
    const char *params = one->given->params ? one->given->params : "{}";
    snprintf(one->pointer, sizeof one->pointer, "/cases/%d", one->number - 1);
    if (one->page) location = ct_source_location_of_case(one->page, one->pointer);
    CT_TRY(ct_value_parse(&one->params, params, stage->name, err));
    CT_TRY(ct_step_new(&one->step, stage, stage->name, one->params, NULL, &location, err));
out:
    return status;
}

ct_status ct_verify_case_shape(verify_case *out, const ct_stage *stage, const ct_description *page,
                               int number, bool flags, ct_device *device, ct_error *err)
{
    ct_status status = CT_OK;
    memset(out, 0, sizeof *out);
    out->given = &stage->verify.cases[number - 1];
    out->number = number;
    out->page = page;
    CT_TRY(case_step(out, stage, err));
    ct_step_set_device(out->step, device);
    CT_TRY(case_inputs(out, flags, err));
    CT_TRY(ct_verify_arrays_infer(out, err));
    CT_TRY(case_grains(out, err));
    ct_step_extend(out->step);
    CT_TRY(case_tunables(out, err));
    CT_TRY(ct_step_check_values(out->step, page, err));
out:
    if (status != CT_OK) ct_verify_case_free(out);
    return status;
}

ct_status ct_verify_case_new(verify_case *out, const ct_stage *stage, const ct_description *page,
                             int number, bool flags, ct_device *device, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(ct_verify_case_shape(out, stage, page, number, flags, device, err));
    CT_TRY(case_data(out, device, err));
    CT_TRY(case_expected(out, device, err));
    case_rms(out);
out:
    if (status != CT_OK) ct_verify_case_free(out);
    return status;
}

void ct_verify_case_free(verify_case *one)
{
    for (int i = 0; i < CT_PORTS; i++)
        ct_memory_free(one->port[i].data);
    ct_step_free(one->step);
    ct_value_free(one->params);
    memset(one, 0, sizeof *one);
}

/* ct_verify_compare.c: outputs against the reference, element by element, and what lies around
 * them. Room: tuner/verify. Knows arrays and buffers. Does not know how the outputs came about. */
#include "fail.h"
#include "verify_inner.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what is tried, in words */

static void run_add(char *out, size_t size, const char *text)
{
    size_t length = strlen(out);
    if (length < size) snprintf(out + length, size - length, "%s", text);
}

static void run_add_layouts(char *out, size_t size, const verify_case *one,
                            const verify_variant *variant, ct_direction direction, const char *verb)
{
    for (int i = 0; i < ct_step_ports(one->step); i++)
        if (one->step->stage->ports[i].direction == direction && variant->layout[i].rank > 0) {
            run_add(out, size, verb);
            run_add(out, size, variant->layout[i].dim);
            verb = ",";
        }
}

void ct_verify_describe(char *out, size_t size, const verify_case *one,
                        const verify_variant *variant)
{
    ct_step step = *one->step;
    char part[64], word[32];
    memcpy(step.tunable, variant->tunable, sizeof step.tunable);
    snprintf(out, size, "%s case %d (%s, %s):", step.stage->name, one->number, one->given->extents,
             one->given->type);
    run_add_layouts(out, size, one, variant, CT_IN, " read ");
    run_add_layouts(out, size, one, variant, CT_OUT, " write ");
    run_add_layouts(out, size, one, variant, CT_TABLE, " table ");
    for (int i = 0; i < ct_step_tunables(&step); i++) {
        snprintf(part, sizeof part, " %s=%s", step.stage->tunables[i].name,
                 ct_step_tunable_word(&step, i, word));
        run_add(out, size, part);
    }
    if (variant->pad) run_add(out, size, ", rows padded");
    if (variant->add) run_add(out, size, ", adding to what stands there");
    if (variant->bare) run_add(out, size, ", optional outputs left out");
}

void ct_verify_each(const ct_array *array, verify_visit visit, void *state)
{
    int64_t index[CT_DIMS] = {0}, count = ct_array_count(array), element = array->offset;
    for (int64_t n = 0; n < count; n++) {
        visit(state, n, element);
        for (int k = array->rank - 1; k >= 0; k--) {
            element += array->stride[k];
            if (++index[k] < array->extent[k]) break;
            element -= array->stride[k] * array->extent[k];
            index[k] = 0;
        }
    }
}

size_t ct_verify_element(const ct_array *array)
{
    return ct_type_bits(array->type) / 8;
}

/* ---- comparing */

typedef struct run_compare {
    verify_state *state;
    int port;
    int64_t wrong, first; /* how many, and the first one's natural place */
    ct_complex got, expected;
    unsigned char *owned; /* which elements are the array's */
    double allowed;
} run_compare;

/* What the reference's value becomes in the output's own type. */
static ct_complex run_through_type(ct_type type, ct_complex value)
{
    unsigned char memory[16] = {0};
    ct_array one = {.type = type, .data = memory};
    ct_array_save(&one, 0, value.re, value.im);
    return ct_array_load(&one, 0);
}

static double run_allowed(const verify_state *state, int port, ct_complex expected)
{
    ct_type type = state->step->port[port].type;
    double tolerance = state->step->stage->tolerance;
    double allowed = tolerance * state->one->rms[port];
    bool exact = ct_port_is_exact(&state->step->stage->ports[port]);
    if (tolerance == 0) return 0;
    if (ct_type_integer(type)) return exact ? 0 : fmax(allowed, 1);
    if (type == CT_F16 || type == CT_CF16)
        return allowed + 0x1p-10 * hypot(expected.re, expected.im);
    return allowed;
}

static void run_compare_one(void *of, int64_t natural, int64_t element)
{
    run_compare *compare = of;
    verify_state *state = compare->state;
    int port = compare->port;
    bool adds = state->variant->add && (state->step->stage->ports[port].flags & CT_PORT_ACCUMULATE);
    ct_complex expected = ct_array_load(&state->one->port[port], natural);
    ct_complex got = ct_array_load(&state->host[port], element);
    double error, preload = adds ? ct_verify_preload(port, natural) : 0;
    expected.re += preload;
    expected.im += ct_type_complex(state->host[port].type) ? preload : 0;
    expected = run_through_type(state->host[port].type, expected);
    error = hypot(got.re - expected.re, got.im - expected.im);
    compare->owned[element] = 1;
    if (error <= run_allowed(state, port, expected)) {
        state->worst = fmax(state->worst, error / state->one->rms[port]);
        return;
    }
    if (compare->wrong++ == 0) {
        compare->first = natural;
        compare->got = got;
        compare->expected = expected;
    }
}

/* "s=1 p=0 t=3 c=5" */
static void run_coordinate(char *out, size_t size, const ct_array *array, int64_t natural)
{
    char part[32];
    int64_t index[CT_DIMS];
    for (int k = array->rank - 1; k >= 0; k--) {
        index[k] = natural % array->extent[k];
        natural /= array->extent[k];
    }
    out[0] = 0;
    for (int k = 0; k < array->rank; k++) {
        snprintf(part, sizeof part, "%s%c=%lld", k ? " " : "",
                 tolower((unsigned char)array->dim[k]), (long long)index[k]);
        run_add(out, size, part);
    }
}

/* The sign of a NaN says nothing to a person. */
static double run_plain(double value)
{
    return isnan(value) ? fabs(value) : value;
}

static void run_number(char out[64], ct_type type, ct_complex value)
{
    int digits = ct_type_integer(type) ? 17 : 9;
    if (ct_type_complex(type))
        ct_number_print(out, 64, "(%.*g, %.*g)", digits, run_plain(value.re), digits,
                        run_plain(value.im));
    else
        ct_number_print(out, 64, "%.*g", digits, run_plain(value.re));
}

static ct_status run_fail_value(const run_compare *compare, ct_error *err)
{
    const verify_state *state = compare->state;
    const ct_array *host = &state->host[compare->port];
    char what[512], place[128], got[64], expected[64];
    ct_verify_describe(what, sizeof what, state->one, state->variant);
    run_coordinate(place, sizeof place, host, compare->first);
    run_number(got, host->type, compare->got);
    run_number(expected, host->type, compare->expected);
    return ct_error_add(err, CT_MISMATCH, "%s: %s at %s: got %s, expected %s (%lld of %lld wrong)",
                        what, state->step->stage->ports[compare->port].name, place, got, expected,
                        (long long)compare->wrong, (long long)ct_array_count(host));
}

/* The first byte outside the array's elements that was written; -1 where none was. */
static int64_t run_stray(const run_compare *compare)
{
    const verify_state *state = compare->state;
    const ct_array *host = &state->host[compare->port];
    const unsigned char *bytes = host->data;
    size_t element = ct_verify_element(host);
    for (size_t i = 0; i < state->bytes[compare->port]; i++)
        if (!compare->owned[i / element] && bytes[i] != VERIFY_POISON) return (int64_t)i;
    return -1;
}

static ct_status run_fail_stray(const run_compare *compare, int64_t byte, ct_error *err)
{
    const verify_state *state = compare->state;
    const ct_array *host = &state->host[compare->port];
    char what[512];
    ct_verify_describe(what, sizeof what, state->one, state->variant);
    return ct_error_add(err, CT_MISMATCH,
                        "%s: %s was written outside its elements: element %lld, the array begins "
                        "at %lld and ends before %lld",
                        what, state->step->stage->ports[compare->port].name,
                        (long long)(byte / (int64_t)ct_verify_element(host)),
                        (long long)host->offset, (long long)ct_array_span(host));
}

static ct_status run_compare_port(verify_state *state, int port, ct_error *err)
{
    ct_status status = CT_OK;
    ct_array *host = &state->host[port];
    run_compare compare = {.state = state, .port = port};
    int64_t stray;
    compare.owned = ct_memory_get(state->bytes[port] / ct_verify_element(host) + 1);
    CT_NEED(compare.owned, state->bytes[port] / ct_verify_element(host) + 1, err);
    CT_TRY(
        ct_buffer_read(&state->mem[port], state->device, 0, host->data, state->bytes[port], err));
    ct_verify_each(host, run_compare_one, &compare);
    if (compare.wrong) CT_TRY(run_fail_value(&compare, err));
    stray = run_stray(&compare);
    if (stray >= 0) CT_TRY(run_fail_stray(&compare, stray, err));
out:
    ct_memory_free(compare.owned);
    return status;
}

ct_status ct_verify_compare(verify_state *state, ct_error *err)
{
    ct_status status = CT_OK;
    for (int i = 0; i < ct_step_ports(state->step); i++)
        if (state->step->stage->ports[i].direction == CT_OUT &&
            state->step->port[i].type != CT_NONE)
            CT_TRY(run_compare_port(state, i, err));
out:
    return status;
}

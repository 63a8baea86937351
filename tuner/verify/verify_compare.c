/* ct_verify_compare.c: outputs against the reference, element by element, and what lies around
 * them. Room: tuner/verify. Knows arrays and buffers. Does not know how the outputs came about. */
#include "fail.h"
#include "verify_inner.h"
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
    snprintf(out, size, "%s case %d (%s):", step.stage->name, one->number, one->input);
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
    unsigned char *owned;  /* which elements are the array's */
    int64_t suspect, hole; /* wrong ones that hold poison, which once there was a second firing are
                              unwritten, and are not counted above; the first one's place */
} run_compare;

static bool run_is_poison(const unsigned char *bytes, size_t count, unsigned char poison)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != poison) return false;
    return true;
}

/* One element: was it left as it was, as far as is known? */
static bool run_is_unwritten(const verify_state *state, int port, int64_t element)
{
    const size_t size = ct_verify_element(&state->host[port]), at = size * (size_t)element;
    const unsigned char *first = state->host[port].data, *second = state->again[port];
    return run_is_poison(first + at, size, VERIFY_POISON) &&
           (!second || run_is_poison(second + at, size, VERIFY_OTHER));
}

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
    if (run_is_unwritten(state, port, element)) {
        if (compare->suspect++ == 0) compare->hole = natural;
        if (state->again[port]) return;
    }
    if (compare->wrong++ == 0) {
        compare->first = natural;
        compare->got = got;
        compare->expected = expected;
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
    char what[512], place[CT_ARRAY_COORDINATE], got[64], expected[64];
    ct_verify_describe(what, sizeof what, state->one, state->variant);
    ct_array_coordinate(place, host, compare->first);
    run_number(got, host->type, compare->got);
    run_number(expected, host->type, compare->expected);
    return ct_error_add(err, CT_MISMATCH, "%s: %s at %s: got %s, expected %s (%lld of %lld wrong)",
                        what, state->step->stage->ports[compare->port].name, place, got, expected,
                        (long long)compare->wrong, (long long)ct_array_count(host));
}

static ct_status run_fail_unwritten(const verify_state *state, int port, int64_t hole,
                                    int64_t unwritten, ct_error *err)
{
    const ct_array *host = &state->host[port];
    char what[512], place[CT_ARRAY_COORDINATE];
    ct_verify_describe(what, sizeof what, state->one, state->variant);
    ct_array_coordinate(place, host, hole);
    return ct_error_add(err, CT_MISMATCH, "%s: %s at %s is left unwritten (%lld of %lld elements)",
                        what, state->step->stage->ports[port].name, place, (long long)unwritten,
                        (long long)ct_array_count(host));
}

/* ---- what was written where nothing of the array is */

typedef struct run_strays {
    int64_t count[3], farthest[3]; /* before the array, behind it, between its rows */
} run_strays;

enum { STRAY_BEFORE, STRAY_BEHIND, STRAY_BETWEEN };

static void run_stray(run_strays *strays, const ct_array *host, int64_t element)
{
    const int64_t end = ct_array_span(host);
    const int where = element < host->offset ? STRAY_BEFORE
                      : element >= end       ? STRAY_BEHIND
                                             : STRAY_BETWEEN;
    const int64_t far = where == STRAY_BEFORE ? host->offset - element : element - end + 1;
    strays->count[where]++;
    if (strays->count[where] == 1 || far > strays->farthest[where]) strays->farthest[where] = far;
}

static void run_find_strays(run_strays *strays, const run_compare *compare)
{
    const verify_state *state = compare->state;
    const ct_array *host = &state->host[compare->port];
    const unsigned char *bytes = host->data;
    const size_t size = ct_verify_element(host);
    for (size_t i = 0; i < state->bytes[compare->port] / size; i++)
        if (!compare->owned[i] && !run_is_poison(bytes + i * size, size, VERIFY_POISON))
            run_stray(strays, host, (int64_t)i);
}

static ct_status run_fail_strays(const run_compare *compare, const run_strays *strays,
                                 ct_error *err)
{
    static const char *const places[] = {"before its beginning", "beyond its end",
                                         "into the gaps between its rows"};
    const verify_state *state = compare->state;
    char what[512], far[64] = "";
    ct_verify_describe(what, sizeof what, state->one, state->variant);
    for (int i = 0; i < 3; i++) {
        if (!strays->count[i]) continue;
        if (i != STRAY_BETWEEN)
            snprintf(far, sizeof far, ", the farthest %lld away", (long long)strays->farthest[i]);
        ct_error_add(err, CT_MISMATCH, "%s: %s is written %s: %lld element%s%s", what,
                     state->step->stage->ports[compare->port].name, places[i],
                     (long long)strays->count[i], strays->count[i] == 1 ? "" : "s",
                     i == STRAY_BETWEEN ? "" : far);
    }
    return CT_MISMATCH;
}

/* ---- a port */

/* Values that are poison may be results all the same: a second firing tells. */
static ct_status run_compare_values(run_compare *compare, ct_error *err)
{
    ct_status status = CT_OK;
    verify_state *state = compare->state;
    ct_array *host = &state->host[compare->port];
    ct_verify_each(host, run_compare_one, compare);
    if (compare->suspect) {
        if (!state->again[compare->port]) CT_TRY(ct_verify_again(state, err));
        compare->wrong = compare->suspect = 0;
        ct_verify_each(host, run_compare_one, compare);
    }
out:
    return status;
}

static ct_status run_compare_port(verify_state *state, int port, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t elements = state->bytes[port] / ct_verify_element(&state->host[port]) + 1;
    run_compare compare = {.state = state, .port = port};
    run_strays strays = {0};
    compare.owned = ct_memory_get(elements);
    CT_NEED(compare.owned, elements, err);
    CT_TRY(run_compare_values(&compare, err));
    if (compare.suspect)
        status = run_fail_unwritten(state, port, compare.hole, compare.suspect, err);
    if (compare.wrong) status = run_fail_value(&compare, err);
    run_find_strays(&strays, &compare);
    if (strays.count[0] + strays.count[1] + strays.count[2])
        status = run_fail_strays(&compare, &strays, err);
out:
    ct_memory_free(compare.owned);
    return status;
}

ct_status ct_verify_compare(verify_state *state, ct_error *err)
{
    ct_status status = CT_OK;
    for (int i = 0; i < ct_step_ports(state->step); i++)
        if (state->step->stage->ports[i].direction == CT_OUT &&
            state->step->port[i].type != CT_NONE) {
            const ct_status one = run_compare_port(state, i, err);
            status = one == CT_OK ? status : one;
            if (one != CT_OK && one != CT_MISMATCH) break;
        }
    return status;
}

/* ---- outputs that become what is expected */

typedef struct run_taking {
    const verify_state *state;
    ct_array *to;
    int port;
    int64_t unwritten, hole;
} run_taking;

static void run_take_one(void *of, int64_t natural, int64_t element)
{
    run_taking *taking = of;
    const ct_complex value = ct_array_load(&taking->state->host[taking->port], element);
    ct_array_save(taking->to, natural, value.re, value.im);
    if (!run_is_unwritten(taking->state, taking->port, element)) return;
    if (taking->unwritten++ == 0) taking->hole = natural;
}

ct_status ct_verify_take(const verify_state *state, verify_case *one, ct_error *err)
{
    ct_status status = CT_OK;
    for (int i = 0; i < ct_step_ports(state->step); i++) {
        run_taking taking = {.state = state, .to = &one->port[i], .port = i};
        if (state->step->port[i].type == CT_NONE ||
            state->step->stage->ports[i].direction != CT_OUT || one->told[i])
            continue;
        ct_verify_each(&state->host[i], run_take_one, &taking);
        if (taking.unwritten)
            CT_TRY(run_fail_unwritten(state, i, taking.hole, taking.unwritten, err));
    }
out:
    return status;
}

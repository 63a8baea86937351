/* verify_compare.c: outputs against the reference, element by element, and what lies around
 * them. Room: tuner/verify. Knows arrays and buffers. Does not know how the outputs came about. */
#include "expected_output.h"
#include "fail.h"
#include "natural_order.h"
#include "text.h"
#include "verify_inner.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Wrong results at an edge of a block: among so small a part of its samples. */
enum { COMPARE_EDGE = 4 };

/* ---- what is tried, in words */

static void compare_add(char *out, size_t size, const char *text)
{
    size_t length = strlen(out);
    if (length < size) snprintf(out + length, size - length, "%s", text);
}

static void compare_add_layouts(char *out, size_t size, const verify_case *one,
                                const verify_variant *variant, ct_direction direction,
                                const char *verb)
{
    for (int i = 0; i < ct_step_ports(one->step); i++)
        if (one->step->stage->ports[i].direction == direction && variant->layout[i].rank > 0) {
            compare_add(out, size, verb);
            compare_add(out, size, variant->layout[i].dim);
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
    compare_add_layouts(out, size, one, variant, CT_IN, " read ");
    compare_add_layouts(out, size, one, variant, CT_OUT, " write ");
    compare_add_layouts(out, size, one, variant, CT_TABLE, " table ");
    for (int i = 0; i < ct_step_tunables(&step); i++) {
        snprintf(part, sizeof part, " %s=%s", step.stage->tuning.tunables[i].name,
                 ct_step_tunable_word(&step, i, word));
        compare_add(out, size, part);
    }
    if (variant->pad) compare_add(out, size, ", rows padded");
    if (variant->add) compare_add(out, size, ", adding to what stands there");
    if (variant->piece) {
        snprintf(part, sizeof part, ", only samples %lld to %lld (CT_START %lld)",
                 (long long)variant->piece->first, (long long)variant->piece->end - 1,
                 (long long)variant->piece->start);
        compare_add(out, size, part);
    }
    if (variant->bare) compare_add(out, size, ", optional outputs left out");
}

size_t ct_verify_element(const ct_array *array)
{
    return ct_type_bits(array->type) / 8;
}

/* ---- comparing */

static double compare_allowed(const verify_state *state, int port)
{
    const double tolerance = state->step->stage->verify.tolerance;
    const double allowed = tolerance * state->one->rms[port];
    const bool exact = ct_port_is_exact(&state->step->stage->ports[port]);
    if (tolerance == 0) return 0;
    if (ct_type_integer(state->step->port[port].type)) return exact ? 0 : fmax(allowed, 1);
    return allowed;
}

/* The reference's values in the output's own type, on top of what is there where it is added. */
static ct_status compare_expect(ct_expected *out, const verify_state *state, int port,
                                ct_error *err)
{
    ct_status status = CT_OK;
    const bool adds =
        state->variant->add && (state->step->stage->ports[port].flags & CT_PORT_ACCUMULATE);
    const verify_piece *piece = state->variant->piece;
    const ct_array *right = piece ? &piece->port[port] : &state->one->port[port];
    CT_TRY(ct_expected_new(out, &state->host[port], err));
    for (int64_t n = 0; n < out->count; n++) {
        const ct_complex value = ct_array_load(right, n);
        const double preload = adds ? ct_verify_preload(port, n) : 0;
        ct_array_save(&out->array, n, value.re + preload, value.im + preload);
    }
out:
    return status;
}

/* What the port held after one of the firings. */
static ct_status compare_take(ct_expected *out, const verify_state *state, int port, void *data,
                              ct_error *err)
{
    ct_array array = state->host[port];
    array.data = data;
    return ct_expected_take(out, &array, err);
}

/* The sentence's beginning: what is tried, the port, and the element with this natural index. */
static const char *compare_place(ct_text *text, const verify_state *state, int port,
                                 int64_t natural)
{
    char what[512], place[CT_ARRAY_COORDINATE];
    ct_verify_describe(what, sizeof what, state->one, state->variant);
    ct_array_coordinate(place, &state->host[port], natural);
    ct_text_add(text, "%s: %s at %s", what, state->step->stage->ports[port].name, place);
    return text->data;
}

/* What is wrong only where a block begins, or ends, reads samples of its neighbours. */
static void compare_say_edge(ct_text *text, const verify_state *state, int port,
                             const ct_difference *found)
{
    const int64_t samples = ct_array_extent(&state->host[port], 'T');
    const int64_t first = found->to + 1, last = samples - found->from;
    const bool overlaps = state->step->overlap > 0 || state->variant->piece;
    if (ct_array_find(&state->host[port], 'T') < 0 || overlaps) return;
    if (first <= samples / COMPARE_EDGE)
        ct_text_add(
            text,
            ", all in the first %lld of %lld samples: does the kernel read earlier ones? They "
            "come with \"overlap\"",
            (long long)first, (long long)samples);
    else if (last <= samples / COMPARE_EDGE)
        ct_text_add(
            text,
            ", all in the last %lld of %lld samples: does the kernel read later ones? A block "
            "has none; with \"overlap\" it has earlier ones",
            (long long)last, (long long)samples);
}

static ct_status compare_fail_value(const verify_state *state, int port,
                                    const ct_expected *expected, const ct_difference *found,
                                    ct_error *err)
{
    ct_text where = {0}, values = {0}, edge = {0};
    ct_expected_say(&values, expected, &state->host[port], found->first_wrong);
    compare_say_edge(&edge, state, port, found);
    (void)ct_error_add(err, CT_MISMATCH, "%s: %s (%lld of %lld wrong%s)",
                       compare_place(&where, state, port, found->first_wrong), values.data,
                       (long long)found->wrong, (long long)expected->count,
                       edge.data ? edge.data : "");
    ct_text_free(&edge);
    ct_text_free(&where);
    ct_text_free(&values);
    return CT_MISMATCH;
}

static ct_status compare_fail_unwritten(const verify_state *state, int port, int64_t first,
                                        int64_t unwritten, ct_error *err)
{
    ct_text where = {0};
    (void)ct_error_add(err, CT_MISMATCH, "%s is left unwritten (%lld of %lld elements)",
                       compare_place(&where, state, port, first), (long long)unwritten,
                       (long long)ct_array_count(&state->host[port]));
    ct_text_free(&where);
    return CT_MISMATCH;
}

/* ---- what was written where nothing of the array is */

typedef struct compare_strays {
    int64_t count[3], farthest[3]; /* before the array, after it, between its rows */
} compare_strays;

enum { STRAY_BEFORE, STRAY_AFTER, STRAY_BETWEEN };

static void compare_stray(compare_strays *strays, const ct_array *host, int64_t element)
{
    const int64_t end = ct_array_span(host);
    const int where = element < host->offset ? STRAY_BEFORE
                      : element >= end       ? STRAY_AFTER
                                             : STRAY_BETWEEN;
    const int64_t far = where == STRAY_BEFORE ? host->offset - element : element - end + 1;
    strays->count[where]++;
    if (strays->count[where] == 1 || far > strays->farthest[where]) strays->farthest[where] = far;
}

static void compare_wipe(void *of, int64_t natural, int64_t count, void *row)
{
    const size_t *size = of;
    (void)natural;
    memset(row, CT_EXPECTED_POISON, (size_t)count * *size);
}

/* Once its own elements are poison again, the memory holds nothing else. */
static void compare_find_strays(compare_strays *strays, const verify_state *state, int port)
{
    const ct_array *host = &state->host[port];
    const unsigned char *bytes = host->data;
    size_t size = ct_verify_element(host);
    ct_natural_order_write(host, compare_wipe, &size);
    for (size_t i = 0; i < state->bytes[port] / size * size; i++)
        if (bytes[i] != CT_EXPECTED_POISON) {
            compare_stray(strays, host, (int64_t)(i / size));
            i += size - 1 - i % size;
        }
}

static ct_status compare_fail_strays(const verify_state *state, int port,
                                     const compare_strays *strays, ct_error *err)
{
    static const char *const places[] = {"before its beginning", "beyond its end",
                                         "into the gaps between its rows"};
    char what[512], far[64] = "";
    ct_verify_describe(what, sizeof what, state->one, state->variant);
    for (int i = 0; i < 3; i++) {
        if (!strays->count[i]) continue;
        if (i != STRAY_BETWEEN)
            snprintf(far, sizeof far, ", the farthest %lld away", (long long)strays->farthest[i]);
        ct_error_add(err, CT_MISMATCH, "%s: %s is written %s: %lld element%s%s", what,
                     state->step->stage->ports[port].name, places[i], (long long)strays->count[i],
                     strays->count[i] == 1 ? "" : "s", i == STRAY_BETWEEN ? "" : far);
    }
    return CT_MISMATCH;
}

/* ---- a port */

/* Values that are poison may be results all the same: a second firing tells. */
static ct_status compare_values(verify_state *state, int port, const ct_expected *expected,
                                ct_error *err)
{
    ct_status status = CT_OK;
    const ct_array *host = &state->host[port];
    const double most = compare_allowed(state, port);
    ct_expected again = {0};
    ct_difference found = ct_expected_compare(expected, host, CT_EXPECTED_EACH, most, NULL);
    if (found.unwritten) {
        if (!state->again[port]) CT_TRY(ct_verify_fire_again(state, err));
        CT_TRY(compare_take(&again, state, port, state->again[port], err));
        found = ct_expected_compare(expected, host, CT_EXPECTED_EACH, most, &again);
    }
    state->worst = fmax(state->worst, found.worst / state->one->rms[port]);
    if (found.unwritten)
        status = compare_fail_unwritten(state, port, found.first_unwritten, found.unwritten, err);
    if (found.wrong) status = compare_fail_value(state, port, expected, &found, err);
out:
    ct_expected_free(&again);
    return status;
}

static ct_status compare_port(verify_state *state, int port, ct_error *err)
{
    ct_expected expected = {0};
    compare_strays strays = {0};
    ct_status status = compare_expect(&expected, state, port, err);
    if (status == CT_OK) status = compare_values(state, port, &expected, err);
    if (status == CT_OK || status == CT_MISMATCH) compare_find_strays(&strays, state, port);
    if (strays.count[0] + strays.count[1] + strays.count[2])
        status = compare_fail_strays(state, port, &strays, err);
    ct_expected_free(&expected);
    return status;
}

ct_status ct_verify_compare(verify_state *state, ct_error *err)
{
    ct_status status = CT_OK;
    for (int i = 0; i < ct_step_ports(state->step); i++)
        if (state->step->stage->ports[i].direction == CT_OUT &&
            state->step->port[i].type != CT_NONE) {
            const ct_status one = compare_port(state, i, err);
            status = one == CT_OK ? status : one;
            if (one != CT_OK && one != CT_MISMATCH) break;
        }
    return status;
}

/* ---- outputs that become what is expected */

static ct_status compare_take_port(const verify_state *state, int port, ct_array *to, ct_error *err)
{
    ct_status status = CT_OK;
    int64_t where = 0;
    ct_expected first = {0}, again = {0};
    CT_TRY(compare_take(&first, state, port, state->host[port].data, err));
    CT_TRY(compare_take(&again, state, port, state->again[port], err));
    for (int64_t n = 0; n < first.count; n++) {
        const ct_complex value = ct_array_load(&first.array, n);
        ct_array_save(to, n, value.re, value.im);
    }
    const int64_t unwritten = ct_expected_unwritten(&first, &again, &where);
    if (unwritten) CT_TRY(compare_fail_unwritten(state, port, where, unwritten, err));
out:
    ct_expected_free(&first);
    ct_expected_free(&again);
    return status;
}

ct_status ct_verify_take_outputs(const verify_state *state, verify_case *one, ct_error *err)
{
    ct_status status = CT_OK;
    for (int i = 0; i < ct_step_ports(state->step); i++)
        if (state->step->port[i].type != CT_NONE &&
            state->step->stage->ports[i].direction == CT_OUT && !one->given_output[i])
            CT_TRY(compare_take_port(state, i, &one->port[i], err));
out:
    return status;
}

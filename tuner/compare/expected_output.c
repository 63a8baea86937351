/* expected_output.c: see expected_output.h. What was written is read in rows of the natural order,
 * in which the expectation lies: rows that are clearly near enough are passed by loops that a
 * compiler can make fast, the others are looked at number by number. Room: tuner/compare. Knows
 * host arrays. Does not know devices, steps or stages. */
#include "expected_output.h"

#include <math.h>
#include <string.h>

#include "fail.h"
#include "layout.h"
#include "memory.h"
#include "natural_order.h"
#include "text.h"

static size_t expected_size(const ct_array *array)
{
    return ct_type_bits(array->type) / 8;
}

static int64_t expected_parts(const ct_array *array)
{
    return ct_type_complex(array->type) ? 2 : 1;
}

/* Elements that lie together from here on, as an array of which they can be loaded. */
static ct_array expected_at(const ct_array *array, const void *data)
{
    ct_array row = *array;
    row.data = (void *)data;
    return row;
}

static const unsigned char *expected_element(const ct_expected *self, int64_t natural)
{
    return (const unsigned char *)self->array.data + (size_t)natural * expected_size(&self->array);
}

static bool expected_is_poison(const unsigned char *element, size_t size, unsigned char poison)
{
    while (size > 0 && element[size - 1] == poison)
        size--;
    return size == 0;
}

/* ---------------------------------------------------------------- words */

/* The sign of a NaN says nothing to a person. */
static double expected_plain(double value)
{
    return isnan(value) ? fabs(value) : value;
}

static void expected_number(ct_text *text, const ct_array *array, int64_t at)
{
    const ct_complex value = ct_array_load(array, at);
    const int digits = ct_type_integer(array->type) ? 17 : 9;
    if (ct_type_complex(array->type))
        ct_text_add(text, "(%.*g, %.*g)", digits, expected_plain(value.re), digits,
                    expected_plain(value.im));
    else
        ct_text_add(text, "%.*g", digits, expected_plain(value.re));
}

void ct_expected_say(ct_text *text, const ct_expected *expected, const ct_array *array,
                     int64_t natural)
{
    int64_t at = array->offset, rest = natural;
    for (int k = array->rank - 1; k >= 0; k--) {
        at += rest % array->extent[k] * array->stride[k];
        rest /= array->extent[k];
    }
    ct_text_add(text, "got ");
    expected_number(text, array, at);
    ct_text_add(text, ", expected ");
    expected_number(text, &expected->array, natural);
}

/* ---------------------------------------------------------------- numbers that are not finite */

/* How many of these numbers are not finite, and how many of those are poison. */
#define EXPECTED_BAD(bits, exponent)                                                               \
    static int64_t expected_bad_##bits(const void *of, int64_t count, int64_t *unwritten)          \
    {                                                                                              \
        const uint##bits##_t *row = of, all = (uint##bits##_t)(exponent);                          \
        int64_t bad = 0, poison = 0;                                                               \
        for (int64_t i = 0; i < count; i++) {                                                      \
            bad += (row[i] & all) == all;                                                          \
            poison += row[i] == UINT##bits##_MAX;                                                  \
        }                                                                                          \
        *unwritten += poison;                                                                      \
        return bad;                                                                                \
    }
EXPECTED_BAD(16, 0x7c00u)
EXPECTED_BAD(32, 0x7f800000u)
EXPECTED_BAD(64, 0x7ff0000000000000u)

typedef struct expected_bad {
    const ct_array *array;
    int64_t values, unwritten; /* numbers that are not finite; of these as they were before */
    int64_t first;             /* natural index of the first element that has one */
} expected_bad;

static int64_t expected_bad_count(const ct_array *array, const void *row, int64_t elements,
                                  int64_t *unwritten)
{
    const int64_t count = elements * expected_parts(array);
    const size_t bytes = expected_size(array) / (size_t)expected_parts(array);
    return bytes == 2   ? expected_bad_16(row, count, unwritten)
           : bytes == 4 ? expected_bad_32(row, count, unwritten)
                        : expected_bad_64(row, count, unwritten);
}

static void expected_bad_row(void *of, int64_t natural, int64_t count, const void *row)
{
    expected_bad *bad = of;
    const char *at = row;
    int64_t first = natural, ignored = 0;
    const int64_t found = expected_bad_count(bad->array, row, count, &bad->unwritten);
    if (!found) return;
    for (; !expected_bad_count(bad->array, at, 1, &ignored); first++)
        at += expected_size(bad->array);
    if (bad->values == 0 || first < bad->first) bad->first = first;
    bad->values += found;
}

ct_status ct_expected_scan(const ct_array *array, const char *name, ct_error *err)
{
    expected_bad bad = {.array = array};
    char place[CT_ARRAY_COORDINATE];
    if (ct_type_integer(array->type)) return CT_OK;
    ct_natural_order_read(array, expected_bad_row, &bad);
    if (bad.values == 0) return CT_OK;
    const bool unwritten = bad.unwritten > 0;
    ct_array_coordinate(place, array, bad.first);
    return ct_error_add(err, CT_MISMATCH, "%s %s: %lld of its %lld numbers, first at %s", name,
                        unwritten ? "is partly unwritten" : "is not finite",
                        (long long)(unwritten ? bad.unwritten : bad.values),
                        (long long)(ct_array_count(array) * expected_parts(array)), place);
}

/* ---------------------------------------------------------------- what is compared */

ct_status ct_expected_new(ct_expected *out, const ct_array *array, ct_error *err)
{
    *out = (ct_expected){.array = *array, .count = ct_array_count(array)};
    out->bytes = (size_t)out->count * expected_size(array);
    ct_array_dense(&out->array, NULL);
    out->array.data = ct_memory_pages(out->bytes);
    return out->array.data ? CT_OK : ct_memory_fail(out->bytes, err);
}

static void expected_take_row(void *of, int64_t natural, int64_t count, const void *row)
{
    const ct_expected *to = of;
    memcpy((void *)expected_element(to, natural), row, (size_t)count * expected_size(&to->array));
}

ct_status ct_expected_take(ct_expected *out, const ct_array *array, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(ct_expected_new(out, array, err));
    ct_natural_order_read(array, expected_take_row, out);
out:
    return status;
}

double ct_expected_rms(const ct_array *natural)
{
    double power = 0;
    const int64_t count = ct_array_count(natural);
    for (int64_t n = 0; n < count; n++) {
        const ct_complex value = ct_array_load(natural, n);
        power += value.re * value.re + value.im * value.im;
    }
    return sqrt(power / (double)(count ? count : 1));
}

void ct_expected_free(ct_expected *expected)
{
    ct_memory_pages_free(expected->array.data, expected->bytes);
    *expected = (ct_expected){0};
}

int64_t ct_expected_unwritten(const ct_expected *first, const ct_expected *again, int64_t *where)
{
    int64_t unwritten = 0;
    const size_t size = expected_size(&first->array);
    for (int64_t n = 0; n < first->count; n++)
        if (expected_is_poison(expected_element(first, n), size, CT_EXPECTED_POISON) &&
            expected_is_poison(expected_element(again, n), size, CT_EXPECTED_SECOND_POISON) &&
            unwritten++ == 0)
            *where = n;
    return unwritten;
}

/* ---------------------------------------------------------------- comparing */

/* Whether all of these numbers are so near each other that there is no doubt: each within its share
 * of what is allowed for the complex number. Not so where one is not finite. */
typedef bool expected_near(const void *a, const void *b, int64_t count, double most);

#define EXPECTED_NEAR(type, number)                                                                \
    static bool expected_near_##type(const void *a, const void *b, int64_t count, double most)     \
    {                                                                                              \
        const number *x = a, *y = b, limit = (number)(0.7 * most);                                 \
        int64_t far = 0;                                                                           \
        for (int64_t i = 0; i < count; i++) {                                                      \
            const number difference = x[i] - y[i];                                                 \
            far += !(difference <= limit && -difference <= limit);                                 \
        }                                                                                          \
        return far == 0;                                                                           \
    }
EXPECTED_NEAR(f32, float)
EXPECTED_NEAR(f64, double)

/* Neighbours among normal halves of one sign: that is what their last bit makes. */
static bool expected_near_f16(const void *a, const void *b, int64_t count, double most)
{
    const uint16_t *x = a, *y = b;
    int64_t far = 0;
    (void)most;
    for (int64_t i = 0; i < count; i++) {
        const bool normal =
            (uint16_t)((x[i] & 0x7c00u) - 1) < 0x7bff && (y[i] & 0x7c00u) != 0x7c00u;
        far += !(normal && (uint16_t)(x[i] - y[i] + 1) <= 2);
    }
    return far == 0;
}

static expected_near *expected_find(const ct_array *array)
{
    const unsigned bits = ct_type_bits(array->type) / (unsigned)expected_parts(array);
    if (ct_type_integer(array->type)) return NULL;
    return bits == 16 ? expected_near_f16 : bits == 32 ? expected_near_f32 : expected_near_f64;
}

typedef struct expected_compare {
    const ct_expected *self, *again;
    ct_expected_how how;
    double most;
    expected_near *near; /* NULL: number by number */
    ct_difference found;
} expected_compare;

static bool expected_agrees(expected_compare *c, const ct_array *wanted, const ct_array *found,
                            int64_t n)
{
    const ct_complex a = ct_array_load(wanted, n), b = ct_array_load(found, n);
    const double away = hypot(a.re - b.re, a.im - b.im);
    const bool half = wanted->type == CT_F16 || wanted->type == CT_CF16;
    const double last = half && c->most > 0 ? 0x1p-10 * hypot(a.re, a.im) : 0;
    if (!(away <= c->most + last)) return false; /* one may be a NaN */
    c->found.worst = fmax(c->found.worst, away);
    return true;
}

/* The index along T of an element in natural order. */
static int64_t expected_time(const ct_array *array, int64_t natural)
{
    const int time = ct_array_find(array, 'T');
    if (time < 0) return 0;
    for (int i = array->rank - 1; i > time; i--)
        natural /= array->extent[i];
    return natural % array->extent[time];
}

static void expected_wrong(expected_compare *c, int64_t natural, const unsigned char *element)
{
    const int64_t time = expected_time(&c->self->array, natural);
    const size_t size = expected_size(&c->self->array);
    ct_difference *found = &c->found;
    const bool unwritten = expected_is_poison(element, size, CT_EXPECTED_POISON) &&
                           (!c->again || expected_is_poison(expected_element(c->again, natural),
                                                            size, CT_EXPECTED_SECOND_POISON));
    int64_t *count = unwritten ? &found->unwritten : &found->wrong;
    int64_t *first = unwritten ? &found->first_unwritten : &found->first_wrong;
    if ((*count)++ == 0 || natural < *first) *first = natural;
    if (unwritten) return;
    found->from = found->wrong == 1 || time < found->from ? time : found->from;
    found->to = found->wrong == 1 || time > found->to ? time : found->to;
}

static void expected_compare_row(void *of, int64_t natural, int64_t count, const void *row)
{
    expected_compare *c = of;
    const size_t size = expected_size(&c->self->array);
    const bool each = c->how == CT_EXPECTED_EACH;
    const unsigned char *a = expected_element(c->self, natural), *b = row;
    const ct_array wanted = expected_at(&c->self->array, a);
    const ct_array found = expected_at(&c->self->array, b);
    if (!each && memcmp(a, b, (size_t)count * size) == 0) return;
    if (c->near && c->near(a, b, count * expected_parts(&wanted), c->most)) return;
    for (int64_t n = 0; n < count; n++) {
        const size_t at = (size_t)n * size;
        if (!each && memcmp(a + at, b + at, size) == 0) continue;
        if (c->how == CT_EXPECTED_BITS || !expected_agrees(c, &wanted, &found, n))
            expected_wrong(c, natural + n, b + at);
    }
}

ct_difference ct_expected_compare(const ct_expected *expected, const ct_array *array,
                                  ct_expected_how how, double most, const ct_expected *again)
{
    expected_compare c = {.self = expected, .again = again, .how = how, .most = most};
    if (how == CT_EXPECTED_NEAR) c.near = expected_find(array);
    ct_natural_order_read(array, expected_compare_row, &c);
    return c.found;
}

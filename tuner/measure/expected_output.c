/* expected_output.c: see expected_output.h. What was written is met in rows of the natural order,
 * in which the expectation lies: rows that are clearly near enough are passed by loops that a
 * compiler can make fast, the others are looked at number by number. Room: tuner/measure. Knows
 * host arrays. Does not know devices, steps or stages. */
#include "expected_output.h"

#include <math.h>
#include <string.h>

#include "fail.h"
#include "memory.h"
#include "natural_order.h"
#include "text.h"

static size_t expected_size(const ct_array *array)
{
    return ct_type_bits(array->type) / 8;
}

/* ---------------------------------------------------------------- words */

/* "s=1 p=0 t=3": the n-th index in natural order. */
static void expected_place(ct_text *text, const ct_array *array, int64_t natural)
{
    int64_t index[CT_DIMS];
    for (int k = array->rank - 1; k >= 0; k--) {
        index[k] = natural % array->extent[k];
        natural /= array->extent[k];
    }
    for (int k = 0; k < array->rank; k++)
        ct_text_add(text, "%s%c=%lld", k ? " " : "", array->dim[k] | 0x20, (long long)index[k]);
}

/* The sign of a NaN says nothing to a person. */
static double expected_plain(double value)
{
    return isnan(value) ? fabs(value) : value;
}

static void expected_number(ct_text *text, const ct_array *one)
{
    const ct_complex value = ct_array_load(one, 0);
    const int digits = ct_type_integer(one->type) ? 17 : 9;
    if (ct_type_complex(one->type))
        ct_text_add(text, "(%.*g, %.*g)", digits, expected_plain(value.re), digits,
                    expected_plain(value.im));
    else
        ct_text_add(text, "%.*g", digits, expected_plain(value.re));
}

/* ---------------------------------------------------------------- a look at all of the memory */

typedef struct expected_bad {
    int64_t values, unwritten; /* numbers that are not finite; of these as they were before */
    int64_t first; /* natural index of the first element in memory that has one; -1 none */
} expected_bad;

static int64_t expected_row_f32(const uint32_t *row, int64_t count, int64_t *unwritten)
{
    int64_t bad = 0, poison = 0;
    for (int64_t i = 0; i < count; i++) {
        bad += (row[i] & 0x7f800000u) == 0x7f800000u;
        poison += row[i] == UINT32_MAX;
    }
    *unwritten += poison;
    return bad;
}

static int64_t expected_row_f16(const uint16_t *row, int64_t count, int64_t *unwritten)
{
    int64_t bad = 0, poison = 0;
    for (int64_t i = 0; i < count; i++) {
        bad += (row[i] & 0x7c00u) == 0x7c00u;
        poison += row[i] == UINT16_MAX;
    }
    *unwritten += poison;
    return bad;
}

static int64_t expected_row_f64(const uint64_t *row, int64_t count, int64_t *unwritten)
{
    const uint64_t exponent = 0x7ff0000000000000u;
    int64_t bad = 0, poison = 0;
    for (int64_t i = 0; i < count; i++) {
        bad += (row[i] & exponent) == exponent;
        poison += row[i] == UINT64_MAX;
    }
    *unwritten += poison;
    return bad;
}

/* Numbers that are not finite among those of `elements` elements that lie together. */
static int64_t expected_row(const ct_array *array, int64_t at, int64_t elements, int64_t *unwritten)
{
    const char *row = (const char *)array->data + (size_t)at * expected_size(array);
    const int64_t parts = ct_type_complex(array->type) ? 2 : 1, count = elements * parts;
    const unsigned bits = ct_type_bits(array->type) / (unsigned)parts;
    if (bits == 16) return expected_row_f16((const uint16_t *)(const void *)row, count, unwritten);
    if (bits == 64) return expected_row_f64((const uint64_t *)(const void *)row, count, unwritten);
    return expected_row_f32((const uint32_t *)(const void *)row, count, unwritten);
}

/* Of a row that has such a number, which element has the first. */
static int64_t expected_first(const ct_array *array, int64_t at)
{
    int64_t inside = 0, unwritten = 0;
    while (!expected_row(array, at + inside, 1, &unwritten))
        inside++;
    return inside;
}

/* The dimension along which elements lie together; the last one where none does. */
static int expected_fastest(const ct_array *array)
{
    for (int k = array->rank - 1; k >= 0; k--)
        if (array->stride[k] == 1) return k;
    return array->rank - 1;
}

/* Walks a copy whose rows are the fastest dimension; both sides are the array itself, the other one
 * in natural order. */
static void expected_look(const ct_array *array, expected_bad *bad)
{
    ct_array natural = *array;
    ct_copy rows = {.word = 1, .from = array->offset, .to = 0};
    const int fastest = expected_fastest(array);
    const bool together = array->rank > 0 && array->stride[fastest] == 1;
    ct_array_dense(&natural, NULL);
    for (int k = 0; k < array->rank; k++)
        if (k != fastest || !together)
            ct_copy_add(&rows, (ct_copy_dim){.extent = array->extent[k],
                                             .from = array->stride[k],
                                             .to = natural.stride[k]});
    ct_copy_sort(&rows, false);
    ct_copy_place place = {.from = rows.from, .to = rows.to};
    do {
        const int64_t count = together ? array->extent[fastest] : 1;
        const int64_t found = expected_row(array, place.from, count, &bad->unwritten);
        bad->values += found;
        if (!found || bad->first >= 0) continue;
        const int64_t inside = together ? expected_first(array, place.from) : 0;
        bad->first = place.to + inside * natural.stride[together ? fastest : 0];
    } while (ct_copy_next(&rows, rows.rank, &place));
}

ct_status ct_expected_scan(const ct_array *array, const char *name, ct_error *err)
{
    expected_bad bad = {.first = -1};
    ct_text place = {0};
    if (ct_type_integer(array->type)) return CT_OK;
    expected_look(array, &bad);
    if (bad.values == 0) return CT_OK;
    const int64_t parts = ct_type_complex(array->type) ? 2 : 1, all = ct_array_count(array) * parts;
    expected_place(&place, array, bad.first);
    const bool unwritten = bad.unwritten > 0;
    ct_status status = ct_error_add(
        err, CT_MISMATCH, "%s %s: %lld of its %lld numbers, first at %s", name,
        unwritten ? "is partly unwritten" : "is not finite",
        (long long)(unwritten ? bad.unwritten : bad.values), (long long)all, place.data);
    ct_text_free(&place);
    return status;
}

/* ---------------------------------------------------------------- what is compared */

typedef struct expected_copy {
    unsigned char *data;
    size_t size;
} expected_copy;

static void expected_copy_row(void *of, int64_t natural, int64_t count, const void *row)
{
    const expected_copy *copy = of;
    memcpy(copy->data + (size_t)natural * copy->size, row, (size_t)count * copy->size);
}

/* What was picked as an array, of which the elements can be loaded. */
static ct_array expected_picked(const ct_expected *self, unsigned char *data)
{
    ct_array picked = self->array;
    picked.data = data;
    return picked;
}

ct_status ct_expected_take(ct_expected *out, const ct_array *array, ct_error *err)
{
    double power = 0;
    const size_t size = expected_size(array);
    *out = (ct_expected){.array = *array, .count = ct_array_count(array)};
    out->array.data = NULL;
    out->bytes = (size_t)out->count * size;
    out->data = ct_memory_pages(out->bytes);
    if (!out->data) return ct_memory_fail(out->bytes, err);
    ct_natural_order_read(array, expected_copy_row, &(expected_copy){out->data, size});
    const ct_array picked = expected_picked(out, out->data);
    for (int64_t n = 0; n < out->count; n++) {
        const ct_complex value = ct_array_load(&picked, n);
        power += value.re * value.re + value.im * value.im;
    }
    out->rms = sqrt(power / (double)(out->count ? out->count : 1));
    return CT_OK;
}

void ct_expected_free(ct_expected *expected)
{
    ct_memory_pages_free(expected->data, expected->bytes);
    *expected = (ct_expected){0};
}

/* ---------------------------------------------------------------- comparing */

typedef struct expected_wrong {
    int64_t count, unwritten, first;
} expected_wrong;

static bool expected_agrees(const ct_array *wanted, const ct_array *found, int64_t n, double most)
{
    const ct_complex a = ct_array_load(wanted, n), b = ct_array_load(found, n);
    if (wanted->type == CT_F16 || wanted->type == CT_CF16) most += 0x1p-10 * hypot(a.re, a.im);
    return hypot(a.re - b.re, a.im - b.im) <= most; /* false where one is a NaN */
}

static bool expected_poisoned(const unsigned char *element, size_t size)
{
    while (size > 0 && element[size - 1] == CT_EXPECTED_POISON)
        size--;
    return size == 0;
}

/* Whether all of these numbers are so near each other that there is no doubt: each within its share
 * of what is allowed for the complex number. Not so where one is not finite. */
typedef bool expected_near(const void *a, const void *b, int64_t count, double most);

#define EXPECTED_NEAR(type, number)                                                                \
    static bool expected_near_##type(const void *a, const void *b, int64_t count, double most)     \
    {                                                                                              \
        const number *x = a, *y = b, limit = (number)(0.7 * most);                                 \
        int64_t far = 0;                                                                           \
        for (int64_t i = 0; i < count; i++) {                                                      \
            const number apart = x[i] - y[i];                                                      \
            far += !(apart <= limit && -apart <= limit);                                           \
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
    const unsigned bits = ct_type_bits(array->type) / (ct_type_complex(array->type) ? 2 : 1);
    if (ct_type_integer(array->type)) return NULL;
    return bits == 16 ? expected_near_f16 : bits == 32 ? expected_near_f32 : expected_near_f64;
}

typedef struct expected_compare {
    const ct_expected *self;
    expected_near *near; /* NULL: number by number */
    int64_t parts;       /* numbers of an element */
    double allowed, most;
    expected_wrong wrong;
    unsigned char first[CT_EXPECTED_ELEMENT]; /* the first that is wrong */
} expected_compare;

static void expected_compare_each(expected_compare *c, int64_t natural, int64_t count,
                                  const unsigned char *row)
{
    const size_t size = expected_size(&c->self->array);
    unsigned char *data = c->self->data + (size_t)natural * size;
    const ct_array wanted = expected_picked(c->self, data);
    const ct_array found = expected_picked(c->self, (unsigned char *)row);
    for (int64_t n = 0; n < count; n++) {
        const unsigned char *b = row + (size_t)n * size;
        if (memcmp(data + (size_t)n * size, b, size) == 0) continue;
        if (c->allowed > 0 && expected_agrees(&wanted, &found, n, c->most)) continue;
        if (c->wrong.count++ == 0 || natural + n < c->wrong.first) {
            c->wrong.first = natural + n;
            memcpy(c->first, b, size);
        }
        c->wrong.unwritten += expected_poisoned(b, size);
    }
}

static void expected_compare_row(void *of, int64_t natural, int64_t count, const void *row)
{
    expected_compare *c = of;
    const size_t size = expected_size(&c->self->array);
    const unsigned char *wanted = c->self->data + (size_t)natural * size;
    if (memcmp(wanted, row, (size_t)count * size) == 0) return;
    if (c->allowed > 0 && c->near && c->near(wanted, row, count * c->parts, c->most)) return;
    expected_compare_each(c, natural, count, row);
}

static ct_status expected_say(expected_compare *c, const char *name, ct_error *err)
{
    ct_text text = {0};
    const ct_expected *self = c->self;
    const expected_wrong *wrong = &c->wrong;
    const size_t at = (size_t)wrong->first * expected_size(&self->array);
    const ct_array wanted = expected_picked(self, self->data + at);
    const ct_array found = expected_picked(self, c->first);
    ct_text_add(&text, "%s %s at ", name,
                wrong->unwritten == wrong->count ? "is partly unwritten:" : "is wrong");
    expected_place(&text, &self->array, wrong->first);
    ct_text_add(&text, ": got ");
    expected_number(&text, &found);
    ct_text_add(&text, ", expected ");
    expected_number(&text, &wanted);
    ct_text_add(&text, " (%lld wrong of %lld compared)", (long long)wrong->count,
                (long long)self->count);
    ct_status status = ct_error_add(err, CT_MISMATCH, "%s", text.data);
    ct_text_free(&text);
    return status;
}

ct_status ct_expected_compare(const ct_expected *expected, const ct_array *array, double allowed,
                              const char *name, ct_error *err)
{
    expected_compare c = {.self = expected,
                          .near = expected_find(&expected->array),
                          .parts = ct_type_complex(expected->array.type) ? 2 : 1,
                          .allowed = allowed,
                          .most = ct_type_integer(expected->array.type) ? allowed
                                                                        : allowed * expected->rms};
    ct_natural_order_read(array, expected_compare_row, &c);
    return c.wrong.count ? expected_say(&c, name, err) : CT_OK;
}

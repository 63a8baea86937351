/* expected.c: see expected.h. What is compared is brought into one order first, so that the
 * comparison itself is a plain loop.
 * Room: tuner/measure. Knows host arrays. Does not know devices, steps or stages. */
#include "expected.h"

#include <math.h>
#include <string.h>

#include "fail.h"
#include "memory.h"
#include "text.h"

#define WHOLE ((int64_t)1 << 22)
#define SAMPLES ((int64_t)1 << 20)

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

/* As far apart as it has to be, and without a common divisor with any extent: every index of every
 * dimension is met. */
static int64_t expected_every(int64_t all)
{
    int64_t every = all / SAMPLES;
    while (ct_common_divisor(every, all) != 1)
        every++;
    return every;
}

static void expected_choose(ct_expected *out, const ct_array *array)
{
    const int64_t all = ct_array_count(array);
    const bool whole = ct_type_integer(array->type) || all <= WHOLE;
    *out = (ct_expected){
        .array = *array, .count = whole ? all : SAMPLES, .every = whole ? 1 : expected_every(all)};
    out->array.data = NULL;
    out->bytes = (size_t)out->count * expected_size(array);
}

/* The indices of the next element, `step` (as digits of the extents) further on; beyond the last it
 * begins anew. */
static void expected_next(const ct_array *array, int64_t index[CT_DIMS],
                          const int64_t step[CT_DIMS])
{
    int64_t carry = 0;
    for (int k = array->rank - 1; k >= 0; k--) {
        index[k] += step[k] + carry;
        carry = index[k] >= array->extent[k];
        if (carry) index[k] -= array->extent[k];
    }
}

static void expected_gather(unsigned char *data, const ct_expected *self, const ct_array *array)
{
    int64_t index[CT_DIMS] = {0}, step[CT_DIMS], rest = self->every;
    const size_t size = expected_size(array);
    for (int k = array->rank - 1; k >= 0; k--) {
        step[k] = rest % array->extent[k];
        rest /= array->extent[k];
    }
    for (int64_t n = 0; n < self->count; n++) {
        int64_t at = array->offset;
        for (int k = 0; k < array->rank; k++)
            at += index[k] * array->stride[k];
        memcpy(data + (size_t)n * size, (const char *)array->data + (size_t)at * size, size);
        expected_next(array, index, step);
    }
}

static ct_status expected_pick(unsigned char **out, const ct_expected *self, const ct_array *array,
                               ct_error *err)
{
    *out = ct_memory_pages(self->bytes);
    if (!*out) return ct_memory_fail(self->bytes, err);
    ct_array dense = *array;
    ct_array_dense(&dense, NULL);
    dense.data = *out;
    if (self->every == 1)
        ct_copy_array(&dense, array);
    else
        expected_gather(*out, self, array);
    return CT_OK;
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
    expected_choose(out, array);
    ct_status status = expected_pick(&out->data, out, array, err);
    if (status != CT_OK) return status;
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

static void expected_count(expected_wrong *wrong, const ct_expected *self, unsigned char *data,
                           double allowed)
{
    const size_t size = expected_size(&self->array);
    const ct_array wanted = expected_picked(self, self->data), found = expected_picked(self, data);
    const double most = ct_type_integer(self->array.type) ? allowed : allowed * self->rms;
    for (int64_t n = 0; n < self->count; n++) {
        const unsigned char *a = self->data + (size_t)n * size, *b = data + (size_t)n * size;
        if (memcmp(a, b, size) == 0) continue;
        if (allowed > 0 && expected_agrees(&wanted, &found, n, most)) continue;
        if (wrong->count++ == 0) wrong->first = n;
        wrong->unwritten += expected_poisoned(b, size);
    }
}

static ct_status expected_say(const expected_wrong *wrong, const ct_expected *self,
                              unsigned char *data, const char *name, ct_error *err)
{
    ct_text text = {0};
    const size_t at = (size_t)wrong->first * expected_size(&self->array);
    const ct_array wanted = expected_picked(self, self->data + at);
    const ct_array found = expected_picked(self, data + at);
    ct_text_add(&text, "%s %s at ", name,
                wrong->unwritten == wrong->count ? "is partly unwritten:" : "is wrong");
    expected_place(&text, &self->array, wrong->first * self->every % ct_array_count(&self->array));
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
    ct_status status = CT_OK;
    unsigned char *data = NULL;
    expected_wrong wrong = {0};
    CT_TRY(expected_pick(&data, expected, array, err));
    if (memcmp(data, expected->data, expected->bytes) == 0) goto out;
    expected_count(&wrong, expected, data, allowed);
    if (wrong.count) CT_TRY(expected_say(&wrong, expected, data, name, err));
out:
    ct_memory_pages_free(data, expected->bytes);
    return status;
}

/* lofar_unpack_test.c: samples of packets in every order of an array's dimensions, of whole packets
 * and of parts, against one that is put where it belongs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lofar_unpack.h"
#include <string.h>

enum { MOST_ROWS = 37, MOST_SAMPLES = 33, PIECES = 3, UNITS = 4 };
enum { FROM = MOST_ROWS * MOST_SAMPLES * 2 * UNITS, TO = PIECES * FROM + 64 };

static uint8_t packets[PIECES][FROM], found[TO], expected[TO];

/* Strides of t, p, c in each order, fastest last; `gap` elements between rows. */
static ct_unpack strides(int unit, int order, int64_t samples, int64_t rows, int64_t gap)
{
    static const char *const orders[6] = {"tpc", "tcp", "ptc", "pct", "ctp", "cpt"};
    ct_unpack out = {.unit = unit};
    int64_t stride = 1;
    for (int i = 2; i >= 0; i--) {
        const char dim = orders[order][i];
        *(dim == 't' ? &out.t : dim == 'p' ? &out.p : &out.c) = stride;
        stride *= dim == 't' ? PIECES * samples : dim == 'p' ? 2 : rows;
        if (i == 2) stride += gap;
    }
    return out;
}

static void one(int unit, int order, int64_t samples, int64_t rows, int64_t gap)
{
    const ct_unpack unpack = strides(unit, order, samples, rows, gap);
    ct_unpack_piece piece[PIECES];
    const int64_t row = samples * 2 * unit + unit;
    memset(found, 7, sizeof found);
    memset(expected, 7, sizeof expected);
    for (int64_t n = 0; n < PIECES; n++) {
        piece[n] = (ct_unpack_piece){packets[n], found + n * samples * unpack.t * unit, samples};
        for (int64_t i = 0; i < rows * samples * 2; i++) {
            const int64_t r = i / (2 * samples), t = i / 2 % samples, p = i % 2;
            const int64_t to = (n * samples + t) * unpack.t + p * unpack.p + r * unpack.c;
            memcpy(expected + to * unit, packets[n] + r * row + (2 * t + p) * unit, (size_t)unit);
        }
    }
    ct_unpack_run(&unpack, piece, PIECES, rows, row);
    assert_memory_equal(found, expected, sizeof found);
}

static void every_order(void **state)
{
    static const int64_t samples[] = {1, 3, 8, 15, 16}, rows[] = {1, 2, 5, 8, 16, 31};
    (void)state;
    for (size_t i = 0; i < sizeof packets; i++)
        (&packets[0][0])[i] = (uint8_t)(i * 2654435761u >> 13);
    for (int unit = 1; unit <= UNITS; unit *= 2)
        for (int order = 0; order < 6; order++)
            for (size_t s = 0; s < sizeof samples / sizeof samples[0]; s++)
                for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
                    one(unit, order, samples[s], rows[r], (int64_t)(s + r) % 3);
}

static void numbers_change(void **state)
{
    const ct_unpack_change clamp = {8, 8, true, 1}, scale = {8, 16, true, 16},
                           low = {4, 4, true, 1};
    const uint8_t from[4] = {0x80, 0x7f, 0xff, 0x88};
    uint8_t bytes[4];
    int16_t wide[4];
    (void)state;
    ct_unpack_convert(&clamp, bytes, from, 4);
    assert_memory_equal(bytes, ((const uint8_t[]){0x81, 0x7f, 0xff, 0x88}), 4);
    ct_unpack_convert(&scale, (uint8_t *)wide, from, 4);
    assert_memory_equal(wide, ((const int16_t[]){-2032, 2032, -16, -1920}), 8);
    ct_unpack_convert(&low, bytes, from, 8);
    assert_memory_equal(bytes, ((const uint8_t[]){0x90, 0x7f, 0xff, 0x99}), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_order),
                                       cmocka_unit_test(numbers_change)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

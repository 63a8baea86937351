/* bench_print_ragged.c: bench --ragged as a Markdown table: a row per stage, dimension and layouts.
 * Room: cli. Knows the JSON of ct_tune_bench. Does not know how it was measured. */
#include "bench.h"
#include "cornerturn_stage.h"

#include <stdio.h>
#include <string.h>

/* More counts than this are summed up. */
enum { COLUMNS = 16 };

#define MOST_OVER 1.05 /* what is counted as too long */

static double real_of(const ct_value *value, const char *key)
{
    return ct_value_real(ct_value_get(value, key), 0.0);
}

static const char *text_of(const ct_value *value, const char *key)
{
    return ct_value_text(ct_value_get(value, key), "");
}

static bool ragged_same_row(const ct_value *a, const ct_value *b)
{
    static const char *const keys[] = {"name", "dim", "read", "write"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(text_of(a, keys[i]), text_of(b, keys[i])) != 0) return false;
    return true;
}

/* How many of the list, from the first-th on, are one row. */
static size_t ragged_row(const ct_value *list, size_t first)
{
    size_t count = 1;
    while (first + count < ct_value_count(list) &&
           ragged_same_row(ct_value_at(list, first), ct_value_at(list, first + count)))
        count++;
    return count;
}

typedef struct ragged_sum {
    size_t worst, above; /* the place of the worst; how many are too long */
} ragged_sum;

static ragged_sum ragged_sum_of(const ct_value *list, size_t first, size_t count)
{
    ragged_sum sum = {first, 0};
    for (size_t i = first; i < first + count; i++) {
        const double over = real_of(ct_value_at(list, i), "over");
        if (over > real_of(ct_value_at(list, sum.worst), "over")) sum.worst = i;
        sum.above += over > MOST_OVER;
    }
    return sum;
}

static long long ragged_count(const ct_value *list, size_t at)
{
    return (long long)ct_value_int(ct_value_get(ct_value_at(list, at), "count"), 0);
}

static void ragged_head(const ct_value *measured, const ct_value *list, size_t columns)
{
    const ct_value *device = ct_value_get(measured, "device");
    printf("## %s\n\n%s, driver %s; size %s, medians of %lld interleaved rounds: the time at a "
           "count over the straight line between the next multiples of 16.\n\n"
           "| stage | of |",
           text_of(device, "name"), text_of(device, "platform"), text_of(device, "driver"),
           text_of(measured, "size"), (long long)ct_value_int(ct_value_get(measured, "rounds"), 0));
    for (size_t i = 0; i < columns; i++)
        printf(" %lld |", ragged_count(list, i));
    printf(" worst | at | above %.2f |\n|---|---|", MOST_OVER);
    for (size_t i = 0; i < columns; i++)
        printf("---:|");
    printf("---:|---:|---:|\n");
}

static void ragged_print_row(const ct_value *list, size_t first, size_t count, bool columns)
{
    const ct_value *row = ct_value_at(list, first);
    const ragged_sum sum = ragged_sum_of(list, first, count);
    printf("| %s %s %s > %s | %s |", text_of(row, "name"), text_of(row, "type"),
           text_of(row, "read"), text_of(row, "write"), text_of(row, "dim"));
    for (size_t i = first; columns && i < first + count; i++)
        printf(" %.2f |", real_of(ct_value_at(list, i), "over"));
    printf(" %.2f | %lld | %zu of %zu |\n", real_of(ct_value_at(list, sum.worst), "over"),
           ragged_count(list, sum.worst), sum.above, count);
}

void ct_bench_print_ragged(const ct_value *measured)
{
    const ct_value *list = ct_value_get(measured, "ragged");
    const size_t all = ct_value_count(list);
    if (all == 0) {
        printf("Nothing to measure: no count that is free, or only multiples of 16.\n");
        return;
    }
    const size_t columns = ragged_row(list, 0);
    const bool few = columns <= COLUMNS;
    ragged_head(measured, list, few ? columns : 0);
    for (size_t first = 0, count; first < all; first += count) {
        count = ragged_row(list, first);
        ragged_print_row(list, first, count, few);
    }
    const ragged_sum sum = ragged_sum_of(list, 0, all);
    const ct_value *worst = ct_value_at(list, sum.worst);
    printf("\n%zu of %zu above %.2f; the worst is %.2f: %s %s > %s with %s=%lld.\n", sum.above, all,
           MOST_OVER, real_of(worst, "over"), text_of(worst, "name"), text_of(worst, "read"),
           text_of(worst, "write"), text_of(worst, "dim"), ragged_count(list, sum.worst));
}

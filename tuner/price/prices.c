/* prices.c: see prices.h.
 * Room: tuner/price. Order: the weights, a line each, "STAGE NAME: WEIGHT"; sums of them. */
#include "prices.h"

#include <stdlib.h>
#include <string.h>

#include "checksum.h"
#include "cornerturn_stage.h"
#include "cpu_prices.h"
#include "fail.h"
#include "layout.h"
#include "memory.h"
#include "price_features.h"

/* Of a stage that was not measured, for each port whose layout is another one than it prefers. */
#define PRICES_UNLIKED 0.25

typedef struct price_weight {
    uint64_t name; /* the checksum of "fft writes C"; "* writes C": of any stage */
    double weight;
} price_weight;

struct ct_prices {
    price_weight *weight; /* by the checksum: a plan asks for some ten thousand of them */
    int count;
    ct_arena *arena;
};

static int price_compare(const void *a, const void *b)
{
    const uint64_t one = ((const price_weight *)a)->name, other = ((const price_weight *)b)->name;
    return one < other ? -1 : one > other;
}

static void price_read(ct_prices *prices, const char *text)
{
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line != 0) {
        price_weight *at = &prices->weight[prices->count];
        const size_t length = strcspn(line, ":\n");
        if (*line == '#' || line[length] != ':') continue;
        at->name = ct_checksum(line, length);
        at->weight = ct_number_read(line + length + 1, NULL);
        prices->count++;
    }
    qsort(prices->weight, (size_t)prices->count, sizeof *prices->weight, price_compare);
}

ct_status ct_prices_new(ct_prices **out, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arena *arena = NULL;
    size_t lines = 1;
    ct_prices *prices = ct_arena_begin(&arena, sizeof *prices);
    CT_NEED(prices, sizeof *prices, err);
    *prices = (ct_prices){.arena = arena};
    for (const char *at = cpu_prices; *at; at++)
        lines += *at == '\n';
    prices->weight = ct_arena_get(arena, sizeof *prices->weight * lines);
    CT_TRY(ct_arena_check(arena, err));
    price_read(prices, cpu_prices);
out:
    if (status != CT_OK) {
        ct_prices_free(prices);
        prices = NULL;
    }
    *out = prices;
    return status;
}

void ct_prices_free(ct_prices *prices)
{
    if (prices) ct_arena_free(prices->arena);
}

/* ---- sums */

typedef struct price_sum {
    const ct_prices *prices;
    double sum;
} price_sum;

static const price_weight *price_find(const ct_prices *prices, const char *stage, const char *name)
{
    price_weight key = {.name = ct_checksum(stage, strlen(stage))};
    key.name = ct_checksum_add(ct_checksum_add(key.name, " ", 1), name, strlen(name));
    return bsearch(&key, prices->weight, (size_t)prices->count, sizeof *prices->weight,
                   price_compare);
}

static double price_weigh(const ct_prices *prices, const char *stage, const char *name)
{
    const price_weight *found = price_find(prices, stage, name);
    return found ? found->weight : 0;
}

static void price_add(void *to, const char *stage, const char *name, double value)
{
    price_sum *sum = to;
    sum->sum +=
        value * (price_weigh(sum->prices, stage, name) + price_weigh(sum->prices, "*", name));
}

/* Each stage that was measured has this weight. */
static bool price_knows(const ct_prices *prices, const ct_step *step)
{
    return price_find(prices, step->stage->name, "step") != NULL;
}

double ct_prices_step(const ct_prices *prices, const ct_step *step)
{
    price_sum sum = {prices, ct_price_floor(step)};
    ct_price_features_step(&(ct_price_sink){price_add, &sum}, step);
    return sum.sum;
}

/* A stage that was not measured says itself what it prefers. */
static double price_unknown(const ct_step *step, int port, const ct_layout *layout)
{
    const ct_layout preferred = ct_step_prefer(step, port);
    return preferred.rank == 0 || ct_layout_equal(&preferred, layout) ? 0 : PRICES_UNLIKED;
}

double ct_prices_port(const ct_prices *prices, const ct_step *step, int port,
                      const ct_layout *layout)
{
    price_sum sum = {prices, 0};
    if (!price_knows(prices, step)) return price_unknown(step, port, layout);
    ct_price_features_port(&(ct_price_sink){price_add, &sum}, step, port, layout);
    return sum.sum;
}

double ct_prices_pair(const ct_prices *prices, const ct_step *step, int input,
                      const ct_layout *read, int output, const ct_layout *written)
{
    price_sum sum = {prices, 0};
    if (!price_knows(prices, step)) return 0;
    ct_price_features_pair(&(ct_price_sink){price_add, &sum}, step, input, read, output, written);
    return sum.sum;
}

double ct_prices_copy(const ct_prices *prices, const ct_array *array, const ct_layout *from,
                      const ct_layout *to)
{
    price_sum sum = {prices, ct_price_floor_copy(array)};
    ct_price_features_copy(&(ct_price_sink){price_add, &sum}, array, from, to);
    return sum.sum;
}

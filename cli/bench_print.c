/* bench_print.c: what was measured, as Markdown tables.
 * Room: cli. Knows the JSON of ct_tune_bench. Does not know how it was measured. Times are medians;
 * shares and ratios are medians of ratios within rounds. */
#include "bench.h"
#include "cornerturn_stage.h"

#include <stdio.h>
#include <stdlib.h>

enum { LAYOUTS = 1024 };

static double real_of(const ct_value *value, const char *key)
{
    return ct_value_real(ct_value_get(value, key), 0.0);
}

static const char *text_of(const ct_value *value, const char *key)
{
    return ct_value_text(ct_value_get(value, key), "");
}

/* ---------------------------------------------------------------- the device */

static void bench_print_limits(const ct_value *measured)
{
    const ct_value *device = ct_value_get(measured, "device");
    const ct_value *limits = ct_value_get(measured, "limits");
    printf("## %s\n\n%s, driver %s; size %s, medians of %lld interleaved rounds.\n\n",
           text_of(device, "name"), text_of(device, "platform"), text_of(device, "driver"),
           text_of(measured, "size"), (long long)ct_value_int(ct_value_get(measured, "rounds"), 0));
    printf("| limit | G/s | lanes |\n|---|---:|---:|\n");
    for (size_t i = 0; i < ct_value_count(limits); i++) {
        const ct_value *limit = ct_value_at(limits, i);
        if (real_of(limit, "rate") > 0)
            printf("| %s | %.1f | %.0f |\n", ct_value_key(limits, i), real_of(limit, "rate") * 1e-9,
                   real_of(limit, "width"));
        else
            printf("| %s | - | - |\n", ct_value_key(limits, i));
    }
    printf("\nArithmetic in operations, copies in bytes read and written.\n");
}

/* ---------------------------------------------------------------- stages */

/* The share that counts: of arithmetic or of a copy, whichever is nearer. */
static const char *bench_limit(const ct_value *stage)
{
    const ct_value *best = ct_value_get(stage, "best");
    return real_of(best, "of_fma") > real_of(best, "of_copy") ? "of_fma" : "of_copy";
}

/* The same operations and bytes at every layout: time goes as the inverse of either share. */
static double bench_spread(const ct_value *layouts, const char *share)
{
    double least = 0.0, most = 0.0;
    for (size_t i = 0; i < ct_value_count(layouts); i++) {
        double rate = real_of(ct_value_get(ct_value_at(layouts, i), "best"), share);
        if (i == 0 || rate < least) least = rate;
        if (i == 0 || rate > most) most = rate;
    }
    return least > 0 ? most / least : 0.0;
}

static void bench_print_variant(const ct_value *stage, const char *variant)
{
    const ct_value *time = ct_value_get(stage, variant);
    double seconds = real_of(time, "seconds");
    printf(" %.2f | %.1f | %.1f | %.2f | %.2f |", seconds * 1e3,
           real_of(stage, "flops") / seconds * 1e-9, real_of(stage, "bytes") / seconds * 1e-9,
           real_of(time, "of_fma"), real_of(time, "of_copy"));
}

static void bench_print_spread(const ct_value *layouts, const char *share)
{
    if (ct_value_count(layouts) > 0)
        printf(" %.2f |", bench_spread(layouts, share));
    else
        printf(" |");
}

/* Tunables that change what is written are a bug of the stage: every such time says so. */
static const char *bench_wrong(const ct_value *measured)
{
    return ct_value_bool(ct_value_get(measured, "same"), true) ? "" : " WRONG";
}

static void bench_print_stage(const ct_value *stage)
{
    const char *share = bench_limit(stage);
    double usual = real_of(ct_value_get(stage, "default"), share);
    double best = real_of(ct_value_get(stage, "best"), share);
    printf("| %s %s %s > %s |", text_of(stage, "name"), text_of(stage, "type"),
           text_of(stage, "read"), text_of(stage, "write"));
    bench_print_variant(stage, "default");
    bench_print_variant(stage, "best");
    printf(" %.2f |", best > 0 ? usual / best : 0.0);
    bench_print_spread(ct_value_get(stage, "reads"), share);
    bench_print_spread(ct_value_get(stage, "writes"), share);
    printf(" %s%s |\n", text_of(stage, "best_tunables"), bench_wrong(stage));
}

static void bench_print_stages(const ct_value *stages)
{
    printf(
        "\n## Stages at their preferred layouts\n\n"
        "Share of the limit: of the FMA peak, or of a non-temporal copy of the same bytes, in the "
        "same rounds; the larger one counts, in the ratios too.\n\n"
        "| stage | default ms | GFLOP/s | GB/s | of FMA | of copy | best ms | GFLOP/s | GB/s | "
        "of FMA | of copy | default over best | worst/best read | worst/best write | best "
        "tunables |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|\n");
    for (size_t i = 0; i < ct_value_count(stages); i++)
        bench_print_stage(ct_value_at(stages, i));
}

/* ---------------------------------------------------------------- peers */

static void bench_print_peers(const ct_value *stages)
{
    bool any = false;
    for (size_t i = 0; i < ct_value_count(stages); i++) {
        const ct_value *stage = ct_value_at(stages, i), *peers = ct_value_get(stage, "peers");
        for (size_t k = 0; k < ct_value_count(peers); k++) {
            const ct_value *peer = ct_value_at(peers, k);
            if (!any)
                printf("\n## Peers\n\n| stage | peer | ms | of FMA | of copy | its time over our "
                       "default | over our best |\n|---|---|---:|---:|---:|---:|---:|\n");
            any = true;
            printf("| %s | %s | %.2f | %.2f | %.2f | %.2f | %.2f |\n", text_of(stage, "name"),
                   text_of(peer, "what"), real_of(peer, "seconds") * 1e3, real_of(peer, "of_fma"),
                   real_of(peer, "of_copy"), real_of(peer, "over_default"),
                   real_of(peer, "over_best"));
        }
    }
}

/* ---------------------------------------------------------------- layouts */

static void bench_print_layout(const ct_value *layout)
{
    const ct_value *usual = ct_value_get(layout, "default"), *best = ct_value_get(layout, "best");
    printf("| %s | %s%s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", text_of(layout, "read"),
           text_of(layout, "write"), bench_wrong(layout), real_of(usual, "seconds") * 1e3,
           real_of(usual, "of_fma"), real_of(usual, "of_copy"), real_of(best, "seconds") * 1e3,
           real_of(best, "of_fma"), real_of(best, "of_copy"));
}

static int bench_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Least, median and most of one share over the layouts of one side. */
static void bench_print_range(const ct_value *layouts, const char *what, const char *share)
{
    double values[LAYOUTS];
    size_t count = ct_value_count(layouts) < LAYOUTS ? ct_value_count(layouts) : LAYOUTS;
    if (count == 0) return;
    for (size_t i = 0; i < count; i++)
        values[i] = real_of(ct_value_get(ct_value_at(layouts, i), "best"), share);
    qsort(values, count, sizeof *values, bench_order);
    printf("- %s, %zu layouts: least %.2f, median %.2f, most %.2f\n", what, count, values[0],
           0.5 * (values[count / 2] + values[(count - 1) / 2]), values[count - 1]);
}

static void bench_print_ranges(const ct_value *stage)
{
    const ct_value *reads = ct_value_get(stage, "reads"), *writes = ct_value_get(stage, "writes");
    printf("\nWith the best tunables:\n\n");
    if (real_of(stage, "flops") > 0) {
        bench_print_range(reads, "reading, of FMA", "of_fma");
        bench_print_range(writes, "writing, of FMA", "of_fma");
    }
    bench_print_range(reads, "reading, of copy", "of_copy");
    bench_print_range(writes, "writing, of copy", "of_copy");
}

static void bench_print_layouts(const ct_value *stage)
{
    static const char *const sides[] = {"reads", "writes"};
    if (ct_value_get(stage, "reads") == NULL) return;
    printf(
        "\n### %s %s in every layout\n\n| read | write | default ms | of FMA | of copy | best ms "
        "| of FMA | of copy |\n|---|---|---:|---:|---:|---:|---:|---:|\n",
        text_of(stage, "name"), text_of(stage, "type"));
    for (int side = 0; side < 2; side++) {
        const ct_value *layouts = ct_value_get(stage, sides[side]);
        for (size_t i = 0; i < ct_value_count(layouts); i++)
            bench_print_layout(ct_value_at(layouts, i));
    }
    bench_print_ranges(stage);
}

void ct_bench_print(const ct_value *measured)
{
    const ct_value *stages = ct_value_get(measured, "stages");
    bench_print_limits(measured);
    bench_print_stages(stages);
    bench_print_peers(stages);
    for (size_t i = 0; i < ct_value_count(stages); i++)
        bench_print_layouts(ct_value_at(stages, i));
}

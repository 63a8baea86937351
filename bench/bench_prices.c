/* bench_prices.c: prices from measurements: see bench/prices/README.md.
 *
 *     bench.prices table JOURNAL    what a tuning has measured, as a table
 *     bench.prices fit LIST         weights, for tuner/price/cpu.prices
 *     bench.prices judge LIST       how well the others predict each machine, pipeline, and size
 *
 * Room: bench. Knows every room. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cornerturn_stage.h"
#include "fail.h"
#include "price_fit.h"
#include "price_rows.h"

/* Weights that change a time by less than half a percent are left out. */
#define PRICES_LEAST 0.005

typedef struct named {
    const char *name;
    double weight;
} named;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const named *)a)->name, ((const named *)b)->name);
}

static ct_status prices_fit(const price_rows *rows, ct_error *err)
{
    ct_status status = CT_OK;
    double *weight = ct_memory_get(sizeof *weight * (size_t)(rows->names + 1));
    named *list = ct_memory_get(sizeof *list * (size_t)(rows->names + 1));
    CT_NEED(weight, 0, err);
    CT_NEED(list, 0, err);
    CT_TRY(price_fit(weight, rows, NULL, err));
    for (int i = 0; i < rows->names; i++)
        list[i] = (named){rows->name[i], weight[i]};
    qsort(list, (size_t)rows->names, sizeof *list, by_name);
    printf("# Made by bench/prices/fit.sh from %d times; do not edit.\n", rows->rows);
    for (int i = 0; i < rows->names; i++)
        if (fabs(list[i].weight) >= PRICES_LEAST || strstr(list[i].name, " step"))
            printf("%s: %.3f\n", list[i].name, list[i].weight);
out:
    ct_memory_free(weight);
    ct_memory_free(list);
    return status;
}

/* ---- what is left out, and predicted by the rest */

static bool same_machine(const price_table *a, const price_table *b)
{
    return !strcmp(a->machine, b->machine);
}

static bool same_pipeline(const price_table *a, const price_table *b)
{
    return !strcmp(a->pipeline, b->pipeline);
}

static bool same_size(const price_table *a, const price_table *b)
{
    return (strstr(a->pipeline, "-small") != NULL) == (strstr(b->pipeline, "-small") != NULL);
}

static ct_status judge_one(const price_rows *rows, int table, double *weight, bool *leave,
                           bool (*same)(const price_table *, const price_table *), int *count,
                           double *slower, ct_error *err)
{
    for (int t = 0; t < rows->tables; t++)
        leave[t] = same(&rows->table[t], &rows->table[table]);
    const ct_status status = price_fit(weight, rows, leave, err);
    printf("| **%s, %s** | | | | | |\n", rows->table[table].machine, rows->table[table].pipeline);
    if (status == CT_OK) price_fit_judge(weight, rows, table, count, slower);
    return status;
}

static ct_status prices_judge(const price_rows *rows, ct_error *err)
{
    static const struct {
        const char *what;
        bool (*same)(const price_table *, const price_table *);
    } kinds[] = {{"machine", same_machine}, {"pipeline", same_pipeline}, {"size", same_size}};
    ct_status status = CT_OK;
    double *weight = ct_memory_get(sizeof *weight * (size_t)(rows->names + 1));
    bool *leave = ct_memory_get(sizeof *leave * (size_t)(rows->tables + 1));
    CT_NEED(weight, 0, err);
    CT_NEED(leave, 0, err);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        int count = 0;
        double slower = 0;
        printf(
            "\nEach %s predicted by the others:\n\n| node | stage | times | mean error | deviation"
            " | predicted best over best |\n|---|---|---:|---:|---:|---:|\n",
            kinds[k].what);
        for (int t = 0; t < rows->tables; t++)
            CT_TRY(judge_one(rows, t, weight, leave, kinds[k].same, &count, &slower, err));
        printf("\nThe predicted best takes %.3f of the best's time in the mean of %d nodes.\n",
               count ? slower / count : 0, count);
    }
out:
    ct_memory_free(weight);
    ct_memory_free(leave);
    return status;
}

static ct_status prices_list(const char *what, const char *list, ct_error *err)
{
    price_rows rows;
    ct_status status = price_rows_load(&rows, list, err);
    if (status == CT_OK)
        status = strcmp(what, "fit") == 0 ? prices_fit(&rows, err) : prices_judge(&rows, err);
    price_rows_free(&rows);
    return status;
}

int main(int argc, char **argv)
{
    ct_error err = {0};
    if (argc != 3 || !strstr(" table fit judge ", argv[1])) {
        fprintf(stderr, "usage: bench.prices table JOURNAL | fit LIST | judge LIST\n");
        return 2;
    }
    const ct_status status = strcmp(argv[1], "table") == 0 ? price_rows_print(argv[2], &err)
                                                           : prices_list(argv[1], argv[2], &err);
    if (status != CT_OK) fprintf(stderr, "bench.prices: %s\n", err.text);
    return status == CT_OK ? 0 : 1;
}

/* price_fit.c: see price_fit.h.
 * Room: bench. Order: the equations; solving them; how good the result is. */
#include "price_fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fail.h"

/* A weight of 1 is as bad as a row that misses by 1 (a factor of e); of a machine's own speed for a
 * stage, which is not kept, less. */
#define FIT_WEIGHT 1.0
#define FIT_MACHINE 0.3
#define FIT_STEP 0.02 /* what a stage takes on all machines is free */
/* What is far from a node's best counts less, but not nothing. */
#define FIT_LEAST 0.15

enum { FIT_OWN = 256, FIT_NODES = 64 };

static bool fit_same(const price_row *a, const price_row *b)
{
    return a->table == b->table && a->copy == b->copy && !strcmp(a->node, b->node) &&
           !strcmp(a->stage, b->stage);
}

/* The best of a row's node counts 1. */
static double fit_share(const price_rows *rows, const price_row *row)
{
    double least = row->seconds;
    for (int i = 0; i < rows->rows; i++)
        if (fit_same(row, &rows->row[i])) least = fmin(least, rows->row[i].seconds);
    return fmax(FIT_LEAST, least / row->seconds);
}

/* ---- equations: sums of products, of one triangle */

typedef struct fit {
    const price_rows *rows;
    char own[FIT_OWN][96]; /* "zen4", "zen4 fft": what is a machine's own */
    int owns, size;
    double *product, *right;
} fit;

static int fit_own(fit *f, const char *machine, const char *stage)
{
    char name[96];
    snprintf(name, sizeof name, "%s %s", machine, stage);
    for (int i = 0; i < f->owns; i++)
        if (!strcmp(f->own[i], name)) return i;
    if (f->owns == FIT_OWN) return FIT_OWN - 1;
    snprintf(f->own[f->owns], sizeof name, "%s", name);
    return f->owns++;
}

static void fit_row(fit *f, const price_row *row)
{
    price_feature all[PRICE_ROW_FEATURES + 2];
    int count = row->features;
    const char *machine = f->rows->table[row->table].machine;
    const double share = fit_share(f->rows, row);
    memcpy(all, row->feature, sizeof row->feature);
    all[count++] = (price_feature){f->rows->names + fit_own(f, machine, ""), 1};
    all[count++] = (price_feature){f->rows->names + fit_own(f, machine, row->stage), 1};
    for (int i = 0; i < count; i++) {
        f->right[all[i].name] += share * all[i].value * row->value;
        for (int k = 0; k < count; k++)
            f->product[(size_t)all[i].name * (size_t)f->size + (size_t)all[k].name] +=
                share * all[i].value * all[k].value;
    }
}

/* ---- Cholesky's factor in the place of the products, then both substitutions */

static void fit_factor(fit *f)
{
    const size_t n = (size_t)f->size;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k <= i; k++) {
            double *a = &f->product[i * n], *b = &f->product[k * n], sum = a[k];
            for (size_t m = 0; m < k; m++)
                sum -= a[m] * b[m];
            a[k] = i == k ? sqrt(sum) : sum / b[k];
        }
}

static void fit_substitute(fit *f)
{
    const int n = f->size;
    const double *a = f->product;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            f->right[i] -= a[i * n + k] * f->right[k];
        f->right[i] /= a[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            f->right[i] -= a[k * n + i] * f->right[k];
        f->right[i] /= a[i * n + i];
    }
}

static double fit_penalty(const price_rows *rows, int name)
{
    if (name >= rows->names) return FIT_MACHINE;
    return strstr(rows->name[name], " step") ? FIT_STEP : FIT_WEIGHT;
}

ct_status price_fit(double *weight, const price_rows *rows, const bool *leave, ct_error *err)
{
    ct_status status = CT_OK;
    fit f = {.rows = rows, .size = rows->names + FIT_OWN};
    const size_t size = (size_t)f.size;
    f.product = ct_memory_get(sizeof(double) * size * size);
    f.right = ct_memory_get(sizeof(double) * size);
    CT_NEED(f.product, size, err);
    CT_NEED(f.right, size, err);
    for (int i = 0; i < f.size; i++)
        f.product[(size_t)i * size + (size_t)i] = fit_penalty(rows, i);
    for (int i = 0; i < rows->rows; i++)
        if (!leave || !leave[rows->row[i].table]) fit_row(&f, &rows->row[i]);
    fit_factor(&f);
    fit_substitute(&f);
    memcpy(weight, f.right, sizeof *weight * (size_t)rows->names);
out:
    ct_memory_free(f.product);
    ct_memory_free(f.right);
    return status;
}

/* ---- how good it is */

static double fit_predict(const double *weight, const price_row *row)
{
    double sum = 0;
    for (int i = 0; i < row->features; i++)
        sum += weight[row->feature[i].name] * row->feature[i].value;
    return sum;
}

static void judge_node(const double *weight, const price_rows *rows, int first, int *count,
                       double *slower)
{
    const price_row *own = &rows->row[first], *best = own, *guess = own;
    double sum = 0, squares = 0;
    int n = 0;
    for (int i = first; i < rows->rows; i++) {
        const price_row *row = &rows->row[i];
        if (!fit_same(own, row)) continue;
        const double wrong = row->value - fit_predict(weight, row);
        if (row->value < best->value) best = row;
        if (fit_predict(weight, row) < fit_predict(weight, guess)) guess = row;
        sum += wrong;
        squares += wrong * wrong;
        n++;
    }
    if (n < 8) return;
    const double mean = sum / n, lost = exp(guess->value - best->value);
    printf("| %s | %s | %d | %.2f | %.2f | %.3f |\n", own->node, own->stage, n, mean,
           sqrt(fmax(squares / n - mean * mean, 0)), lost);
    *slower += lost;
    ++*count;
}

void price_fit_judge(const double *weight, const price_rows *rows, int table, int *count,
                     double *slower)
{
    for (int i = 0; i < rows->rows; i++) {
        bool seen = rows->row[i].table != table;
        for (int k = 0; k < i && !seen; k++)
            seen = fit_same(&rows->row[k], &rows->row[i]);
        if (!seen) judge_node(weight, rows, i, count, slower);
    }
}

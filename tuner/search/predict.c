/* predict.c: see predict.h.
 * Room: tuner/search. Order: how alike entries are; one point after the other (the rows of a
 * Cholesky factor, for all entries at once); which mixture is likeliest. */
#include "predict.h"

#include <math.h>
#include <string.h>

/* Points that mixtures are compared by; numbers in rows, at most: 128 MB. */
enum { PREDICT_COMPARED = 96, PREDICT_NUMBERS = 1 << 24, PREDICT_FIRST = 6 };

/* Variances, as parts of the scale: of all entries, of a layout by its likes and by itself, of
 * layouts together, of one entry. */
typedef struct predict_mix {
    double all, like, own, together, entry, scale;
    double trust; /* of what was expected before: all of it, half, nothing */
} predict_mix;

static const predict_mix predict_parts[] = {{.5, .3, .05, .4, .1, 1, 0},
                                            {.5, .05, .4, .05, .1, 1, 0}};
static const double predict_scales[] = {0.005, 0.02, 0.06, 0.2, 0.5};
#define PREDICT_ALONE 0.02 /* no smaller one where nothing was expected before */
static const double predict_trusts[] = {0, 0.5, 1};
enum {
    PREDICT_PARTS = sizeof predict_parts / sizeof predict_parts[0],
    PREDICT_SCALES = sizeof predict_scales / sizeof predict_scales[0],
    PREDICT_TRUSTS = sizeof predict_trusts / sizeof predict_trusts[0]
};

typedef struct predict_point {
    int64_t entry;
    double value, variance;
} predict_point;

struct ct_predict {
    int axes, count[CT_PORTS];
    double *alike[CT_PORTS]; /* [count * count] */
    int64_t entries;
    double *before; /* [entries]: what was expected; NULL: nothing */
    predict_mix mix;
    predict_point *point;
    int points, taken; /* those that rows are made of */
    int compare_at;    /* so many points */
    double *row;       /* [taken][entries] */
    double *mean, *variance;
    ct_arena *arena;
};

/* ---- how alike */

static double predict_layouts(const ct_layout *a, const ct_layout *b)
{
    double rest = 1.0;
    for (int n = 1; n <= a->rank && n <= b->rank; n++, rest /= 2)
        if (a->dim[a->rank - n] != b->dim[b->rank - n]) return 1 - rest;
    return a->rank == b->rank ? 1 : 1 - rest;
}

static void predict_axis(ct_predict *p, const ct_predict_axis *axis, int a)
{
    const int count = p->count[a] = axis->count;
    p->entries *= count;
    p->alike[a] = ct_arena_get(p->arena, sizeof(double) * (size_t)count * (size_t)count);
    for (int i = 0; p->alike[a] && i < count * count; i++)
        p->alike[a][i] = predict_layouts(&axis->list[i / count], &axis->list[i % count]);
}

/* What two entries have in common. */
static double predict_common(const ct_predict *p, const predict_mix *mix, int64_t a, int64_t b)
{
    double sum = mix->all, product = mix->together;
    if (a == b) sum += mix->entry;
    for (int axis = p->axes - 1; axis >= 0; axis--) {
        const int count = p->count[axis], i = (int)(a % count), j = (int)(b % count);
        const double alike = p->alike[axis][i * count + j];
        sum += mix->like * alike + (i == j ? mix->own : 0);
        product *= alike;
        a /= count;
        b /= count;
    }
    return mix->scale * (sum + product);
}

/* ---- one point after the other */

static double predict_before(const ct_predict *p, const predict_mix *mix, int64_t entry)
{
    return p->before ? mix->trust * p->before[entry] : 0;
}

static void predict_forget(ct_predict *p)
{
    p->taken = 0;
    for (int64_t c = 0; c < p->entries; c++) {
        p->mean[c] = predict_before(p, &p->mix, c);
        p->variance[c] = predict_common(p, &p->mix, c, c);
    }
}

/* False: there is no room for its row. */
static bool predict_take(ct_predict *p, const predict_point *point)
{
    const size_t row = (size_t)p->entries, rows = (size_t)p->taken + 1;
    if (rows * row > PREDICT_NUMBERS) return false;
    if (ct_memory_grow(&p->row, sizeof *p->row * rows * row, NULL) != CT_OK) return false;
    double *own = &p->row[(rows - 1) * row];
    const double length = sqrt(p->variance[point->entry] + point->variance);
    const double wrong = (point->value - p->mean[point->entry]) / length;
    for (int64_t c = 0; c < p->entries; c++)
        own[c] = predict_common(p, &p->mix, point->entry, c);
    for (int n = 0; n < p->taken; n++) {
        const double *before = &p->row[(size_t)n * row];
        const double part = before[point->entry];
        for (int64_t c = 0; c < p->entries; c++)
            own[c] -= part * before[c];
    }
    for (int64_t c = 0; c < p->entries; c++) {
        own[c] /= length;
        p->mean[c] += own[c] * wrong;
        p->variance[c] = fmax(p->variance[c] - own[c] * own[c], 0);
    }
    p->taken++;
    return true;
}

/* ---- which mixture */

/* The logarithm of how likely the points are, but for what all mixtures have in common. */
static double predict_likely(const ct_predict *p, const predict_mix *mix, double *factor, int count)
{
    double sum = 0.0, wrong[PREDICT_COMPARED];
    for (int i = 0; i < count; i++) {
        double *own = &factor[i * count];
        double rest = p->point[i].value - predict_before(p, mix, p->point[i].entry);
        for (int j = 0; j <= i; j++) {
            const double *other = &factor[j * count];
            own[j] = predict_common(p, mix, p->point[i].entry, p->point[j].entry);
            if (i == j) own[j] += p->point[i].variance;
            for (int k = 0; k < j; k++)
                own[j] -= own[k] * other[k];
            own[j] = j < i ? own[j] / other[j] : sqrt(fmax(own[j], 1e-12));
        }
        for (int j = 0; j < i; j++)
            rest -= own[j] * wrong[j];
        wrong[i] = rest / own[i];
        sum -= log(own[i]) + wrong[i] * wrong[i] / 2;
    }
    return sum;
}

static void predict_compare(ct_predict *p)
{
    const int count = p->points < PREDICT_COMPARED ? p->points : PREDICT_COMPARED;
    const int trusts = p->before ? PREDICT_TRUSTS : 1;
    double most = -INFINITY;
    double *factor = ct_memory_get(sizeof *factor * (size_t)count * (size_t)count);
    for (int i = 0; factor && i < PREDICT_PARTS * PREDICT_SCALES * trusts; i++) {
        predict_mix mix = predict_parts[i % PREDICT_PARTS];
        mix.scale = predict_scales[i / PREDICT_PARTS % PREDICT_SCALES];
        mix.trust = predict_trusts[i / PREDICT_PARTS / PREDICT_SCALES];
        if (mix.scale < PREDICT_ALONE && mix.trust == 0) continue;
        const double likely = predict_likely(p, &mix, factor, count);
        if (!(likely > most)) continue;
        most = likely;
        p->mix = mix;
    }
    ct_memory_free(factor);
}

/* Mixtures are compared again where there are half as many points more. */
static void predict_catch_up(ct_predict *p)
{
    if (p->points >= p->compare_at) {
        p->compare_at = p->points + p->points / 2;
        predict_compare(p);
        predict_forget(p);
    }
    while (p->taken < p->points && predict_take(p, &p->point[p->taken]))
        continue;
}

/* ---- */

ct_status ct_predict_new(ct_predict **out, const ct_predict_axis *axis, int axes, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arena *arena = NULL;
    ct_predict *p = ct_arena_begin(&arena, sizeof *p);
    CT_NEED(p, sizeof *p, err);
    *p = (ct_predict){.axes = axes, .entries = 1, .compare_at = PREDICT_FIRST, .arena = arena};
    p->mix = predict_parts[0];
    p->mix.scale = predict_scales[PREDICT_SCALES - 1];
    for (int a = 0; a < axes; a++)
        predict_axis(p, &axis[a], a);
    p->mean = ct_arena_get(arena, sizeof *p->mean * (size_t)p->entries);
    p->variance = ct_arena_get(arena, sizeof *p->variance * (size_t)p->entries);
    CT_TRY(ct_arena_check(arena, err));
    predict_forget(p);
out:
    if (status != CT_OK) {
        ct_predict_free(p);
        p = NULL;
    }
    *out = p;
    return status;
}

void ct_predict_free(ct_predict *p)
{
    if (!p) return;
    ct_memory_free(p->point);
    ct_memory_free(p->row);
    ct_arena_free(p->arena);
}

ct_status ct_predict_expect_first(ct_predict *p, const double *mean, double deviation,
                                  ct_error *err)
{
    if (mean && !p->before) {
        p->before = ct_arena_get(p->arena, sizeof *p->before * (size_t)p->entries);
        if (!p->before) return ct_arena_check(p->arena, err);
    }
    p->mix = predict_parts[0];
    p->mix.scale = predict_scales[PREDICT_SCALES - 1];
    if (mean) {
        const predict_mix own = predict_parts[0];
        const double all = own.all + own.together + own.entry + p->axes * (own.like + own.own);
        memcpy(p->before, mean, sizeof *p->before * (size_t)p->entries);
        p->mix.scale = deviation * deviation / all;
        p->mix.trust = 1;
    } else {
        p->before = NULL;
    }
    p->compare_at = PREDICT_FIRST;
    predict_forget(p);
    return CT_OK;
}

bool ct_predict_first(const ct_predict *p, int64_t entry, double *mean)
{
    *mean = p->before ? p->before[entry] : 0;
    return p->before;
}

void ct_predict_learn(ct_predict *p, int64_t entry, double value, double noise)
{
    const size_t count = (size_t)p->points + 1;
    if (ct_memory_grow(&p->point, sizeof *p->point * count, NULL) != CT_OK) return;
    p->point[p->points++] = (predict_point){entry, value, noise * noise};
}

double ct_predict_expect(ct_predict *p, int64_t entry, double *deviation)
{
    predict_catch_up(p);
    *deviation = sqrt(p->variance[entry]);
    return p->mean[entry];
}

bool ct_predict_is_alike(ct_predict *p)
{
    predict_catch_up(p);
    return p->mix.like > p->mix.own;
}

/* workload_counts.c: workloads with other counts of stations, beams, channels, trials and samples:
 * one that the caller says, or odd twins. Room: tuner/bench. Knows the list's texts. Does not know
 * how workloads become steps, or how they are measured. */
#include "cornerturn_stage.h"
#include "text.h"
#include "workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is counted by a parameter and not by the input. */
typedef struct counts_param {
    char dim;
    const char *key;
} counts_param;

static const counts_param counts_params[] = {{'C', "\"channels\": "}, {'D', "\"count\": "}};

/* What of the input makes one sample of the output, or is judged together. */
static const char *const counts_units[] = {
    "\"channels\": ", "\"integrate\": ", "\"window\": ", "\"noise_samples\": "};

/* Where a text has the number after `key`; NULL: nowhere. */
static const char *counts_find(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at != NULL && strspn(at + strlen(key), "0123456789") > 0 ? at + strlen(key) : NULL;
}

static const char *counts_extent(const ct_workload_counted *of, char dim)
{
    const char key[] = {dim, '=', '\0'};
    return counts_find(of->extents, key);
}

static const char *counts_param_at(const ct_workload_counted *of, char dim)
{
    const size_t count = sizeof counts_params / sizeof *counts_params;
    for (size_t i = 0; i < count; i++)
        if (counts_params[i].dim == dim) return counts_find(of->params, counts_params[i].key);
    return NULL;
}

/* Puts another number where `at` has one. */
static void counts_write(char text[CT_WORKLOAD_EXTENTS], const char *at, int64_t number)
{
    char whole[CT_WORKLOAD_EXTENTS];
    snprintf(whole, sizeof whole, "%.*s%lld%s", (int)(at - text), text, (long long)number,
             at + strspn(at, "0123456789"));
    memcpy(text, whole, sizeof whole);
}

static int64_t counts_unit(const ct_workload_counted *of)
{
    for (size_t i = 0; i < sizeof counts_units / sizeof *counts_units; i++) {
        const char *at = counts_find(of->params, counts_units[i]);
        if (at != NULL) return strtoll(at, NULL, 10);
    }
    return 1;
}

void ct_workload_copy(ct_workload_counted *out, const ct_workload *work)
{
    out->work = *work;
    snprintf(out->extents, sizeof out->extents, "%s", work->extents);
    snprintf(out->params, sizeof out->params, "%s", work->params);
    out->work.extents = out->extents;
    out->work.params = out->params;
}

int64_t ct_workload_count(const ct_workload_counted *of, char dim)
{
    const char *at = counts_extent(of, dim);
    if (at == NULL && dim == 'B') return of->work.beams;
    if (at == NULL) at = counts_param_at(of, dim);
    const int64_t count = at != NULL ? strtoll(at, NULL, 10) : 0;
    return dim == 'T' ? count / counts_unit(of) : count;
}

void ct_workload_set_count(ct_workload_counted *of, char dim, int64_t count)
{
    const int64_t samples = ct_workload_count(of, 'T');
    const char *extent = counts_extent(of, dim), *param = counts_param_at(of, dim);
    if (extent != NULL)
        counts_write(of->extents, extent, dim == 'T' ? count * counts_unit(of) : count);
    else if (dim == 'B')
        of->work.beams = (int)count;
    else if (param != NULL)
        counts_write(of->params, param, count);
    if (dim != 'T' && extent == NULL && param != NULL) ct_workload_set_count(of, 'T', samples);
}

/* ---------------------------------------------------------------- odd twins */

/* Stages of which not all of S, P, C, B and D can have any count. */
static const struct {
    const char *stage, *free;
} counts_free[] = {{"fft", "SPF"}, {"ppf", "SPF"}, {"detect", "SBC"}, {"products", "SBC"}};

bool ct_workload_varies(const ct_workload *work, char dim)
{
    for (size_t i = 0; i < sizeof counts_free / sizeof *counts_free; i++)
        if (strcmp(counts_free[i].stage, work->stage) == 0)
            return strchr(counts_free[i].free, dim) != NULL;
    return strchr("SPFCBD", dim) != NULL;
}

/* Whether one of the counts before it has a factor in common. */
static bool counts_clash(const int64_t *before, int count, int64_t number)
{
    for (int i = 0; i < count; i++)
        if (ct_common_divisor(before[i], number) > 1) return true;
    return false;
}

/* The nearest odd number, the lower one first. */
static int64_t counts_odd(const int64_t *before, int count, int64_t number)
{
    for (int64_t away = 0; away < number; away++) {
        const int64_t near[] = {number - away, number + away};
        for (int i = 0; i < 2; i++)
            if (near[i] % 2 == 1 && !counts_clash(before, count, near[i])) return near[i];
    }
    return number;
}

/* A filter bank's channels are a transform's length. */
static bool counts_twin_varies(const ct_workload_counted *of, char dim)
{
    if (dim == 'C' && counts_extent(of, 'C') == NULL) return false;
    return dim == 'T' || (dim != 'P' && ct_workload_varies(&of->work, dim));
}

void ct_workload_twin(ct_workload_counted *out, const ct_workload *work, const char *size)
{
    static const char dims[] = "SBFCDT";
    int64_t before[sizeof dims];
    int count = 0;
    ct_workload_copy(out, work);
    if (strcmp(size, work->size) == 0) return;
    out->work.size = size;
    for (const char *dim = dims; *dim != '\0'; dim++) {
        const int64_t usual = ct_workload_count(out, *dim);
        if (usual < 2 || !counts_twin_varies(out, *dim)) continue;
        before[count] = counts_odd(before, count, usual);
        ct_workload_set_count(out, *dim, before[count++]);
    }
}

/* workload_case.c: what is measured of a stage that is not in the list: the largest of its cases,
 * for so long that it fills memory. Room: tuner/bench. Knows cases. Does not know any stage. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "text.h"
#include "workload.h"

#define CASE_BYTES 6.4e7 /* of the input: beyond most caches */

/* Elements of "S=3 T=65", and its T; 0: it has none, and stays as it is. */
static double case_count(const char *extents, int64_t *t)
{
    double count = 1;
    *t = 0;
    for (const char *at = extents + strspn(extents, " "); *at && at[1] == '=';
         at += strspn(at, " ")) {
        char *end;
        const char dim = *at;
        const int64_t extent = strtoll(at + 2, &end, 10);
        if (end == at + 2) break;
        if (dim == 'T') *t = extent;
        count *= (double)extent;
        at = end;
    }
    return count;
}

static const ct_case *largest(const ct_stage *stage)
{
    const ct_case *best = NULL;
    double most = 0;
    int64_t t;
    for (const ct_case *one = stage->verify.cases; one && one->extents; one++) {
        const double count = one->type ? case_count(one->extents, &t) : 0;
        if (count <= most || !*one->extents) continue;
        most = count;
        best = one;
    }
    return best;
}

/* The extents with a whole number of times the case's samples. */
static void longer(char *out, size_t size, const ct_case *one)
{
    int64_t t;
    const double bytes =
        case_count(one->extents, &t) * ct_type_bits(ct_type_parse(one->type)) / 8.0;
    const char *at = strstr(one->extents, "T=");
    const int64_t times = bytes > 0 && bytes < CASE_BYTES ? (int64_t)(CASE_BYTES / bytes) + 1 : 1;
    if (!at || t < 1)
        snprintf(out, size, "%s", one->extents);
    else
        snprintf(out, size, "%.*sT=%lld%s", (int)(at - one->extents), one->extents,
                 (long long)(t * times), at + 2 + strspn(at + 2, "0123456789"));
}

bool ct_workload_case(ct_workload *out, char extents[CT_WORKLOAD_EXTENTS], const ct_stage *stage,
                      const char *size)
{
    const ct_case *one = stage ? largest(stage) : NULL;
    if (!one) return false;
    longer(extents, CT_WORKLOAD_EXTENTS, one);
    *out = (ct_workload){.size = size,
                         .name = stage->name,
                         .stage = stage->name,
                         .params = one->params ? one->params : "{}",
                         .extents = extents,
                         .type = one->type};
    return true;
}

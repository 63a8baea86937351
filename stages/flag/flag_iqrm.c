/* flag_iqrm.c: IQRM in double precision: which of some numbers are far above those nearby. V.
 * Morello, K. M. Rajwade, B. W. Stappers, "IQRM: real-time adaptive RFI masking for radio transient
 * and pulsar searches", MNRAS 510 (2022). Room: stages/flag. Knows numbers. Does not know channels,
 * or where numbers come from. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "flag.h"

typedef struct iqrm {
    const ct_flag_nearby *nearby;
    const double *x;
    int64_t count;
    double threshold, least;
    double middle, spread; /* of the differences at one lag */
    double *sorted;
    int64_t lag;
} iqrm;

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A number compares itself with the one that lies `lag` before; at the ends with the last one. */
static int64_t voter(const iqrm *of, int64_t i, int64_t lag)
{
    const int64_t at = i - lag;
    return at < 0 ? 0 : at >= of->count ? of->count - 1 : at;
}

static double difference(const iqrm *of, int64_t i)
{
    return of->x[i] - of->x[voter(of, i, of->lag)];
}

static double percentile(const double *sorted, int64_t count, double part)
{
    const double at = part * (double)(count - 1);
    const int64_t low = (int64_t)at, high = low + 1 < count ? low + 1 : low;
    return sorted[low] + (sorted[high] - sorted[low]) * (at - (double)low);
}

/* The quartiles of the differences at a lag. */
static void compare(iqrm *of, int64_t lag)
{
    int64_t count = 0;
    of->lag = lag;
    for (int64_t i = 0; i < of->count; i++) {
        const double away = difference(of, i);
        if (!isnan(away)) of->sorted[count++] = away;
    }
    if (count == 0) return;
    qsort(of->sorted, (size_t)count, sizeof *of->sorted, by_size);
    of->middle = percentile(of->sorted, count, 0.5);
    of->spread =
        (percentile(of->sorted, count, 0.75) - percentile(of->sorted, count, 0.25)) / 1.349;
}

static bool is_far(const iqrm *of, int64_t i)
{
    return difference(of, i) - of->middle > fmax(of->threshold * of->spread, of->least);
}

/* Which voters has i, as far as they are found by one direction of lags? Adds to the table of who
 * has voted for whom: bit n of from[i] is lag n. */
static void vote(iqrm *of, uint64_t *from)
{
    memset(from, 0, sizeof *from * (size_t)of->count);
    for (int n = 0; n < 2 * of->nearby->lags; n++) {
        compare(of, of->nearby->lag[n / 2] * (n % 2 ? -1 : 1));
        for (int64_t i = 0; i < of->count; i++)
            if (is_far(of, i)) from[i] |= (uint64_t)1 << n;
    }
}

/* The different voters of i; gives how many. */
static int voters(const iqrm *of, uint64_t from, int64_t i, int64_t voter_of[2 * CT_FLAG_LAGS])
{
    int count = 0;
    for (int n = 0; n < 2 * of->nearby->lags; n++) {
        const int64_t j = voter(of, i, of->nearby->lag[n / 2] * (n % 2 ? -1 : 1));
        bool known = !(from >> n & 1);
        for (int k = 0; k < count; k++)
            known |= voter_of[k] == j;
        if (!known) voter_of[count++] = j;
    }
    return count;
}

void ct_flag_iqrm(const ct_flag_nearby *nearby, double threshold, double least, const double *x,
                  int64_t count, double *room, bool *mask)
{
    iqrm of = {nearby, x, count, threshold, least, .sorted = room};
    uint64_t *from = (uint64_t *)(void *)room + 2 * count;
    double *cast = room + count;
    int64_t voter_of[2 * CT_FLAG_LAGS];
    vote(&of, from);
    memset(cast, 0, sizeof *cast * (size_t)count);
    for (int64_t i = 0; i < count; i++)
        for (int n = voters(&of, from[i], i, voter_of); n > 0; n--)
            cast[voter_of[n - 1]]++;
    for (int64_t i = 0; i < count; i++) {
        const int received = voters(&of, from[i], i, voter_of);
        for (int n = 0; n < received; n++)
            mask[i] |= cast[voter_of[n]] < received;
    }
}

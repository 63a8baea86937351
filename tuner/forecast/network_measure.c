/* network_measure.c: what messages of this job cost. Room: tuner/forecast. Knows ranks. Does not
 * know what will be sent: the forecast multiplies. */
#define _GNU_SOURCE

#include "clock.h"
#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "fail.h"
#include "memory.h"
#include "network.h"

/* Messages that fit into caches are faster than a pipeline's, so where all ranks' together take no
 * more than some ms they are made eight times as long. */
enum { SMALL = 8, LARGE = 8 << 20, ALL = 64 << 20, ROUNDS = 7 };
static const double QUICK_S = 5e-3;

typedef struct messages {
    const ct_ranks *ranks;
    char *send, *receive;
    int *numbers; /* see ct_ranks_alltoall */
} messages;

/* What a rank sends to itself would be a copy. */
static void lay_out(messages *m, int bytes)
{
    const int size = m->ranks->size;
    for (int r = 0; r < size; r++) {
        m->numbers[r] = m->numbers[2 * size + r] = r == m->ranks->rank ? 0 : bytes;
        m->numbers[size + r] = m->numbers[3 * size + r] = r * bytes;
    }
}

/* The slowest rank's time of one exchange that all begin together. */
static ct_status time_once(const messages *m, double *seconds, ct_error *err)
{
    ct_status status = CT_OK;
    int64_t all = 0;
    CT_TRY(ct_ranks_minimum(m->ranks, &all, 1, err));
    const double start = ct_clock_now();
    CT_TRY(ct_ranks_alltoall(m->ranks, m->send, m->receive, m->numbers, err));
    all = -(int64_t)(1e9 * (ct_clock_now() - start));
    CT_TRY(ct_ranks_minimum(m->ranks, &all, 1, err));
    *seconds = 1e-9 * (double)-all;
out:
    return status;
}

/* The shortest of the rounds, for other processes only add to it; the first opens connections. */
static ct_status time_rounds(messages *m, int bytes, double *seconds, ct_error *err)
{
    ct_status status = CT_OK;
    lay_out(m, bytes);
    for (int n = 0; n <= ROUNDS; n++) {
        double round = 0;
        CT_TRY(time_once(m, &round, err));
        if (n <= 1 || round < *seconds) *seconds = round;
    }
out:
    return status;
}

/* Where the ranks are more than the cores, a round of nothing may take as long as one of bytes. */
static ct_status measure(messages *m, int bytes, ct_network *out, ct_error *err)
{
    ct_status status = CT_OK;
    const double others = m->ranks->size - 1, least = 1e-9;
    double empty = 0, full = 0;
    CT_TRY(time_rounds(m, SMALL, &empty, err));
    CT_TRY(time_rounds(m, bytes / 8, &full, err));
    if (full > QUICK_S)
        bytes /= 8;
    else
        CT_TRY(time_rounds(m, bytes, &full, err));
    const double moving = empty < full / 2 ? full - empty : full / 2;
    out->latency_s = empty / others;
    out->bandwidth = others * (bytes - SMALL) / (moving > least ? moving : least);
out:
    return status;
}

/* All agree before any rank waits for another. */
ct_status ct_network_measure(const ct_ranks *ranks, ct_network *out, ct_error *err)
{
    ct_status status = CT_OK;
    messages m = {.ranks = ranks};
    *out = (ct_network){0};
    if (!ct_ranks_is_job(ranks)) return CT_OK;
    const int size = ranks->size, each = ALL / size;
    const int bytes = each > LARGE ? LARGE : each > 32768 ? each : 32768;
    m.send = ct_memory_get((size_t)bytes * (size_t)size);
    m.receive = ct_memory_get((size_t)bytes * (size_t)size);
    m.numbers = ct_memory_get(sizeof *m.numbers * 4 * (size_t)size);
    if (!m.send || !m.receive || !m.numbers) status = ct_memory_fail((size_t)bytes, err);
    CT_TRY(ct_ranks_agree(ranks, status, err));
    CT_TRY(measure(&m, bytes, out, err));
out:
    ct_memory_free(m.send);
    ct_memory_free(m.receive);
    ct_memory_free(m.numbers);
    return status;
}

/* probe.c: what messages of this job cost. Room: core/ranks. Knows the wire. Does not know what is
 * to travel: whoever predicts exchanges multiplies. */
#define _GNU_SOURCE
#include <time.h>

#include "fail.h"
#include "memory.h"
#include "ranks.h"

/* Messages that fit into caches are faster than a pipeline's, so where all ranks' together take no
 * more than some ms they are made eight times as long. */
enum { PROBE_SMALL = 8, PROBE_LARGE = 8 << 20, PROBE_ALL = 64 << 20, PROBE_ROUNDS = 7 };
static const double PROBE_QUICK_S = 5e-3;

typedef struct probe {
    const ct_ranks *ranks;
    char *send, *receive;
    int *bytes, *at; /* a rank each, the same for what is sent and for what comes */
} probe;

static double clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A rank's own part would be a copy. */
static void probe_lay_out(probe *p, int bytes)
{
    for (int r = 0; r < p->ranks->size; r++) {
        p->bytes[r] = r == p->ranks->rank ? 0 : bytes;
        p->at[r] = r * bytes;
    }
}

/* The slowest rank's time of one exchange that all begin together. */
static ct_status probe_once(const probe *p, double *seconds, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_wire *wire = p->ranks->wire;
    int64_t all = 0;
    CT_TRY(ct_ranks_minimum(p->ranks, &all, 1, err));
    const double start = clock_s();
    CT_TRY(ct_ranks_check(
        p->ranks, wire->exchange(p->send, p->bytes, p->at, p->receive, p->bytes, p->at), err));
    all = -(int64_t)(1e9 * (clock_s() - start));
    CT_TRY(ct_ranks_minimum(p->ranks, &all, 1, err));
    *seconds = 1e-9 * (double)-all;
out:
    return status;
}

/* The shortest of the rounds, for other processes only add to it; the first opens connections. */
static ct_status probe_time(probe *p, int bytes, double *seconds, ct_error *err)
{
    ct_status status = CT_OK;
    probe_lay_out(p, bytes);
    for (int n = 0; n <= PROBE_ROUNDS; n++) {
        double round = 0;
        CT_TRY(probe_once(p, &round, err));
        if (n <= 1 || round < *seconds) *seconds = round;
    }
out:
    return status;
}

/* Where the ranks are more than the cores, a round of nothing may take as long as one of bytes. */
static ct_status probe_measure(probe *p, int bytes, ct_ranks_cost *out, ct_error *err)
{
    ct_status status = CT_OK;
    const double others = p->ranks->size - 1, least = 1e-9;
    double empty = 0, full = 0;
    CT_TRY(probe_time(p, PROBE_SMALL, &empty, err));
    CT_TRY(probe_time(p, bytes / 8, &full, err));
    if (full > PROBE_QUICK_S)
        bytes /= 8;
    else
        CT_TRY(probe_time(p, bytes, &full, err));
    const double moving = empty < full / 2 ? full - empty : full / 2;
    out->latency_s = empty / others;
    out->bandwidth = others * (bytes - PROBE_SMALL) / (moving > least ? moving : least);
out:
    return status;
}

/* What only this rank lacks is said before anybody waits for it. */
ct_status ct_ranks_probe(const ct_ranks *ranks, ct_ranks_cost *out, ct_error *err)
{
    ct_status status = CT_OK;
    probe p = {.ranks = ranks};
    *out = (ct_ranks_cost){0};
    if (!ranks || ranks->size == 1 || !ranks->wire) return CT_OK;
    const int size = ranks->size, share = PROBE_ALL / size;
    const int bytes = share > PROBE_LARGE ? PROBE_LARGE : share > 32768 ? share : 32768;
    p.send = ct_memory_get((size_t)bytes * (size_t)size);
    p.receive = ct_memory_get((size_t)bytes * (size_t)size);
    p.bytes = ct_memory_get(sizeof *p.bytes * (size_t)size);
    p.at = ct_memory_get(sizeof *p.at * (size_t)size);
    if (!p.send || !p.receive || !p.bytes || !p.at) status = ct_memory_fail((size_t)bytes, err);
    CT_TRY(ct_ranks_agree(ranks, status, err));
    CT_TRY(probe_measure(&p, bytes, out, err));
out:
    ct_memory_free(p.send);
    ct_memory_free(p.receive);
    ct_memory_free(p.bytes);
    ct_memory_free(p.at);
    return status;
}

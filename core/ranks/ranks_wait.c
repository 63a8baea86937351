/* ranks_wait.c: what rank 0 does by itself, for minutes perhaps, while the others sleep until it
 * has ended. Room: core/ranks. Knows the wire. Does not know what rank 0 does.
 *
 * Each of the others sends rank 0 one message: that it was told to stop, while it waits; else that
 * it has received the end. Rank 0 sends each one message, the end. */
#define _GNU_SOURCE
#include <time.h>

#include "fail.h"
#include "memory.h"
#include "ranks.h"

enum { WAIT_NS = 20 * 1000 * 1000 };

struct ct_ranks_wait {
    int status;     /* of rank 0, as it is sent to all */
    int open;       /* messages that are under way */
    bool asked;     /* rank 0: another one was told to stop */
    char message[]; /* [size] */
};

/* Whether a message came, or has gone. */
static ct_status wait_next(ct_ranks *ranks, bool *one, ct_error *err)
{
    int slot = -1;
    const ct_status status = ct_ranks_check(ranks, ranks->wire->next(false, &slot), err);
    *one = status == CT_OK && slot >= 0;
    ranks->wait->open -= *one;
    return status;
}

static ct_status wait_for_all(ct_ranks *ranks, ct_error *err)
{
    ct_status status = CT_OK;
    const struct timespec nap = {0, WAIT_NS};
    while (status == CT_OK && ranks->wait->open > 0) {
        bool one;
        status = wait_next(ranks, &one, err);
        if (!one && status == CT_OK) nanosleep(&nap, NULL);
    }
    return status;
}

static ct_status wait_begin(ct_ranks *ranks, ct_error *err)
{
    ct_status status = CT_OK;
    struct ct_ranks_wait *w = ranks->wait;
    CT_TRY(ct_ranks_check(ranks, ranks->wire->slots(2 * ranks->size), err));
    if (ranks->rank > 0) {
        w->open = 1;
        return ct_ranks_check(ranks, ranks->wire->receive(0, &w->status, sizeof w->status, 0), err);
    }
    for (int r = 1; r < ranks->size; r++, w->open++)
        CT_TRY(ct_ranks_check(ranks, ranks->wire->receive(r, &w->message[r], 1, r), err));
out:
    return status;
}

static ct_status wait_all_begin(ct_ranks *ranks, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t size = sizeof *ranks->wait + (size_t)ranks->size;
    ranks->wait = ct_memory_get(size);
    if (!ranks->wait) status = ct_memory_fail(size, err);
    CT_TRY(ct_ranks_agree(ranks, status, err));
    CT_TRY(wait_begin(ranks, err));
out:
    return status;
}

bool ct_ranks_asked(ct_ranks *ranks)
{
    bool one = true;
    if (!ct_ranks_is_job(ranks) || !ranks->wait || ranks->rank > 0) return false;
    while (one && ranks->wait->open > 0 && wait_next(ranks, &one, NULL) == CT_OK)
        ranks->wait->asked = ranks->wait->asked || one;
    return ranks->wait->asked;
}

/* Rank 0's end, to all. */
static ct_status send_end(ct_ranks *ranks, ct_status mine, ct_error *err)
{
    ct_status status = CT_OK;
    struct ct_ranks_wait *w = ranks->wait;
    w->status = (int)mine;
    for (int r = 1; r < ranks->size; r++, w->open++)
        CT_TRY(ct_ranks_check(
            ranks, ranks->wire->send(ranks->size + r, &w->status, sizeof w->status, r), err));
    CT_TRY(wait_for_all(ranks, err));
    status = mine;
out:
    return status;
}

static ct_status receive_end(ct_ranks *ranks, bool (*stop)(void *of), void *of, ct_error *err)
{
    ct_status status = CT_OK;
    const struct timespec nap = {0, WAIT_NS};
    struct ct_ranks_wait *w = ranks->wait;
    for (bool ended = false, sent = false; w->open > 0;) {
        int slot = -1;
        CT_TRY(ct_ranks_check(ranks, ranks->wire->next(false, &slot), err));
        w->open -= slot >= 0;
        ended = ended || slot == 0;
        if (slot < 0) nanosleep(&nap, NULL);
        if (sent || !(ended || (stop && stop(of)))) continue;
        CT_TRY(ct_ranks_check(ranks, ranks->wire->send(1, w->message, 1, 0), err));
        w->open++;
        sent = true;
    }
    status = (ct_status)w->status;
out:
    return status;
}

ct_status ct_ranks_on_first(ct_ranks *ranks, ct_status (*work)(void *of, ct_error *err),
                            bool (*stop)(void *of), void *of, ct_error *err)
{
    ct_status status = CT_OK;
    if (!work) return ct_error_add(err, CT_USAGE, "ct_ranks_on_first: there is no work");
    if (!ct_ranks_is_job(ranks)) return work(of, err);
    CT_TRY(wait_all_begin(ranks, err));
    status =
        ranks->rank == 0 ? send_end(ranks, work(of, err), err) : receive_end(ranks, stop, of, err);
out:
    ct_memory_free(ranks->wait);
    ranks->wait = NULL;
    return status;
}

/* half_wire.h: a wire that has no other end, for tests of core/job: rank 0 of two; what the other
 * one sends are numbers of this file. A block may come only once the next one has been read. Room:
 * tests. Knows messages. Does not know runs. */
#ifndef CT_TESTS_HALF_WIRE_H
#define CT_TESTS_HALF_WIRE_H
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "clock.h"
#include "cornerturn.h"
#include "wire.h"

/* Of the first exchange this rank gets one station's samples of its polarisation, of the second one
 * both stations' of the other polarisation. */
enum { BLOCK = 4, BLOCKS = 5, SLOTS = 64, FIRST = 4 * BLOCK, SECOND = 8 * BLOCK };

typedef struct message {
    float *data; /* NULL: nothing is under way, or it is sent */
    int bytes;
    bool busy;
} message;

static struct {
    message slot[SLOTS];
    int came[2]; /* blocks of either exchange */
    int sent;    /* of both */
    char order[4 * BLOCKS + 1];
    atomic_bool waits; /* a block comes when the next one has been read */
    int fails_at;      /* the block that cannot be read; -1: none */
    int cancels_at, breaks_at;
    int tripled_from; /* the first block of which values are three times */
    ct_run *run;
    atomic_int reads;
    int writes;
} now;

static int wire_exchange(const void *send, const int *send_bytes, const int *send_at, void *receive,
                         const int *receive_bytes, const int *receive_at)
{
    (void)receive_bytes;
    for (int r = 0; r < 2; r++)
        memcpy((char *)receive + receive_at[r], (const char *)send + send_at[r],
               (size_t)send_bytes[r]);
    return 0;
}

static int wire_slots(int slots)
{
    for (int s = 0; s < SLOTS; s++)
        assert_false(now.slot[s].busy);
    return slots > SLOTS;
}

static int wire_send(int slot, const void *data, int bytes, int to)
{
    (void)data;
    assert_int_equal(to, 1);
    now.sent++;
    now.slot[slot] = (message){.bytes = bytes, .busy = true};
    return 0;
}

static int wire_receive(int slot, void *data, int bytes, int from)
{
    assert_int_equal(from, 1);
    now.slot[slot] = (message){.data = data, .bytes = bytes, .busy = true};
    return 0;
}

/* The number of its block, and of which exchange it is. */
static void bring(const message *m)
{
    const int second = m->bytes == SECOND;
    for (int i = 0; i < m->bytes / (int)sizeof(float); i++)
        m->data[i] = (float)(1000 * (second + 1) + now.came[second]);
    now.came[second]++;
    strcat(now.order, second ? "2" : "1");
}

/* Ten seconds are longer than anything takes here. */
static int wire_next(bool wait, int *slot)
{
    static double since;
    *slot = -1;
    for (int s = 0; s < SLOTS; s++) {
        message *m = &now.slot[s];
        if (!m->busy) continue;
        const bool early = now.waits && m->data && m->bytes == FIRST && now.came[0] < BLOCKS - 1 &&
                           atomic_load(&now.reads) < now.came[0] + 2;
        if (early) {
            if (since == 0) since = ct_clock_now();
            return wait || ct_clock_now() - since > 10;
        }
        since = 0;
        if (m->data) bring(m);
        m->busy = false;
        *slot = s;
        return 0;
    }
    return 0;
}

static int wire_minimum(int64_t *numbers, int count)
{
    (void)numbers, (void)count;
    return 0;
}

/* On a machine of its own. */
static int wire_shared_memory(int64_t bytes, void **rooms)
{
    (void)bytes;
    rooms[0] = rooms[1] = NULL;
    return 0;
}

static bool wire_threads(void)
{
    return true;
}

static double wire_blocked_s(void)
{
    return 0;
}

static void wire_text(int code, char *out, int size)
{
    snprintf(out, (size_t)size, "code %d", code);
}

static const ct_wire wire = {.version = CT_WIRE_VERSION,
                             .name = "a test's wire",
                             .exchange = wire_exchange,
                             .slots = wire_slots,
                             .send = wire_send,
                             .receive = wire_receive,
                             .next = wire_next,
                             .minimum = wire_minimum,
                             .shared_memory = wire_shared_memory,
                             .threads = wire_threads,
                             .blocked_s = wire_blocked_s,
                             .text = wire_text};

#endif

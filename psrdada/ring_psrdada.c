/* ring_psrdada.c: see io/dada/ring_calls.h: rings in shared memory, by PSRDADA's library. A module
 * of its own, so that the library needs no PSRDADA where no pipeline names a ring. Whoever would
 * wait in the library, for a semaphore, is told so before. Room: psrdada. Knows PSRDADA. Does not
 * know pipelines. [W. van Straten, A. Jameson, PSRDADA] */
#include "ring_calls.h"

#include <errno.h>
#include <ipcbuf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sem.h>
#include <sys/shm.h>

struct ct_ring {
    ipcbuf_t header, data;
    bool writes;
    bool connected[2], locked[2]; /* header, data */
    bool has;                     /* a block of data */
};

static ipcbuf_t *ring_part(ct_ring *ring, int i)
{
    return i ? &ring->data : &ring->header;
}

static ct_ring_answer ring_fail(char why[CT_RING_WHY], const char *text)
{
    snprintf(why, CT_RING_WHY, "%s", text);
    return CT_RING_FAILED;
}

/* ---- who has it */

/* The library would say on standard error what is wrong with a key. */
static ct_ring_answer ring_find(uint32_t key, char why[CT_RING_WHY])
{
    const int id = shmget((key_t)key, 0, 0);
    struct shmid_ds about;
    if (id < 0 && errno == ENOENT)
        return ring_fail(why, "there is none: dada_db makes it, with this key as its -k");
    if (id < 0) return ring_fail(why, strerror(errno));
    if (shmctl(id, IPC_STAT, &about) != 0) return ring_fail(why, strerror(errno));
    if (about.shm_segsz >= sizeof(ipcsync_t)) return CT_RING_DONE;
    return ring_fail(why, "what has this key is no ring of PSRDADA");
}

static ct_ring_answer ring_connect(ct_ring *ring, uint32_t key, char why[CT_RING_WHY])
{
    for (int i = 0; i < 2; i++) {
        ipcbuf_t *part = ring_part(ring, i);
        const uint32_t own = key + (i ? 0 : 1); /* as dada_hdu_set_key() */
        const ct_ring_answer found = ring_find(own, why);
        if (found != CT_RING_DONE) return found;
        if (ipcbuf_connect(part, (key_t)own) < 0)
            return ring_fail(why, "PSRDADA's library cannot connect to it");
        ring->connected[i] = true;
    }
    if (ipcbuf_get_device(&ring->data) < 0) return CT_RING_DONE;
    return ring_fail(why, "it lies in the memory of a GPU: expected one of the host's");
}

/* Whether somebody may still become its writer, or another reader. */
static bool ring_is_free(const ipcbuf_t *part, bool writes)
{
    return semctl(part->semid_connect, writes ? IPCBUF_WRITE : IPCBUF_READ, GETVAL) > 0;
}

static ct_ring_answer ring_lock(ct_ring *ring, char why[CT_RING_WHY])
{
    for (int i = 0; i < 2; i++) {
        ipcbuf_t *part = ring_part(ring, i);
        if (!ring_is_free(part, ring->writes)) return CT_RING_BUSY;
        if ((ring->writes ? ipcbuf_lock_write : ipcbuf_lock_read)(part) < 0)
            return ring_fail(why, strerror(errno));
        ring->locked[i] = true;
    }
    const ipcsync_t *data = ring->data.sync;
    if ((ring->writes ? data->w_state : data->r_states[ring->data.iread]) == 0) return CT_RING_DONE;
    return ring_fail(why, ring->writes
                              ? "a writer has left it in the middle of an observation: make it "
                                "anew with dada_db"
                              : "a reader has left it in the middle of an observation: make it "
                                "anew with dada_db");
}

static void psrdada_release(ct_ring *ring)
{
    for (int i = 0; ring && i < 2; i++) {
        ipcbuf_t *part = ring_part(ring, i);
        if (ring->locked[i]) (void)(ring->writes ? ipcbuf_unlock_write : ipcbuf_unlock_read)(part);
        if (ring->connected[i]) (void)ipcbuf_disconnect(part);
    }
    free(ring);
}

static ct_ring_answer psrdada_attach(ct_ring **out, uint32_t key, bool writes,
                                     char why[CT_RING_WHY])
{
    const ipcbuf_t nothing = IPCBUF_INIT;
    ct_ring *ring = *out = calloc(1, sizeof *ring);
    if (!ring) return ring_fail(why, strerror(errno));
    ring->header = ring->data = nothing;
    ring->writes = writes;
    ct_ring_answer answer = ring_connect(ring, key, why);
    if (answer == CT_RING_DONE) answer = ring_lock(ring, why);
    if (answer == CT_RING_DONE) return answer;
    psrdada_release(ring);
    *out = NULL;
    return answer;
}

static void psrdada_sizes(const ct_ring *ring, ct_ring_sizes *out)
{
    ipcbuf_t data = ring->data;
    *out = (ct_ring_sizes){ipcbuf_get_nbufs(&data), ipcbuf_get_bufsz(&data),
                           ring->writes ? 0 : ipcbuf_get_nfull_iread(&data, data.iread)};
}

/* ---- reading */

static bool ring_has_full(ct_ring *ring, int i)
{
    ipcbuf_t *part = ring_part(ring, i);
    return ipcbuf_get_nfull_iread(part, part->iread) > 0;
}

/* The library has no way to look at what comes next without taking it. */
static ct_ring_answer psrdada_peek(ct_ring *ring, const char **text, size_t *bytes)
{
    const ipcbuf_t *part = &ring->header;
    const ipcsync_t *sync = part->sync;
    const uint64_t transfer = sync->r_xfers[part->iread] % IPCBUF_XFERS;
    if (!ring_has_full(ring, 0)) return CT_RING_WAIT;
    const bool starts = sync->r_states[part->iread] == 0;
    const uint64_t next = starts ? sync->s_buf[transfer] : sync->r_bufs[part->iread];
    *text = part->buffer[next % sync->nbufs];
    *bytes = sync->bufsz;
    return CT_RING_DONE;
}

static ct_ring_answer psrdada_begin(ct_ring *ring, char why[CT_RING_WHY])
{
    uint64_t bytes;
    if (!ring_has_full(ring, 0)) return CT_RING_WAIT;
    if (ipcbuf_get_next_read(&ring->header, &bytes) && ipcbuf_mark_cleared(&ring->header) == 0)
        return CT_RING_DONE;
    return ring_fail(why, "PSRDADA's library cannot take its header");
}

static ct_ring_answer psrdada_next(ct_ring *ring, const uint8_t **data, size_t *bytes,
                                   char why[CT_RING_WHY])
{
    uint64_t got = 0;
    if (ring->has && ipcbuf_mark_cleared(&ring->data) < 0)
        return ring_fail(why, "PSRDADA's library cannot give a block back");
    ring->has = false;
    if (ipcbuf_eod(&ring->data)) return CT_RING_END;
    const bool left = ring_is_free(&ring->data, true); /* before: it may fill a block and go */
    if (!ring_has_full(ring, 1)) return left ? CT_RING_LEFT : CT_RING_WAIT;
    *data = (const uint8_t *)ipcbuf_get_next_read(&ring->data, &got);
    if (!*data) return ring_fail(why, "PSRDADA's library cannot get the next block");
    *bytes = got;
    ring->has = true;
    return CT_RING_DONE;
}

/* ---- writing */

/* Whether each reader has given back as often what is written next as it was written. */
static bool ring_has_clear(ipcbuf_t *part)
{
    const uint64_t written = (uint64_t)part->count[part->sync->w_buf_next % part->sync->nbufs];
    for (unsigned i = 0; i < part->sync->n_readers; i++)
        if (ipcbuf_get_nclear_iread(part, (int)i) < written) return false;
    return true;
}

/* Whether each reader has seen so many beginnings, or ends, that there may be another one. */
static bool ring_may_begin(ipcbuf_t *part)
{
    for (unsigned i = 0; i < part->sync->n_readers && !ipcbuf_is_writing(part); i++)
        if (ipcbuf_get_sodack_iread(part, (int)i) == 0) return false;
    return true;
}

static bool ring_may_end(ipcbuf_t *part)
{
    for (unsigned i = 0; i < part->sync->n_readers; i++)
        if (ipcbuf_get_eodack_iread(part, (int)i) == 0) return false;
    return true;
}

static ct_ring_answer psrdada_put_header(ct_ring *ring, const char *text, size_t bytes,
                                         char why[CT_RING_WHY])
{
    ipcbuf_t *part = &ring->header;
    const uint64_t most = ipcbuf_get_bufsz(part);
    if (most < bytes) {
        snprintf(why, CT_RING_WHY, "its headers have %llu bytes: expected %zu (dada_db -a)",
                 (unsigned long long)most, bytes);
        return CT_RING_FAILED;
    }
    if (!ring_has_clear(part) || !ring_may_begin(part)) return CT_RING_WAIT;
    char *to = ipcbuf_get_next_write(part);
    if (!to) return ring_fail(why, "PSRDADA's library has no room for its header");
    memset(to, 0, most);
    memcpy(to, text, bytes);
    if (ipcbuf_mark_filled(part, most) == 0) return CT_RING_DONE;
    return ring_fail(why, "PSRDADA's library cannot put its header");
}

/* The block before is kept until there is another one, so that it can still be the last. */
static ct_ring_answer psrdada_room(ct_ring *ring, uint8_t **data, size_t *bytes,
                                   char why[CT_RING_WHY])
{
    ipcbuf_t *part = &ring->data;
    const uint64_t most = ipcbuf_get_bufsz(part);
    const bool several = ipcbuf_get_nbufs(part) > 1;
    if (ring->has && several && !ring_has_clear(part)) return CT_RING_WAIT;
    if (ring->has && ipcbuf_mark_filled(part, most) < 0)
        return ring_fail(why, "PSRDADA's library cannot pass a block on");
    ring->has = false;
    if (!ring_has_clear(part) || !ring_may_begin(part)) return CT_RING_WAIT;
    *data = (uint8_t *)ipcbuf_get_next_write(part);
    if (!*data) return ring_fail(why, "PSRDADA's library has no room for a block");
    *bytes = most;
    ring->has = true;
    return CT_RING_DONE;
}

/* Of an observation without a byte the library takes the last block, an empty one, itself. */
static ct_ring_answer psrdada_end(ct_ring *ring, size_t bytes, char why[CT_RING_WHY])
{
    ipcbuf_t *part = &ring->data;
    if (!ring_may_end(part) || !ring_may_begin(part)) return CT_RING_WAIT;
    if (!ring->has && !ring_has_clear(part)) return CT_RING_WAIT;
    int failed = 0;
    if (!ipcbuf_is_writing(part)) failed = ipcbuf_enable_sod(part, part->sync->w_buf_curr, 0);
    if (failed == 0) failed = ipcbuf_enable_eod(part);
    if (failed == 0) failed = ipcbuf_mark_filled(part, bytes);
    ring->has = false;
    return failed == 0 ? CT_RING_DONE : ring_fail(why, "PSRDADA's library cannot end it");
}

extern const ct_ring_calls ct_ring_calls_psrdada;
__attribute__((visibility("default"))) const ct_ring_calls ct_ring_calls_psrdada = {
    CT_RING_VERSION, psrdada_attach, psrdada_release,    psrdada_sizes, psrdada_peek,
    psrdada_begin,   psrdada_next,   psrdada_put_header, psrdada_room,  psrdada_end};

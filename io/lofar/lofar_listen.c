/* lofar_listen.c: see lofar_listen.h. One thread serves all lanes: it sleeps until something comes,
 * and takes as many datagrams at a time as there are. A lane's bytes go round in a ring, of which
 * the thread writes the end and the reader the beginning; where it is full the system keeps, and in
 * the end drops, what comes. Room: io/lofar. Knows sockets and threads. Does not know packets. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* recvmmsg */
#endif
#include "lofar_listen.h"
#include <errno.h>
#include <linux/sock_diag.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    LISTEN_BATCH = 32,
    LISTEN_LONGEST = 9216, /* bytes of a datagram: a jumbo frame's */
    LISTEN_RING = 1 << 25,
    LISTEN_PORTS = 65535, /* the last one; resolvers take larger numbers for other ports */
    LISTEN_TICK_MS = 50,
    LISTEN_SILENCE_S = 5
};

typedef struct listen_lane {
    ct_listen *listen;
    const char *address;
    int socket; /* -1: none */
    uint8_t *ring;
    atomic_uint_least64_t put, taken; /* bytes so far */
    atomic_int_least64_t datagrams, dropped;
    int64_t buffer;
} listen_lane;

struct ct_listen {
    ct_step *step;
    listen_lane *lane;
    int64_t lanes;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t come;
    bool runs;
    atomic_bool quit;
    uint8_t *datagram; /* LISTEN_BATCH of LISTEN_LONGEST */
    struct pollfd *poll;
};

/* ---- sockets */

static ct_status listen_fail(const char *address, const char *doing, const char *why, ct_error *err)
{
    return ct_error_add(err, CT_DATA, "%s: cannot be %s: %s", address, doing, why);
}

static ct_status listen_resolve(const char *address, struct addrinfo **out, ct_error *err)
{
    char host[256];
    const char *colon = strrchr(address, ':');
    const struct addrinfo hints = {.ai_socktype = SOCK_DGRAM,
                                   .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    const size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
    if (digits == 0 || digits > 5 || colon[1 + digits] || atoi(colon + 1) < 1 ||
        atoi(colon + 1) > LISTEN_PORTS || (size_t)(colon - address) >= sizeof host)
        return ct_error_add(err, CT_DATA,
                            "%s: expected an address and a port from 1 to %d, as "
                            "0.0.0.0:16130",
                            address, LISTEN_PORTS);
    const bool bracketed = address[0] == '[' && colon[-1] == ']'; /* IPv6 */
    snprintf(host, sizeof host, "%.*s", (int)(colon - address) - 2 * bracketed,
             address + bracketed);
    const int code = getaddrinfo(host[0] ? host : NULL, colon + 1, &hints, out);
    return code == 0 ? CT_OK : listen_fail(address, "listened to", gai_strerror(code), err);
}

ct_status ct_listen_check(const char *address, ct_error *err)
{
    struct addrinfo *found = NULL;
    const ct_status status = listen_resolve(address, &found, err);
    if (status == CT_OK) freeaddrinfo(found);
    return status;
}

/* As large a buffer as there may be. */
static void listen_size(listen_lane *lane)
{
    const int one = 1, asked = CT_LISTEN_ASKED;
    int got = 0;
    socklen_t size = sizeof got;
    (void)setsockopt(lane->socket, SOL_SOCKET, SO_RXQ_OVFL, &one, sizeof one);
    if (setsockopt(lane->socket, SOL_SOCKET, SO_RCVBUFFORCE, &asked, sizeof asked) != 0)
        (void)setsockopt(lane->socket, SOL_SOCKET, SO_RCVBUF, &asked, sizeof asked);
    if (getsockopt(lane->socket, SOL_SOCKET, SO_RCVBUF, &got, &size) == 0) lane->buffer = got;
}

static ct_status listen_bind(listen_lane *lane, ct_error *err)
{
    struct addrinfo *found = NULL;
    ct_status status = listen_resolve(lane->address, &found, err);
    if (status != CT_OK) return status;
    lane->socket = socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (lane->socket < 0 || bind(lane->socket, found->ai_addr, found->ai_addrlen) != 0)
        status = errno == EADDRINUSE
                     ? ct_error_add(err, CT_DATA, "%s: another program listens there already",
                                    lane->address)
                     : listen_fail(lane->address, "listened to", strerror(errno), err);
    else
        listen_size(lane);
    freeaddrinfo(found);
    return status;
}

ct_status ct_listen_open(ct_listen **out, ct_step *step, const char *const *address, int64_t lanes,
                         ct_error *err)
{
    ct_listen *listen = *out = ct_step_alloc(step, sizeof *listen);
    if (!listen) return CT_FAILED;
    listen->step = step;
    listen->lane = ct_step_alloc(step, (size_t)lanes * sizeof *listen->lane);
    listen->poll = ct_step_alloc(step, (size_t)lanes * sizeof *listen->poll);
    listen->datagram = ct_step_alloc(step, (size_t)LISTEN_BATCH * LISTEN_LONGEST);
    if (!listen->lane || !listen->poll || !listen->datagram) return CT_FAILED;
    listen->lanes = lanes;
    pthread_mutex_init(&listen->lock, NULL);
    pthread_cond_init(&listen->come, NULL);
    for (int64_t i = 0; i < lanes; i++)
        listen->lane[i] = (listen_lane){.listen = listen, .address = address[i], .socket = -1};
    for (int64_t i = 0; i < lanes; i++) {
        if (address[i][0] == 0) continue;
        listen->lane[i].ring = ct_step_alloc(step, LISTEN_RING);
        if (!listen->lane[i].ring) return CT_FAILED;
        const ct_status status = listen_bind(&listen->lane[i], err);
        if (status != CT_OK) return status;
    }
    return CT_OK;
}

/* ---- the thread */

static void listen_keep(listen_lane *lane, const uint8_t *from, size_t bytes)
{
    const uint64_t put = atomic_load_explicit(&lane->put, memory_order_relaxed);
    const size_t at = put % LISTEN_RING,
                 first = LISTEN_RING - at < bytes ? LISTEN_RING - at : bytes;
    memcpy(lane->ring + at, from, first);
    memcpy(lane->ring, from + first, bytes - first);
    atomic_store_explicit(&lane->put, put + bytes, memory_order_release);
    atomic_fetch_add_explicit(&lane->datagrams, 1, memory_order_relaxed);
}

/* How many have been dropped since the socket was made comes with a datagram. */
static void listen_note_dropped(listen_lane *lane, struct msghdr *head)
{
    for (struct cmsghdr *one = CMSG_FIRSTHDR(head); one; one = CMSG_NXTHDR(head, one)) {
        uint32_t count = 0;
        if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SO_RXQ_OVFL) continue;
        memcpy(&count, CMSG_DATA(one), sizeof count);
        const int64_t before = atomic_load_explicit(&lane->dropped, memory_order_relaxed);
        const uint32_t more = count - (uint32_t)before;
        atomic_store_explicit(&lane->dropped, before + more, memory_order_relaxed);
    }
}

/* As much as there is, and as there is room for; true where something came. */
static bool listen_take(ct_listen *listen, listen_lane *lane)
{
    struct mmsghdr message[LISTEN_BATCH];
    struct iovec part[LISTEN_BATCH];
    union {
        struct cmsghdr align;
        uint8_t bytes[CMSG_SPACE(sizeof(uint32_t))];
    } control[LISTEN_BATCH];
    const uint64_t full = atomic_load_explicit(&lane->put, memory_order_relaxed) -
                          atomic_load_explicit(&lane->taken, memory_order_acquire);
    if (full + (uint64_t)LISTEN_BATCH * LISTEN_LONGEST > LISTEN_RING) return false;
    for (int i = 0; i < LISTEN_BATCH; i++) {
        part[i] = (struct iovec){listen->datagram + (size_t)i * LISTEN_LONGEST, LISTEN_LONGEST};
        message[i].msg_hdr = (struct msghdr){.msg_iov = &part[i],
                                             .msg_iovlen = 1,
                                             .msg_control = &control[i],
                                             .msg_controllen = sizeof control[i]};
    }
    const int got = recvmmsg(lane->socket, message, LISTEN_BATCH, MSG_DONTWAIT, NULL);
    for (int i = 0; i < got; i++) {
        listen_note_dropped(lane, &message[i].msg_hdr);
        listen_keep(lane, part[i].iov_base, message[i].msg_len);
    }
    return got > 0;
}

static void *listen_work(void *of)
{
    ct_listen *listen = of;
    while (!atomic_load_explicit(&listen->quit, memory_order_relaxed)) {
        bool some = false;
        for (int64_t i = 0; i < listen->lanes; i++)
            listen->poll[i] = (struct pollfd){.fd = listen->lane[i].socket, .events = POLLIN};
        if (poll(listen->poll, (nfds_t)listen->lanes, LISTEN_TICK_MS) <= 0) continue;
        for (int64_t i = 0; i < listen->lanes; i++)
            if (listen->poll[i].revents) some |= listen_take(listen, &listen->lane[i]);
        if (some) {
            pthread_mutex_lock(&listen->lock);
            pthread_cond_broadcast(&listen->come);
            pthread_mutex_unlock(&listen->lock);
        }
        /* a few packets at a time are cheaper than one; and a full ring is not asked again at once
         */
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
    return NULL;
}

ct_status ct_listen_start(ct_listen *listen, ct_error *err)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    const int code = pthread_create(&listen->thread, NULL, listen_work, listen);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    listen->runs = code == 0;
    return code == 0
               ? CT_OK
               : ct_error_add(err, CT_FAILED, "a thread cannot be started: %s", strerror(code));
}

/* ---- the reader */

void *ct_listen_lane(ct_listen *listen, int64_t lane)
{
    return &listen->lane[lane];
}

static uint64_t listen_there(const listen_lane *lane)
{
    return atomic_load_explicit(&lane->put, memory_order_acquire) -
           atomic_load_explicit(&lane->taken, memory_order_relaxed);
}

static double listen_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static ct_status listen_wait(listen_lane *lane, ct_error *err)
{
    ct_listen *listen = lane->listen;
    const double begun = listen_clock();
    while (listen_there(lane) == 0) {
        struct timespec until;
        if (ct_step_stopped(listen->step)) return CT_INTERRUPTED;
        if (listen_clock() - begun > LISTEN_SILENCE_S)
            return ct_error_add(err, CT_DATA, "%s: no packet for %d s", lane->address,
                                LISTEN_SILENCE_S);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += LISTEN_TICK_MS * 1000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_mutex_lock(&listen->lock);
        if (listen_there(lane) == 0) pthread_cond_timedwait(&listen->come, &listen->lock, &until);
        pthread_mutex_unlock(&listen->lock);
    }
    return CT_OK;
}

ct_status ct_listen_pull(void *of, uint8_t *to, size_t room, size_t *got, ct_error *err)
{
    listen_lane *lane = of;
    const ct_status status = listen_wait(lane, err);
    *got = 0;
    if (status != CT_OK) return status;
    const uint64_t taken = atomic_load_explicit(&lane->taken, memory_order_relaxed);
    const uint64_t there = listen_there(lane);
    const size_t at = taken % LISTEN_RING, left = LISTEN_RING - at;
    size_t now = there < room ? (size_t)there : room;
    if (now > left) now = left;
    memcpy(to, lane->ring + at, now);
    atomic_store_explicit(&lane->taken, taken + now, memory_order_release);
    *got = now;
    return CT_OK;
}

/* The system says how many it has dropped even where nothing has come since then. The number is of
 * 32 bits, and goes round. */
static int64_t listen_dropped(const listen_lane *lane)
{
    uint32_t about[SK_MEMINFO_DROPS + 1];
    socklen_t size = sizeof about;
    const int64_t before = atomic_load_explicit(&lane->dropped, memory_order_relaxed);
    if (getsockopt(lane->socket, SOL_SOCKET, SO_MEMINFO, about, &size) != 0 || size < sizeof about)
        return before;
    const uint32_t more = about[SK_MEMINFO_DROPS] - (uint32_t)before;
    return more < UINT32_MAX / 2 ? before + more : before;
}

ct_listen_counts ct_listen_count(const ct_listen *listen, int64_t lane)
{
    const listen_lane *of = &listen->lane[lane];
    return (ct_listen_counts){.datagrams = atomic_load(&of->datagrams),
                              .dropped = listen_dropped(of),
                              .buffer = of->buffer,
                              .waiting = (int64_t)listen_there(of),
                              .ring = LISTEN_RING};
}

void ct_listen_close(ct_listen *listen)
{
    if (!listen) return;
    atomic_store(&listen->quit, true);
    if (listen->runs) pthread_join(listen->thread, NULL);
    listen->runs = false;
    for (int64_t i = 0; i < listen->lanes; i++) {
        if (listen->lane[i].socket >= 0) close(listen->lane[i].socket);
        listen->lane[i].socket = -1;
    }
}

/* lofar_receiver.c: see lofar_receiver.h. One thread serves all lanes: it sleeps until something
 * comes, and takes as many datagrams at a time as there are. A lane's bytes go round in a ring, of
 * which the thread writes the end and the reader the beginning; where it is full the system keeps,
 * and in the end drops, what comes.
 * Room: io/lofar. Knows sockets and threads. Does not know packets. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* recvmmsg */
#endif
#include "lofar_receiver.h"
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
    RECEIVER_BATCH = 32,
    RECEIVER_LONGEST = 9216, /* bytes of a datagram: a jumbo frame's */
    RECEIVER_RING = 1 << 25,
    RECEIVER_STEP = 1 << 13, /* bytes of the ring of which one moment is known */
    RECEIVER_MOMENTS = RECEIVER_RING / RECEIVER_STEP,
    RECEIVER_PORTS = 65535, /* the last one; resolvers take larger numbers for other ports */
    RECEIVER_TICK_MS = 50,
    RECEIVER_SILENCE_S = 5
};

typedef struct receiver_lane {
    ct_receiver *receiver;
    const char *address;
    int socket; /* -1: none */
    uint8_t *ring;
    atomic_uint_least64_t put, taken; /* bytes so far */
    atomic_int_least64_t datagrams, dropped;
    atomic_int_least64_t *moment; /* when each step of the ring came, ns */
    atomic_int_least64_t first_dropped, behind, most_behind; /* ct_receiver_counts, ns */
    ct_receiver_first first;                                 /* once datagrams > 0 */
    int64_t buffer;
} receiver_lane;

struct ct_receiver {
    ct_step *step;
    receiver_lane *lane;
    int64_t lanes;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t come;
    bool runs;
    atomic_bool quit;
    uint8_t *datagram; /* RECEIVER_BATCH of RECEIVER_LONGEST */
    struct pollfd *poll;
};

/* ---- sockets */

static ct_status receiver_fail(const char *address, const char *doing, const char *why,
                               ct_error *err)
{
    return ct_error_add(err, CT_DATA, "%s: cannot be %s: %s", address, doing, why);
}

ct_status ct_receiver_resolve(const char *address, struct addrinfo **out, ct_error *err)
{
    char host[256];
    const char *colon = strrchr(address, ':');
    const struct addrinfo hints = {.ai_socktype = SOCK_DGRAM,
                                   .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    const size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
    if (digits == 0 || digits > 5 || colon[1 + digits] || atoi(colon + 1) < 1 ||
        atoi(colon + 1) > RECEIVER_PORTS || (size_t)(colon - address) >= sizeof host)
        return ct_error_add(err, CT_DATA,
                            "%s: expected an address and a port from 1 to %d, as "
                            "0.0.0.0:16130",
                            address, RECEIVER_PORTS);
    const bool bracketed = address[0] == '[' && colon[-1] == ']'; /* IPv6 */
    snprintf(host, sizeof host, "%.*s", (int)(colon - address) - 2 * bracketed,
             address + bracketed);
    const int code = getaddrinfo(host[0] ? host : NULL, colon + 1, &hints, out);
    return code == 0 ? CT_OK : receiver_fail(address, "listened to", gai_strerror(code), err);
}

ct_status ct_receiver_check(const char *address, ct_error *err)
{
    struct addrinfo *found = NULL;
    const ct_status status = ct_receiver_resolve(address, &found, err);
    if (status == CT_OK) freeaddrinfo(found);
    return status;
}

/* As large a buffer as there may be. */
static void receiver_size(receiver_lane *lane)
{
    const int one = 1, asked = CT_RECEIVER_ASKED;
    int got = 0;
    socklen_t size = sizeof got;
    (void)setsockopt(lane->socket, SOL_SOCKET, SO_RXQ_OVFL, &one, sizeof one);
    (void)setsockopt(lane->socket, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof one);
    if (setsockopt(lane->socket, SOL_SOCKET, SO_RCVBUFFORCE, &asked, sizeof asked) != 0)
        (void)setsockopt(lane->socket, SOL_SOCKET, SO_RCVBUF, &asked, sizeof asked);
    if (getsockopt(lane->socket, SOL_SOCKET, SO_RCVBUF, &got, &size) == 0) lane->buffer = got;
}

static ct_status receiver_bind(receiver_lane *lane, ct_error *err)
{
    struct addrinfo *found = NULL;
    ct_status status = ct_receiver_resolve(lane->address, &found, err);
    if (status != CT_OK) return status;
    lane->socket = socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (lane->socket < 0 || bind(lane->socket, found->ai_addr, found->ai_addrlen) != 0)
        status = errno == EADDRINUSE
                     ? ct_error_add(err, CT_DATA, "%s: another program listens there already",
                                    lane->address)
                     : receiver_fail(lane->address, "listened to", strerror(errno), err);
    else
        receiver_size(lane);
    freeaddrinfo(found);
    return status;
}

ct_status ct_receiver_open(ct_receiver **out, ct_step *step, const char *const *address,
                           int64_t lanes, ct_error *err)
{
    ct_receiver *receiver = *out = ct_step_alloc(step, sizeof *receiver);
    if (!receiver) return CT_FAILED;
    receiver->step = step;
    receiver->lane = ct_step_alloc(step, (size_t)lanes * sizeof *receiver->lane);
    receiver->poll = ct_step_alloc(step, (size_t)lanes * sizeof *receiver->poll);
    receiver->datagram = ct_step_alloc(step, (size_t)RECEIVER_BATCH * RECEIVER_LONGEST);
    if (!receiver->lane || !receiver->poll || !receiver->datagram) return CT_FAILED;
    receiver->lanes = lanes;
    pthread_mutex_init(&receiver->lock, NULL);
    pthread_cond_init(&receiver->come, NULL);
    for (int64_t i = 0; i < lanes; i++)
        receiver->lane[i] =
            (receiver_lane){.receiver = receiver, .address = address[i], .socket = -1};
    for (int64_t i = 0; i < lanes; i++) {
        if (address[i][0] == 0) continue;
        receiver->lane[i].ring = ct_step_alloc(step, RECEIVER_RING);
        receiver->lane[i].moment =
            ct_step_alloc(step, RECEIVER_MOMENTS * sizeof *receiver->lane[i].moment);
        if (!receiver->lane[i].ring || !receiver->lane[i].moment) return CT_FAILED;
        const ct_status status = receiver_bind(&receiver->lane[i], err);
        if (status != CT_OK) return status;
    }
    return CT_OK;
}

/* ---- the thread */

static void receiver_keep(receiver_lane *lane, const uint8_t *from, size_t bytes, int64_t ns)
{
    const uint64_t put = atomic_load_explicit(&lane->put, memory_order_relaxed);
    const size_t at = put % RECEIVER_RING,
                 first = RECEIVER_RING - at < bytes ? RECEIVER_RING - at : bytes;
    memcpy(lane->ring + at, from, first);
    memcpy(lane->ring, from + first, bytes - first);
    for (uint64_t step = (put + RECEIVER_STEP - 1) / RECEIVER_STEP;
         step * RECEIVER_STEP < put + bytes; step++)
        atomic_store_explicit(&lane->moment[step % RECEIVER_MOMENTS], ns, memory_order_relaxed);
    if (put == 0) {
        lane->first.ns = ns;
        memcpy(lane->first.bytes, from,
               bytes < sizeof lane->first.bytes ? bytes : sizeof lane->first.bytes);
    }
    atomic_store_explicit(&lane->put, put + bytes, memory_order_release);
    atomic_fetch_add_explicit(&lane->datagrams, 1, memory_order_release);
}

static void receiver_note_dropped(receiver_lane *lane, uint32_t count, int64_t ns)
{
    const int64_t before = atomic_load_explicit(&lane->dropped, memory_order_relaxed);
    const uint32_t more = count - (uint32_t)before;
    if (before == 0 && more > 0)
        atomic_store_explicit(&lane->first_dropped, ns, memory_order_relaxed);
    atomic_store_explicit(&lane->dropped, before + more, memory_order_relaxed);
}

static int64_t receiver_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* When a datagram came, and how many have been dropped since the socket was made, comes with it. */
static int64_t receiver_note(receiver_lane *lane, struct msghdr *head)
{
    struct timespec when = {0};
    uint32_t count = 0;
    for (struct cmsghdr *one = CMSG_FIRSTHDR(head); one; one = CMSG_NXTHDR(head, one)) {
        if (one->cmsg_level != SOL_SOCKET) continue;
        if (one->cmsg_type == SO_RXQ_OVFL) memcpy(&count, CMSG_DATA(one), sizeof count);
        if (one->cmsg_type == SCM_TIMESTAMPNS) memcpy(&when, CMSG_DATA(one), sizeof when);
    }
    const int64_t ns =
        when.tv_sec > 0 ? when.tv_sec * INT64_C(1000000000) + when.tv_nsec : receiver_now();
    if (count > 0) receiver_note_dropped(lane, count, ns);
    return ns;
}

/* As much as there is, and as there is room for; true where something came. */
static bool receiver_take(ct_receiver *receiver, receiver_lane *lane)
{
    struct mmsghdr message[RECEIVER_BATCH];
    struct iovec part[RECEIVER_BATCH];
    union {
        struct cmsghdr align;
        uint8_t bytes[CMSG_SPACE(sizeof(uint32_t)) + CMSG_SPACE(sizeof(struct timespec))];
    } control[RECEIVER_BATCH];
    const uint64_t full = atomic_load_explicit(&lane->put, memory_order_relaxed) -
                          atomic_load_explicit(&lane->taken, memory_order_acquire);
    if (full + (uint64_t)RECEIVER_BATCH * RECEIVER_LONGEST > RECEIVER_RING) return false;
    for (int i = 0; i < RECEIVER_BATCH; i++) {
        part[i] =
            (struct iovec){receiver->datagram + (size_t)i * RECEIVER_LONGEST, RECEIVER_LONGEST};
        message[i].msg_hdr = (struct msghdr){.msg_iov = &part[i],
                                             .msg_iovlen = 1,
                                             .msg_control = &control[i],
                                             .msg_controllen = sizeof control[i]};
    }
    const int got = recvmmsg(lane->socket, message, RECEIVER_BATCH, MSG_DONTWAIT, NULL);
    for (int i = 0; i < got; i++) {
        const int64_t ns = receiver_note(lane, &message[i].msg_hdr);
        receiver_keep(lane, part[i].iov_base, message[i].msg_len, ns);
    }
    return got > 0;
}

static void *receiver_work(void *of)
{
    ct_receiver *receiver = of;
    while (!atomic_load_explicit(&receiver->quit, memory_order_relaxed)) {
        bool some = false;
        for (int64_t i = 0; i < receiver->lanes; i++)
            receiver->poll[i] = (struct pollfd){.fd = receiver->lane[i].socket, .events = POLLIN};
        if (poll(receiver->poll, (nfds_t)receiver->lanes, RECEIVER_TICK_MS) <= 0) continue;
        for (int64_t i = 0; i < receiver->lanes; i++)
            if (receiver->poll[i].revents) some |= receiver_take(receiver, &receiver->lane[i]);
        if (some) {
            pthread_mutex_lock(&receiver->lock);
            pthread_cond_broadcast(&receiver->come);
            pthread_mutex_unlock(&receiver->lock);
        }
        /* a few packets at a time are cheaper than one; and a full ring is not asked again at once
         */
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
    return NULL;
}

ct_status ct_receiver_start(ct_receiver *receiver, ct_error *err)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    const int code = pthread_create(&receiver->thread, NULL, receiver_work, receiver);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    receiver->runs = code == 0;
    return code == 0
               ? CT_OK
               : ct_error_add(err, CT_FAILED, "a thread cannot be started: %s", strerror(code));
}

/* ---- the reader */

void *ct_receiver_lane(ct_receiver *receiver, int64_t lane)
{
    return &receiver->lane[lane];
}

static uint64_t receiver_there(const receiver_lane *lane)
{
    return atomic_load_explicit(&lane->put, memory_order_acquire) -
           atomic_load_explicit(&lane->taken, memory_order_relaxed);
}

static double receiver_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static ct_status receiver_wait(receiver_lane *lane, ct_error *err)
{
    ct_receiver *receiver = lane->receiver;
    const double begun = receiver_clock();
    while (receiver_there(lane) == 0) {
        struct timespec until;
        if (ct_step_stopped(receiver->step)) return CT_INTERRUPTED;
        if (receiver_clock() - begun > RECEIVER_SILENCE_S)
            return ct_error_add(err, CT_DATA, "%s: no packet for %d s", lane->address,
                                RECEIVER_SILENCE_S);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += RECEIVER_TICK_MS * 1000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_mutex_lock(&receiver->lock);
        if (receiver_there(lane) == 0)
            pthread_cond_timedwait(&receiver->come, &receiver->lock, &until);
        pthread_mutex_unlock(&receiver->lock);
    }
    return CT_OK;
}

/* How long ago came what is read next. */
static void receiver_be_behind(receiver_lane *lane, uint64_t taken)
{
    const int64_t came = atomic_load_explicit(
        &lane->moment[taken / RECEIVER_STEP % RECEIVER_MOMENTS], memory_order_relaxed);
    const int64_t behind = receiver_now() - came;
    atomic_store_explicit(&lane->behind, behind > 0 ? behind : 0, memory_order_relaxed);
    if (behind > atomic_load_explicit(&lane->most_behind, memory_order_relaxed))
        atomic_store_explicit(&lane->most_behind, behind, memory_order_relaxed);
}

ct_status ct_receiver_pull(void *of, uint8_t *to, size_t room, size_t *got, ct_error *err)
{
    receiver_lane *lane = of;
    const ct_status status = receiver_wait(lane, err);
    *got = 0;
    if (status != CT_OK) return status;
    const uint64_t taken = atomic_load_explicit(&lane->taken, memory_order_relaxed);
    const uint64_t there = receiver_there(lane);
    receiver_be_behind(lane, taken);
    const size_t at = taken % RECEIVER_RING, left = RECEIVER_RING - at;
    size_t now = there < room ? (size_t)there : room;
    if (now > left) now = left;
    memcpy(to, lane->ring + at, now);
    atomic_store_explicit(&lane->taken, taken + now, memory_order_release);
    *got = now;
    return CT_OK;
}

/* The system says how many it has dropped even if nothing has come since then. The number is of 32
 * bits, and goes round. */
static int64_t receiver_dropped(const receiver_lane *lane)
{
    uint32_t about[SK_MEMINFO_DROPS + 1];
    socklen_t size = sizeof about;
    const int64_t before = atomic_load_explicit(&lane->dropped, memory_order_relaxed);
    if (getsockopt(lane->socket, SOL_SOCKET, SO_MEMINFO, about, &size) != 0 || size < sizeof about)
        return before;
    const uint32_t more = about[SK_MEMINFO_DROPS] - (uint32_t)before;
    return more < UINT32_MAX / 2 ? before + more : before;
}

ct_receiver_counts ct_receiver_count(const ct_receiver *receiver, int64_t lane)
{
    const receiver_lane *of = &receiver->lane[lane];
    return (ct_receiver_counts){.datagrams = atomic_load(&of->datagrams),
                                .dropped = receiver_dropped(of),
                                .first_dropped_s = 1e-9 * (double)atomic_load(&of->first_dropped),
                                .behind_s = 1e-9 * (double)atomic_load(&of->behind),
                                .most_behind_s = 1e-9 * (double)atomic_load(&of->most_behind),
                                .buffer = of->buffer,
                                .waiting = (int64_t)receiver_there(of),
                                .ring = RECEIVER_RING};
}

bool ct_receiver_heard(const ct_receiver *receiver, int64_t lane, ct_receiver_first *out)
{
    const receiver_lane *of = &receiver->lane[lane];
    if (atomic_load_explicit(&of->datagrams, memory_order_acquire) == 0) return false;
    *out = of->first;
    return true;
}

double ct_receiver_since(int64_t ns)
{
    return 1e-9 * (double)(receiver_now() - ns);
}

void ct_receiver_close(ct_receiver *receiver)
{
    if (!receiver) return;
    atomic_store(&receiver->quit, true);
    if (receiver->runs) pthread_join(receiver->thread, NULL);
    receiver->runs = false;
    for (int64_t i = 0; i < receiver->lanes; i++) {
        receiver_lane *lane = &receiver->lane[i];
        if (lane->socket < 0) continue;
        atomic_store(&lane->dropped, receiver_dropped(lane));
        close(lane->socket);
        lane->socket = -1;
    }
}

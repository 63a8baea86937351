/* lofar_sender.c: see lofar_sender.h. All packets of an instant are handed to the system together.
 * The clock begins with the first of them; who is late does not wait, and catches up.
 * Room: io/lofar. Knows sockets and clocks. Does not know packets. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sendmmsg */
#endif
#include "lofar_sender.h"
#include "lofar_receiver.h"
#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define SENDER_AHEAD_S 1e-3 /* what is due earlier than this from now on is sent at once */
#define SENDER_LATE_S 0.1   /* what is worth a word */
enum { SENDER_PORTS = 65535, SENDER_LONGEST_MS = 100 };

typedef struct sender_port {
    struct sockaddr_storage to;
    socklen_t bytes;
} sender_port;

struct ct_sender {
    const ct_step *step;
    const char *to;
    sender_port *port;
    struct mmsghdr *message;
    struct iovec *part;
    unsigned added;
    int socket; /* -1: none */
    double speed, begun, latest, late_from;
    int64_t packets;
};

static double sender_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* "host:port" with the port so many further on. */
static bool sender_address(const char *to, int64_t further, char out[300])
{
    const char *colon = strrchr(to, ':');
    const int64_t port = colon ? strtoll(colon + 1, NULL, 10) + further : 0;
    if (!colon || colon - to > 255) return false;
    snprintf(out, 300, "%.*s:%" PRId64, (int)(colon - to), to, port);
    return true;
}

ct_status ct_sender_check(const char *to, int64_t ports, ct_error *err)
{
    char last[300];
    const ct_status status = ct_receiver_check(to, err);
    if (status != CT_OK) return status;
    const int64_t first = strtoll(strrchr(to, ':') + 1, NULL, 10);
    if (first + ports - 1 > SENDER_PORTS || !sender_address(to, ports - 1, last))
        return ct_error_add(err, CT_DATA,
                            "%s: %" PRId64 " ports from there on, expected at most %" PRId64, to,
                            ports, SENDER_PORTS + 1 - first);
    return CT_OK;
}

static ct_status sender_fail(const ct_sender *sender, const char *why, ct_error *err)
{
    return ct_error_add(err, CT_DATA, "%s: cannot be sent to: %s", sender->to, why);
}

static ct_status sender_resolve(ct_sender *sender, int64_t port, int *family, ct_error *err)
{
    char address[300];
    struct addrinfo *found = NULL;
    if (!sender_address(sender->to, port, address))
        return sender_fail(sender, "expected HOST:PORT", err);
    const ct_status status = ct_receiver_resolve(address, &found, err);
    if (status != CT_OK) return status;
    memcpy(&sender->port[port].to, found->ai_addr, found->ai_addrlen);
    sender->port[port].bytes = found->ai_addrlen;
    *family = found->ai_family;
    freeaddrinfo(found);
    return CT_OK;
}

ct_status ct_sender_open(ct_sender **out, ct_step *step, const char *to, int64_t ports,
                         double speed, ct_error *err)
{
    ct_sender *sender = *out = ct_step_alloc(step, sizeof *sender);
    ct_status status = CT_OK;
    int family = AF_INET;
    if (!sender) return CT_FAILED;
    sender->step = step;
    sender->to = to;
    sender->speed = speed;
    sender->socket = -1;
    sender->port = ct_step_alloc(step, (size_t)ports * sizeof *sender->port);
    sender->message = ct_step_alloc(step, (size_t)ports * sizeof *sender->message);
    sender->part = ct_step_alloc(step, (size_t)ports * sizeof *sender->part);
    if (!sender->port || !sender->message || !sender->part) return CT_FAILED;
    for (int64_t i = 0; i < ports && status == CT_OK; i++)
        status = sender_resolve(sender, i, &family, err);
    if (status != CT_OK) return status;
    sender->socket = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    return sender->socket >= 0 ? CT_OK : sender_fail(sender, strerror(errno), err);
}

void ct_sender_add(ct_sender *sender, int64_t port, void *data, size_t bytes)
{
    const unsigned at = sender->added++;
    sender->part[at] = (struct iovec){.iov_base = data, .iov_len = bytes};
    sender->message[at].msg_hdr = (struct msghdr){.msg_name = &sender->port[port].to,
                                                  .msg_namelen = sender->port[port].bytes,
                                                  .msg_iov = &sender->part[at],
                                                  .msg_iovlen = 1};
}

/* Until it is time, a piece at a time, so that it can be stopped. */
static ct_status sender_wait(ct_sender *sender, double second)
{
    if (sender->packets == 0) sender->begun = sender_now();
    const double due = sender->begun + (sender->speed > 0 ? second / sender->speed : 0);
    double ahead = due - sender_now();
    if (-ahead > sender->latest && sender->speed > 0) {
        if (sender->latest < SENDER_LATE_S && -ahead >= SENDER_LATE_S) sender->late_from = second;
        sender->latest = -ahead;
    }
    for (; ahead > SENDER_AHEAD_S; ahead = due - sender_now()) {
        const double most = 1e-3 * SENDER_LONGEST_MS, now = ahead < most ? ahead : most;
        const struct timespec pause = {.tv_nsec = (long)(now * 1e9)};
        (void)nanosleep(&pause, NULL);
        if (ct_step_stopped(sender->step)) return CT_INTERRUPTED;
    }
    return CT_OK;
}

ct_status ct_sender_send(ct_sender *sender, double second, ct_error *err)
{
    const ct_status status = sender_wait(sender, second);
    unsigned sent = 0;
    while (status == CT_OK && sent < sender->added) {
        const int now = sendmmsg(sender->socket, sender->message + sent, sender->added - sent, 0);
        if (now < 0 && errno != EINTR && errno != ECONNREFUSED && errno != ENOBUFS)
            return sender_fail(sender, strerror(errno), err);
        if (now > 0) sent += (unsigned)now;
        if (now < 0 && ct_step_stopped(sender->step)) return CT_INTERRUPTED;
    }
    sender->packets += sent;
    sender->added = 0;
    return status;
}

/* "3.25", the same in every locale. */
static const char *sender_number(char out[32], double value)
{
    ct_number_print(out, 32, "%.3g", value);
    return out;
}

void ct_sender_close(ct_sender *sender, double seconds)
{
    char data[32], took[32], since[32], by[32];
    if (!sender || sender->socket < 0) return;
    (void)close(sender->socket);
    sender->socket = -1;
    if (sender->packets == 0) return;
    fprintf(stderr, "%s: sent %" PRId64 " packets, %s s, in %s s\n", sender->to, sender->packets,
            sender_number(data, seconds), sender_number(took, sender_now() - sender->begun));
    if (sender->latest >= SENDER_LATE_S)
        fprintf(stderr,
                "%s: late from %s s on, by %s s at most: this computer is too slow for so many\n",
                sender->to, sender_number(since, sender->late_from),
                sender_number(by, sender->latest));
}

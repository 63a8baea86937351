/* lofar_receiver.h: datagrams of lanes, as a station sends them: a thread takes them out of the
 * system's buffers into larger ones, from where each lane is read in order, once.
 * Room: io/lofar. Knows sockets and threads. Does not know packets. */
#ifndef CT_IO_LOFAR_RECEIVER_H
#define CT_IO_LOFAR_RECEIVER_H
#include "cornerturn_stage.h"

/* What has become of a lane's datagrams. */
typedef struct ct_receiver_counts {
    int64_t datagrams, dropped; /* dropped by the system, as far as it says */
    double first_dropped_s;     /* from 1970: when the first one came after some were; 0: none */
    double behind_s, most_behind_s; /* how long after it came a datagram is read, now and at most */
    int64_t buffer;                 /* bytes that it has for them */
    int64_t waiting, ring;          /* bytes that wait for their reader, and how many can */
} ct_receiver_counts;

/* The first datagram of a lane. */
typedef struct ct_receiver_first {
    int64_t ns; /* when it came, by this computer's clock, from 1970 */
    uint8_t bytes[16];
} ct_receiver_first;

typedef struct ct_receiver ct_receiver;

enum { CT_RECEIVER_ASKED = 1 << 25 }; /* bytes of the system's buffer */

/* Whether it is an address and a port, of which none is opened. */
struct addrinfo;
/* The address of "host:port"; the caller frees it (freeaddrinfo). */
ct_status ct_receiver_resolve(const char *address, struct addrinfo **out, ct_error *err);
ct_status ct_receiver_check(const char *address, ct_error *err);
/* "127.0.0.1:16130", one for each lane, borrowed; the text "" is no lane. CT_DATA: it is no
 * address, or somebody listens there already. */
ct_status ct_receiver_open(ct_receiver **out, ct_step *step, const char *const *address,
                           int64_t lanes, ct_error *err);
/* Starts the thread; before that datagrams wait in the system's buffers. */
ct_status ct_receiver_start(ct_receiver *receiver, ct_error *err);
/* One lane's end of it: what a ct_lofar_input's `of` is. */
void *ct_receiver_lane(ct_receiver *receiver, int64_t lane);
/* A ct_lofar_input_pull: CT_DATA if nothing comes for 5 s. */
ct_status ct_receiver_pull(void *of, uint8_t *to, size_t room, size_t *got, ct_error *err);
ct_receiver_counts ct_receiver_count(const ct_receiver *receiver, int64_t lane);
/* False: none has come. */
bool ct_receiver_heard(const ct_receiver *receiver, int64_t lane, ct_receiver_first *out);
double ct_receiver_since(int64_t ns);          /* seconds from then until now */
void ct_receiver_close(ct_receiver *receiver); /* NULL is allowed */

#endif

/* lofar_listen.h: datagrams of lanes, as a station sends them: a thread takes them out of the
 * system's buffers into larger ones, from where each lane is read in order, once. Room: io/lofar.
 * Knows sockets and threads. Does not know packets. */
#ifndef CT_IO_LOFAR_LISTEN_H
#define CT_IO_LOFAR_LISTEN_H
#include "cornerturn_stage.h"

/* What has become of a lane's datagrams. */
typedef struct ct_listen_counts {
    int64_t datagrams, dropped; /* dropped by the system, as far as it says */
    int64_t buffer;             /* bytes that it has for them */
    int64_t waiting, ring;      /* bytes that wait for their reader, and how many can */
} ct_listen_counts;

typedef struct ct_listen ct_listen;

enum { CT_LISTEN_ASKED = 1 << 25 }; /* bytes of the system's buffer */

/* Whether it is an address and a port, of which none is opened. */
ct_status ct_listen_check(const char *address, ct_error *err);
/* "127.0.0.1:16130", one for each lane, borrowed; the text "" is no lane. CT_DATA: it is no
 * address, or somebody listens there already. */
ct_status ct_listen_open(ct_listen **out, ct_step *step, const char *const *address, int64_t lanes,
                         ct_error *err);
/* Starts the thread; before that datagrams wait in the system's buffers. */
ct_status ct_listen_start(ct_listen *listen, ct_error *err);
/* One lane's end of it: what a ct_feed's `of` is. */
void *ct_listen_lane(ct_listen *listen, int64_t lane);
/* A ct_feed_pull: CT_DATA where nothing comes for 5 s. */
ct_status ct_listen_pull(void *of, uint8_t *to, size_t room, size_t *got, ct_error *err);
ct_listen_counts ct_listen_count(const ct_listen *listen, int64_t lane);
void ct_listen_close(ct_listen *listen); /* NULL is fine */

#endif

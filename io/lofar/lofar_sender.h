/* lofar_sender.h: packets to UDP ports, in the time in which they were observed.
 * Room: io/lofar. Knows sockets and clocks. Does not know packets. */
#ifndef CT_IO_LOFAR_SENDER_H
#define CT_IO_LOFAR_SENDER_H
#include "cornerturn_stage.h"

typedef struct ct_sender ct_sender;

/* To ports that follow each other from that of `to`, "host:port", on. speed: how many times as fast
 * as real time; 0: as fast as possible. Nothing is asked of the network. */
ct_status ct_sender_check(const char *to, int64_t ports, ct_error *err);
ct_status ct_sender_open(ct_sender **out, ct_step *step, const char *to, int64_t ports,
                         double speed, ct_error *err);
/* One packet for the next ct_sender_send, which must come before `data` changes. */
void ct_sender_add(ct_sender *sender, int64_t port, void *data, size_t bytes);
/* Sends all that were added, `second` after the first ones. */
ct_status ct_sender_send(ct_sender *sender, double second, ct_error *err);
/* Says how much was sent, and whether it was late; `seconds` of data. */
void ct_sender_close(ct_sender *sender, double seconds);

#endif

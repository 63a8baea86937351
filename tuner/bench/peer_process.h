/* peer_process.h: another program that does the same, timed in the same rounds.
 * Room: tuner/bench. Knows pipes and the protocol of bench/peers/peer.h. Does not know any peer. */
#ifndef CT_TUNER_PEER_PROCESS_H
#define CT_TUNER_PEER_PROCESS_H
#include "timing_rounds.h"

typedef struct ct_peer ct_peer;

/* Starts `command` (words split at blanks) and waits until it says that it is ready. */
ct_status ct_peer_start(ct_peer **out, const char *command, ct_error *err);
const ct_value *ct_peer_about(const ct_peer *peer); /* "peer", "what", "flops", "bytes" */
ct_timed ct_peer_timed(ct_peer *peer);
void ct_peer_stop(ct_peer *peer);

#endif

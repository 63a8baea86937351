/* network.h: what messages between ranks cost.
 * Room: tuner/forecast. Knows latency and bandwidth. Does not know what is sent. */
#ifndef CT_TUNER_NETWORK_H
#define CT_TUNER_NETWORK_H
#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "ranks.h"

/* Each rank sends a message to each of the others, all at once. */
typedef struct ct_network {
    double latency_s; /* of a message to one of the others, however short, s */
    double bandwidth; /* what a rank sends beyond that, to all others together, bytes/s */
} ct_network;

/* Measures it in some 50 ms; all ranks meet, and get the same answer. 0 where there is one rank, or
 * the job is only supposed. */
ct_status ct_network_measure(const ct_ranks *ranks, ct_network *out, ct_error *err);
/* The same of a network that a person describes, "100Gb/s,2us". CT_USAGE. */
ct_status ct_network_parse(ct_network *out, const char *text, ct_error *err);

#endif

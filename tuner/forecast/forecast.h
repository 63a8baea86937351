/* forecast.h: what a plan over ranks is expected to take: each rank's fraction of what was measured
 * on one machine, and what exchanges cost on a network. Room: tuner/forecast. Knows partitions,
 * bytes and seconds. Does not know where seconds were measured.
 *
 * A step takes its fraction of all the work times what all of it takes on one machine. An exchange
 * has two parts: packing and unpacking, at the rate of a transpose, which is the device's work; and
 * the transfer: the latency for each message, and the bytes that the busiest rank sends, or gets,
 * by the bandwidth of its connection to all others. Sources and sinks work in threads of their own,
 * on the same machine: some of what they take is taken from computing. A source that reads ranges
 * takes its fraction, others and sinks all. A block takes the device's work and the host's, and the
 * transfers: at the same time where a run of the plan overlaps them (ct_plan_overlaps), else after
 * it; and no less than its slowest source or sink. */
#ifndef CT_TUNER_FORECAST_H
#define CT_TUNER_FORECAST_H
#include "network.h"
#include "plan.h"
#include "traffic.h"

/* What is known before; a NAN is unknown. */
typedef struct ct_forecast_known {
    const double *node_s;      /* [node]: of all its work for a block, on one machine; of sources
                                  and sinks in their threads */
    double host_s;             /* of a block, in no step and for no source or sink */
    double io_load;            /* of a second of a source or sink, what computing loses: 0 to 1 */
    double rate;               /* bytes of an array that are transposed in a second */
    const char *measured;      /* the file that both come from; NULL: none */
    const ct_network *network; /* NULL: nothing is known */
} ct_forecast_known;

typedef struct ct_forecast_step {
    double fraction;    /* of the node's work: of the rank that has most */
    double seconds;     /* per block; of an exchange packing and unpacking; NAN unknown */
    ct_traffic traffic; /* of an exchange, one firing */
    double transfer_s;  /* per block; NAN unknown */
} ct_forecast_step;

typedef struct ct_forecast {
    ct_forecast_known known;
    ct_network network;     /* 0: not known */
    ct_forecast_step *step; /* [step] */
    double one_s;           /* a block on one machine, without transposes; NAN unknown */
    double device_s;        /* a block's work on each rank's device */
    double host_s;          /* and the host's own time, with what sources and sinks take from it */
    double io_s;            /* the slowest source or sink; 0 where nothing is known of any */
    double transfer_s;      /* and the transfers of its exchanges */
    double block_s;         /* all of it, as a run of the plan does it */
    double serial_s;        /* the same without any overlap */
    double known_s;         /* block_s of what is known */
} ct_forecast;

/* Sets plan->forecast; what is pointed to is copied. */
ct_status ct_forecast_plan(ct_plan *plan, const ct_forecast_known *known, ct_error *err);
/* What an exchange of the plan sends. */
ct_status ct_forecast_traffic(ct_traffic *out, const ct_plan *plan, const ct_plan_step *at,
                              ct_error *err);

#endif

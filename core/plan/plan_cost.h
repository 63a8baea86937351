/* plan_cost.h: what a plan over ranks is expected to take: each rank's share of what was measured
 * on one machine, and what exchanges cost on a network. Room: core/plan. Knows shares, bytes and
 * seconds. Does not know where seconds were measured.
 *
 * A step takes its share of all the work times what all of it takes on one machine. An exchange has
 * two parts: packing and unpacking, at the rate of a transpose, which is the device's work; and
 * travelling: the latency for each message, and the bytes that the busiest rank sends, or gets, by
 * the bandwidth of its connection to all others. Sources and sinks work in threads of their own,
 * on the same machine: part of what they take is taken from computing. A source that reads in parts
 * takes its share, others and sinks all. A block takes the device's work and the host's, and what
 * travels: beside that where a run of the plan hides it (ct_plan_overlaps), else after it; and no
 * less than its slowest source or sink. */
#ifndef CT_CORE_PLAN_COST_H
#define CT_CORE_PLAN_COST_H
#include "plan.h"
#include "traffic.h"

/* What is known beforehand; a NAN is unknown. */
typedef struct ct_plan_known {
    const double *node_s; /* [node]: of all its work for a block, on one machine; of sources
                             and sinks in their threads */
    double host_s;        /* of a block, in no step and for no source or sink */
    double beside;        /* of a second of a source or sink, what computing loses: 0 to 1 */
    double rate;          /* bytes of an array that are transposed in a second */
    const char *measured; /* the file that both come from; NULL: none */
    const ct_ranks_cost *network; /* NULL: nothing is known */
} ct_plan_known;

typedef struct ct_step_cost {
    double share;     /* of the node's work: of the rank that has most */
    double seconds;   /* per block; of an exchange packing and unpacking; NAN unknown */
    ct_traffic moved; /* of an exchange, one firing */
    double travel_s;  /* per block; NAN unknown */
} ct_step_cost;

typedef struct ct_plan_cost {
    ct_plan_known known;
    ct_ranks_cost network; /* 0: not known */
    ct_step_cost *step;    /* [step] */
    double one_s;          /* a block on one machine, without transposes; NAN unknown */
    double device_s;       /* a block's work on each rank's device */
    double host_s;         /* and the host's own time, with what sources and sinks take from it */
    double io_s;           /* the slowest source or sink; 0 where nothing is known of any */
    double travel_s;       /* and its exchanges' travelling */
    double block_s;        /* all of it, as a run of the plan does it */
    double apart_s;        /* the same if nothing were hidden */
    double known_s;        /* block_s of what is known */
} ct_plan_cost;

/* Sets plan->cost; what is pointed to is copied. */
ct_status ct_plan_foretell(ct_plan *plan, const ct_plan_known *known, ct_error *err);
/* What travels in an exchange of the plan. */
ct_status ct_plan_traffic(ct_traffic *out, const ct_plan *plan, const ct_plan_step *at,
                          ct_error *err);

#endif

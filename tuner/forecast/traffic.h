/* traffic.h: what an exchange between ranks sends over the network, counted: of all ranks the
 * busiest. Room: tuner/forecast. Knows partitions and extents. Does not know how arrays are sent,
 * or how fast. */
#ifndef CT_TUNER_TRAFFIC_H
#define CT_TUNER_TRAFFIC_H
#include "partition.h"

/* Of each number the most that any rank has; bytes of one firing. */
typedef struct ct_traffic {
    int64_t sent, received; /* to and from all others */
    int64_t link;           /* from one rank to one other */
    int64_t messages;       /* to others */
    int64_t kept;           /* of what is needed, its own */
} ct_traffic;

/* The array as `ranks` ranks have it together, dense, from one partition to another. Takes as
 * many steps as there are pairs of ranks. */
ct_status ct_traffic_count(ct_traffic *out, int ranks, const ct_array *whole,
                           const ct_partition *from, const ct_partition *to, ct_error *err);

#endif

/* lofar_counts.h: what became of each lane's packets, for metrics during a run and for the summary
 * at its end.
 * Room: io/lofar. Knows lanes. Does not know blocks of arrays. */
#ifndef CT_IO_LOFAR_COUNTS_H
#define CT_IO_LOFAR_COUNTS_H
#include "lofar_lane.h"
#include "lofar_live.h"

/* One lane's. */
typedef struct ct_lofar_count {
    const ct_lane *lane;
    const char *file;             /* or address */
    const char *station, *number; /* "0"; NULL if there is one only */
    int64_t missing;              /* samples */
    int64_t before, after;        /* samples outside the common span */
    bool is_udp;                  /* then: */
    ct_receiver_counts received;
    int64_t unready; /* samples that came before it was listened to */
} ct_lofar_count;

/* Counters of a lane, and of all lanes together, at most. */
enum { CT_LOFAR_COUNTERS = 16, CT_LOFAR_COUNTERS_OF_ALL = 3 };
/* Writes them to `out`, and returns how many. */
int ct_lofar_counters(ct_counter *out, const ct_lofar_count *of);
/* The same of all lanes: since when packets were dropped, and how late they are read. NULL: none.
 */
int ct_lofar_counters_of_all(ct_counter *out, const ct_receiver *receiver, int64_t lanes);
/* A line on standard error for each that is not 0. */
void ct_lofar_counts_say(const ct_lofar_count *of, const char *node);

#endif

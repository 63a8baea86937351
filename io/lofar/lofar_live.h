/* lofar_live.h: which sample a station sends at present, as far as one of its packets tells: how
 * long it is until a stream begins, and what of it came before anybody listened. Room: io/lofar.
 * Knows packets' times. Does not know sockets. */
#ifndef CT_IO_LOFAR_LIVE_H
#define CT_IO_LOFAR_LIVE_H
#include "lofar_lane.h"
#include "lofar_receiver.h"

/* A sample, and when its packet came. */
typedef struct ct_live_sample {
    double rate; /* samples a second; 0: none was heard */
    int64_t sample, ns;
} ct_live_sample;

/* Of the first lane from `from` on that was heard, before `to`. */
ct_live_sample ct_live_heard(const ct_receiver *receiver, int64_t from, int64_t to);
/* Seconds until a sample comes, below 0: since then. Some must have been heard. */
double ct_live_left_s(const ct_live_sample *heard, int64_t sample);
/* The sample that is sent now; INT64_MIN: nothing was heard. */
int64_t ct_live_now(const ct_live_sample *heard);
/* How many samples of a stream had come when a lane was listened to, of which
 * `opened` was sent then. */
int64_t ct_live_before(const ct_receiver *receiver, int64_t lane, int64_t opened,
                       const ct_lane_extent *stream);
/* Of a receiver that there is: when the first of the lanes lost something, and how late the latest
 * is; nothing else. */
ct_receiver_counts ct_live_counts(const ct_receiver *receiver, int64_t lanes);

#endif

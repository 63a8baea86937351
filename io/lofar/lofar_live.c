/* lofar_live.c: see lofar_live.h.
 * Room: io/lofar. Knows packets' times. Does not know sockets. */
#include "lofar_live.h"
#include <math.h>

/* Of the first datagram of a lane, if that is a packet. */
static bool live_first(const ct_receiver *receiver, int64_t lane, ct_live_sample *out)
{
    ct_receiver_first first;
    ct_packet packet;
    if (!ct_receiver_heard(receiver, lane, &first)) return false;
    ct_packet_decode(&packet, first.bytes);
    if (!ct_packet_is_sound(&packet) || !ct_packet_is_timed(&packet)) return false;
    *out = (ct_live_sample){.rate = ct_packet_clock(&packet) / 1024,
                            .sample = ct_packet_sample(&packet),
                            .ns = first.ns};
    return true;
}

ct_live_sample ct_live_heard(const ct_receiver *receiver, int64_t from, int64_t to)
{
    ct_live_sample out = {0};
    while (from < to && !live_first(receiver, from, &out))
        from++;
    return out;
}

double ct_live_left_s(const ct_live_sample *heard, int64_t sample)
{
    return (double)(sample - heard->sample) / heard->rate - ct_receiver_since(heard->ns);
}

int64_t ct_live_now(const ct_live_sample *heard)
{
    if (heard->rate <= 0) return INT64_MIN;
    return heard->sample + llround(ct_receiver_since(heard->ns) * heard->rate);
}

int64_t ct_live_before(const ct_receiver *receiver, int64_t lane, int64_t opened,
                       const ct_lane_extent *stream)
{
    ct_live_sample first;
    if (!receiver || opened <= stream->first || !live_first(receiver, lane, &first)) return 0;
    if (first.sample <= stream->first) return 0;
    return (first.sample < stream->end ? first.sample : stream->end) - stream->first;
}

ct_receiver_counts ct_live_counts(const ct_receiver *receiver, int64_t lanes)
{
    ct_receiver_counts all = {0};
    for (int64_t i = 0; i < lanes; i++) {
        const ct_receiver_counts one = ct_receiver_count(receiver, i);
        const double first_s = one.first_dropped_s;
        if (first_s > 0 && (all.first_dropped_s <= 0 || first_s < all.first_dropped_s))
            all.first_dropped_s = first_s;
        if (one.behind_s > all.behind_s) all.behind_s = one.behind_s;
        if (one.most_behind_s > all.most_behind_s) all.most_behind_s = one.most_behind_s;
    }
    return all;
}

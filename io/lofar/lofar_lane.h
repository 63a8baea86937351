/* lofar_lane.h: a file of station packets, and where in it each sample is. Packets may be lost,
 * repeated, swapped, cut short or of another kind; each sample comes from the first packet that has
 * it. The file is looked through once, a little ahead of what is read, so that the answer does not
 * depend on how much is read at a time.
 * Room: io/lofar. Knows packets. Does not know blocks of arrays. */
#ifndef CT_IO_LOFAR_LANE_H
#define CT_IO_LOFAR_LANE_H
#include "input.h"
#include "packet.h"

enum { CT_LANE_SPANS = 64 }; /* that need no memory of the step */

/* Packets that follow each other in number and in the file. */
typedef struct ct_lane_span {
    int64_t sample, at, packets;
} ct_lane_span;

/* How many packets. */
typedef struct ct_lane_counts {
    int64_t good, repeated, swapped, late, truncated, foreign, wrong, untimed;
} ct_lane_counts;

/* A stretch without packets, and the packet behind it. */
typedef struct ct_lane_gap {
    int64_t from, to; /* sample numbers */
    int64_t at;       /* byte of the packet */
} ct_lane_gap;

typedef struct ct_lane {
    ct_step *step; /* whose memory more spans are in */
    ct_input input;
    ct_packet form;  /* of the first sound packet */
    int64_t bytes;   /* of a packet */
    int64_t at;      /* looked through up to this byte */
    int64_t highest; /* sample number behind the highest packet; INT64_MIN: none yet */
    double max_gap_s;
    int64_t most_gap; /* the same in samples */
    ct_lane_gap gap;  /* a longer one, where the file is not looked through any more; to 0: none */
    ct_lane_span *span;
    int64_t spans, room;
    ct_lane_span little[CT_LANE_SPANS];
    ct_lane_counts counts;
} ct_lane;

/* What a lane holds: its packets' form, its first sample and the one behind its last. */
typedef struct ct_lane_extent {
    ct_packet form;
    int64_t first, end;
} ct_lane_extent;

/* A longer stretch than max_gap_s without packets is a mistake, which costs as much as samples:
 * CT_DATA names the file and the packet behind it. Few packets are read to find one. */
ct_status ct_lane_probe(ct_lane_extent *out, const char *file, double max_gap_s, ct_error *err);
/* A lane must not be moved once it is open. */
ct_status ct_lane_open(ct_lane *lane, ct_step *step, const char *file, double max_gap_s,
                       ct_error *err);
/* Looks through the file until all packets with samples before `end` are known. */
ct_status ct_lane_seek(ct_lane *lane, int64_t end, ct_error *err);
/* Nothing before `sample` is asked for any more: what no packet can join either is forgotten, so
 * that there are spans for a block and what is looked ahead, however many gaps a stream has. */
void ct_lane_forget(ct_lane *lane, int64_t sample);
/* The first span that holds `sample` or begins behind it; lane->spans where there is none. */
int64_t ct_lane_find(const ct_lane *lane, int64_t sample);
/* Whole packets of one span, from that which holds `sample` on (or the first), as many as hold
 * samples before `end` and at most `most`: *count of them, whose first sample goes to *first. */
ct_status ct_lane_packets(ct_lane *lane, const ct_lane_span *span, int64_t sample, int64_t end,
                          int64_t most, int64_t *first, int64_t *count, uint8_t *packets,
                          ct_error *err);
void ct_lane_close(ct_lane *lane);

#endif

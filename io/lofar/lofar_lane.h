/* lofar_lane.h: a lane's packets in the order in which they come, which of them count, and where
 * each sample is. Packets may be lost, repeated, swapped, cut short or of another kind; each sample
 * comes from the first packet that has it. Packets that are looked ahead at can be read again from
 * a file, and are kept in memory if the input is sequential; so the result does not depend on how
 * much is read at a time.
 * Room: io/lofar. Knows packets. Does not know blocks of arrays. */
#ifndef CT_IO_LOFAR_LANE_H
#define CT_IO_LOFAR_LANE_H
#include "lofar_input.h"
#include "packet.h"

enum {
    CT_LANE_SPANS = 64,     /* that need no memory of the step */
    CT_LANE_REORDER = 1024, /* packets looked ahead: how late one may come */
};

/* Packets that follow each other in number and in the file. Of what comes once `at` is a place
 * among the packets that are held, or CT_LANE_GONE. */
typedef struct ct_lane_span {
    int64_t sample, at, packets;
} ct_lane_span;
#define CT_LANE_GONE INT64_MIN

/* A packet that counts. */
typedef struct ct_lane_packet {
    int64_t sample, at; /* its number; its byte, below 0: there is none */
} ct_lane_packet;

/* How many packets. */
typedef struct ct_lane_counts {
    int64_t good, repeated, swapped, late, truncated, foreign, wrong, untimed;
} ct_lane_counts;

/* A stretch without packets, and the packet after it. */
typedef struct ct_lane_gap {
    int64_t from, to; /* sample numbers */
    int64_t at;       /* byte of the packet */
} ct_lane_gap;

typedef struct ct_lane {
    ct_step *step; /* whose memory more spans are in */
    ct_lofar_input input;
    int64_t reorder; /* packets looked ahead */
    ct_packet form;  /* of the first sound packet */
    int64_t bytes;   /* of a packet */
    int64_t at;      /* looked through up to this byte */
    int64_t highest; /* sample number after the highest packet; INT64_MIN: none yet */
    double max_gap_s;
    int64_t most_gap; /* the same in samples */
    ct_lane_gap gap;  /* a longer one, where the file is not looked through any more; to 0: none */
    ct_lane_span *span;
    int64_t spans, room;
    ct_lane_span little[CT_LANE_SPANS];
    ct_lane_counts counts;
    uint8_t *held;    /* of what comes once: packets that are wanted later */
    int64_t holds;    /* how many have been held so far */
    int64_t slots;    /* in how many places */
    int64_t too_late; /* packets in a row that were too late */
    int64_t wanted;   /* up to this sample nothing is wanted later */
} ct_lane;

/* What a lane holds: its packets' form, its first sample and the one after its last. */
typedef struct ct_lane_extent {
    ct_packet form;
    int64_t first, end;
} ct_lane_extent;

/* A lane must not be moved once it is open. */
ct_status ct_lane_open(ct_lane *lane, ct_step *step, const char *const *file, int64_t files,
                       double max_gap_s, ct_error *err);
/* Of what comes once. The input is open, and has a buffer. */
ct_status ct_lane_open_input(ct_lane *lane, int64_t reorder, double max_gap_s, ct_error *err);
/* The same, of which only the first packets are looked at: nothing is held. */
ct_status ct_lane_open_probe(ct_lane *lane, double max_gap_s, ct_error *err);
/* A buffer, so that packets can be read in order. */
ct_status ct_lane_make_buffer(ct_lane *lane);
/* Looks at what comes next: a packet that counts goes to *out. *more: false at the end. */
ct_status ct_lane_step(ct_lane *lane, ct_lane_packet *out, bool *more, ct_error *err);
/* Whether more must be looked at until all packets with samples before `end` are known. */
bool ct_lane_knows(const ct_lane *lane, int64_t end);
/* Looks until they are. */
ct_status ct_lane_seek(ct_lane *lane, int64_t end, ct_error *err);
/* Nothing before `sample` is asked for any more: what no packet can join either is forgotten, so
 * that there are spans for a block and what is looked ahead, however many gaps a stream has. */
void ct_lane_forget(ct_lane *lane, int64_t sample);
/* The first span that holds `sample` or begins after it; lane->spans if there is none. */
int64_t ct_lane_find(const ct_lane *lane, int64_t sample);
int64_t ct_lane_span_end(const ct_lane *lane, const ct_lane_span *span); /* the sample after it */
/* Packets of a span, from the `skip`-th on: *count of them, at least one, at *packets, which stay
 * there until the next call. */
ct_status ct_lane_packets(ct_lane *lane, const ct_lane_span *span, int64_t skip, int64_t *count,
                          const uint8_t **packets, ct_error *err);
void ct_lane_close(ct_lane *lane);

/* For lofar_probe.c. Forgets all, and goes on at a byte. */
void ct_lane_restart(ct_lane *lane, int64_t at);
/* To the next packet that may count; false at the end, and at a gap that is too long. */
bool ct_lane_advance(ct_lane *lane);
/* The next whole packet; false at the end. */
bool ct_lane_next(ct_lane *lane, ct_packet *packet, int64_t *at);
ct_status ct_lane_check_gap(const ct_lane *lane, ct_error *err);

/* ---- lofar_probe.c: what a lane holds, without reading all of it */

/* A longer stretch than max_gap_s without packets is a mistake, which costs as much as samples:
 * CT_DATA names the file and the packet after it. Few packets are read to find one. */
ct_status ct_probe_files(ct_lane_extent *out, ct_step *step, const char *const *file, int64_t files,
                         double max_gap_s, ct_error *err);
/* Of the first packets of an open lane, of which the input has come to its end; the last sample is
 * not known. */
ct_status ct_probe_begin(ct_lane *lane, ct_lane_extent *out, ct_error *err);

#endif

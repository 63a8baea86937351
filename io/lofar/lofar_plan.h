/* lofar_plan.h: which lanes, beamlets and samples a source.lofar reads.
 * Room: io/lofar. Knows parameters and what each lane holds. Does not know blocks of arrays. */
#ifndef CT_IO_LOFAR_PLAN_H
#define CT_IO_LOFAR_PLAN_H
#include "lofar_lane.h"
#include "lofar_live.h"

/* Samples that are not in all lanes: whether they are read too. */
#define CT_LOFAR_SPANS(ROW) ROW(common, false) ROW(all, true)

enum {
    CT_LOFAR_BUFFER = 3 * CT_PACKET_LONGEST
}; /* so that a packet, and where it ends, can be found */

typedef struct ct_lofar_lane {
    const char *file;        /* the first one */
    const char *const *name; /* of each, in order */
    int64_t files;
    bool sequential; /* read once and in order: a pipe, a file that grows, a compressed one */
    int *handle;     /* then: of each pipe that is open; -1 */
    uint8_t *buffer; /* and room for what is read, CT_LOFAR_BUFFER bytes */
    int64_t beamlet; /* number of its first beamlet, counted over the station's lanes */
    ct_lane_extent extent;
} ct_lofar_lane;

typedef struct ct_lofar_pick {
    int64_t number, lane, beamlet; /* over the lanes; which lane; within it */
} ct_lofar_pick;

typedef struct ct_lofar_plan {
    int64_t stations, lanes; /* lanes of each station */
    ct_lofar_lane *lane;     /* [station][lane] */
    int64_t groups, *group;  /* of lanes that are read: each lane's, 0 where it is not */
    int64_t picks;
    ct_lofar_pick *pick; /* for each index of C */
    bool listen;         /* lanes are addresses, not files; then: */
    ct_lane_extent
        *probed; /* of each, as its first packets said; NULL: nothing has been received yet */
    ct_live_sample heard; /* by this rank */
    bool all;             /* samples that are not in all lanes are read, too */
    double follow_s;      /* below 0: files do not grow */
    int64_t start, end;   /* sample numbers, counted from 1970; INT64_MAX: nobody knows */
    bool clamp;
    unsigned scale; /* 16 or 1 */
} ct_lofar_plan;

/* Kept in step->state; fills port 0 too. */
ct_status ct_lofar_infer(ct_step *step, ct_error *err);

#endif

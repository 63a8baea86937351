/* rehearsals.h: whole plans rehearsed in turn, A B A B, so that what disturbs one disturbs all.
 * Room: tuner/measure. Knows rehearsals. Does not know what is in a plan. */
#ifndef CT_TUNER_REHEARSALS_H
#define CT_TUNER_REHEARSALS_H
#include "cornerturn_stage.h"

/* Seconds of one block, in each round. */
typedef struct ct_rehearsed_plan {
    double *wall;      /* [rounds]: of all of it */
    double *history;   /* [rounds]: of keeping samples for the next block */
    int steps;         /* the plan's, in its order */
    const char **name; /* [steps]: "fir", "fir>CTSP" */
    double **seconds;  /* [steps][rounds]: on the device */
} ct_rehearsed_plan;

typedef struct ct_rehearsals {
    int plans, rounds;
    ct_rehearsed_plan *plan; /* [plans] */
    void *arena;
} ct_rehearsals;

/* Plans that take at most `room` bytes together (0: half of the device's) stand in memory at once;
 * else each is made anew in every round. Each is warmed by time first. The same plan twice is not
 * as fast twice: whose memory was taken first, and who runs behind whom, counts up to 2 %. So
 * plans are made from `first` on, which is for the caller to change from process to process, and
 * every round begins with another one. */
typedef struct ct_rehearsals_way {
    int rounds, first;
    int64_t room;
} ct_rehearsals_way;
ct_status ct_rehearsals_run(ct_rehearsals **out, const ct_plan *const *plans, int count,
                            ct_device *device, const ct_rehearsals_way *way, ct_error *err);
void ct_rehearsals_free(ct_rehearsals *rehearsals); /* NULL is fine */
/* "plans": [{"wall": [..], "history": [..], "steps": [{"name": "fir", "seconds": [..]}]}] */
void ct_rehearsals_print(ct_text *json, const ct_rehearsals *rehearsals);

#endif

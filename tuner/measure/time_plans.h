/* time_plans.h: whole plans rehearsed in turn, A B A B, so that what disturbs one disturbs all.
 * Room: tuner/measure. Knows rehearsals. Does not know what is in a plan. */
#ifndef CT_TUNER_TIME_PLANS_H
#define CT_TUNER_TIME_PLANS_H
#include "cornerturn_stage.h"

/* Seconds of one block, in each round. */
typedef struct ct_plan_time {
    int64_t samples;   /* of the sources, in a block */
    double signal_s;   /* that it lasts; 0: there is no time */
    double *wall;      /* [rounds]: of all of it */
    double *history;   /* [rounds]: of keeping samples for the next block */
    int steps;         /* the plan's, in its order */
    const char **name; /* [steps]: "fir", "fir>CTSP" */
    double **seconds;  /* [steps][rounds]: on the device */
} ct_plan_time;

typedef struct ct_plan_times {
    int plans, rounds;
    ct_plan_time *plan; /* [plans] */
    void *arena;
} ct_plan_times;

/* Plans that take at most `room` bytes together (0: half of the device's) stand in memory at once;
 * otherwise each is made anew in every round. Each is warmed by time first. The same plan twice is
 * not as fast twice: whose memory was taken first, and which runs after which, counts up to 2 %. So
 * plans are made from `first` on, which is for the caller to change from process to process, and
 * every round begins with another one. */
typedef struct ct_time_plans_way {
    int rounds, first;
    int64_t room;
} ct_time_plans_way;
ct_status ct_time_plans_run(ct_plan_times **out, const ct_plan *const *plans, int count,
                            ct_device *device, const ct_time_plans_way *way, ct_error *err);
void ct_time_plans_free(ct_plan_times *times); /* NULL is fine */
/* "plans": [{"samples": 65536, "signal_s": 0.3, "wall": [..], "history": [..], "steps": [{"name":
 * "fir", "seconds": [..]}]}]; no "signal_s" where there is no time */
void ct_time_plans_print(ct_text *json, const ct_plan_times *times);

#endif

/* continuous.h: `tune --continuous`: while a run goes on, a process of the lowest priority looks
 * for a better plan, again and again, and the run takes over what it finds. Room: cli. Order:
 * ct_continuous_begin once a run can begin, ct_continuous_look after each block,
 * ct_continuous_end. All do nothing where it was not asked for. */
#ifndef CT_CLI_CONTINUOUS_H
#define CT_CLI_CONTINUOUS_H
#include "pipeline.h"
#include "stand_in.h"

#include <sys/types.h>

enum { CT_CONTINUOUS_PATH = 4096 + 32 };

typedef struct ct_continuous {
    bool on;
    const char *file; /* where the best plan goes; NULL: to the store only */
    double budget;    /* seconds of the next search */
    const char *settings[CT_OPTION_TIMES + 1]; /* of the pipeline, as given */
    ct_stand_in stand_in;
    const ct_pipeline *pipeline;
    char folder[112];   /* of what searches make; "": there is none */
    pid_t search;       /* the process; 0: none is under way */
    bool paused, over;  /* over: no further one begins */
    bool complete;      /* the last search came to its end */
    ct_plan *found;     /* by that, on its way into the run; NULL: none */
    ct_plan *present;   /* that took over last; NULL: none has */
    double ratio, next; /* to the default's time: of the run's plan (0: not known), of `found` */
    int64_t measured;
    int taken; /* plans that took over */
} ct_continuous;

/* Whether --continuous is among a verb's arguments. */
bool ct_continuous_asked(int argc, char **argv);
/* CT_DATA: the plan's file cannot be written. */
ct_status ct_continuous_begin(ct_continuous *c, const ct_pipeline *pipeline, ct_error *err);
void ct_continuous_look(ct_continuous *c, ct_run *run);
/* done: the run is, so that no other one goes on with it. */
void ct_continuous_end(ct_continuous *c, bool done, bool quiet);

#endif

/* backend.h: what measures: workers on a device, or a file of costs (both in tuner/backend).
 * Room: tuner/search. Knows questions, answers and candidates. Does not know how anything is
 * measured, nor what will be asked next. */
#ifndef CT_TUNER_BACKEND_H
#define CT_TUNER_BACKEND_H
#include "search_space.h"
#include "text.h"

/* How a measurement ended, in a journal's words. */
#define CT_BACKEND_ENDS(ROW)                                                                       \
    ROW(correct) ROW(constraints) ROW(compile) ROW(runtime) ROW(correctness) ROW(timeout)
#define CT_BACKEND_END(word) CT_END_##word,
typedef enum ct_end { CT_BACKEND_ENDS(CT_BACKEND_END) CT_ENDS } ct_end;

enum { CT_BACKEND_PAIRS = 30, CT_BACKEND_WALLS = 128, CT_BACKEND_DIGEST = 16 + 1 };

/* What one choice of a node takes, or one transpose. */
typedef struct ct_question {
    int node; /* -1: a transpose */
    int64_t choice;
    int edge, reader, from, to; /* of a transpose: its layouts on the edge; which reader needs it */
    const char *tunables;       /* "{ \"WG\": 64 }"; NULL: the defaults */
    int pairs;                  /* at most; 0: CT_BACKEND_PAIRS */
    const char *same; /* digest: equal where it is the same work of this node; NULL: not known */
    bool again;       /* was built and compared before: is only timed */
} ct_question;

/* Seconds in pairs with the step's default; of a transpose with a copy of as many bytes. */
typedef struct ct_answer {
    ct_end end;
    int count;
    double seconds[CT_BACKEND_PAIRS], default_seconds[CT_BACKEND_PAIRS];
    double build_s, load;
    double waited_s; /* for other processes to end */
    double drift;    /* the default took so many times its least; 0: no more than usual */
    bool disturbed;  /* other processes kept the machine busy */
    bool taken;      /* from another step that is the same work */
    char say[256];
} ct_answer;

/* A plan that may be chosen: a choice of layouts for each node, and what a block is predicted to
 * take. */
typedef struct ct_candidate {
    struct ct_tuner *tuner; /* whose search space it is of */
    int64_t *choice;        /* [nodes] */
    double seconds;
    bool tuned;    /* with the best tunables found, not the defaults */
    int64_t block; /* samples; 0: the default plan's */
} ct_candidate;

/* A whole plan's times: of a block, and of each step their median. Texts are the caller's arena's.
 * Blocks of two plans may have different lengths. */
typedef struct ct_plan_timing {
    int64_t samples; /* of the sources, in a block; 0: not known */
    double signal_s; /* that a block lasts; 0: not known */
    int walls;
    double wall[CT_BACKEND_WALLS]; /* seconds per block, each repetition */
    int steps;
    const char **name; /* of steps, transposes too: "fft", "fft>CTSP" */
    double *seconds;
    double load; /* part of the cores that other processes kept busy */
    bool disturbed;
} ct_plan_timing;

/* Where the time went, in seconds of the wall's clock. */
typedef struct ct_spent {
    double building, preparing; /* programs; inputs, first runs and comparing outputs */
    double timing, rehearsing;  /* of steps, of whole plans */
    double waiting;             /* for other processes to end */
    double all;
} ct_spent;

/* Is called for each answer. */
typedef ct_status ct_answered(void *to, const ct_question *, const ct_answer *, ct_error *);

typedef struct ct_backend {
    void *of;
    /* Answers come in any order. CT_EOF: not all of them came. */
    ct_status (*ask)(void *of, const ct_question *questions, int count, ct_answered *answered,
                     void *to, ct_error *err);
    /* The questions' digests, "" where there is none. NULL: nothing is the same as anything. */
    ct_status (*digests)(void *of, const ct_question *questions, int count,
                         char (*digests)[CT_BACKEND_DIGEST], ct_error *err);
    /* Whole plans, in turn; texts[i] is candidates[i] as a plan. `fresh`: in so many processes, one
     * after the other. CT_FAILED where a plan cannot be run. */
    ct_status (*time_plans)(void *of, const ct_candidate *candidates, const char *const *texts,
                            int count, int rounds, int fresh, ct_plan_timing *out, ct_arena *arena,
                            ct_error *err);
    /* What a worker answers about a plan: verb "tunables", of a step; or "resolve", `step` NULL.
     * NULL: nothing is known. */
    ct_status (*about)(void *of, const char *verb, const char *step, const char *text,
                       ct_value **out, ct_error *err);
    double (*now)(void *of); /* seconds since the tuning began */
    /* Where they went; NULL: its clock is not a real one. */
    ct_spent (*spent)(void *of);
    /* From now on ask() begins nothing that would probably not be answered by `due` on that clock,
     * waits for nothing after `end`, and returns CT_EOF then; infinity: never. NULL: it has no
     * limit. */
    void (*limit)(void *of, double due, double end);
} ct_backend;

#endif

/* meter.h: who is asked what a choice costs: workers on a device (meter_workers.c), or a table of
 * costs (meter_costs.c).
 * Room: tuner/pipeline. Knows questions and answers. Does not know what will be asked next. */
#ifndef CT_TUNER_METER_H
#define CT_TUNER_METER_H
#include "space.h"
#include "text.h"

/* How a measurement ended, in a journal's words. */
#define CT_METER_ENDS(ROW)                                                                         \
    ROW(correct) ROW(constraints) ROW(compile) ROW(runtime) ROW(correctness) ROW(timeout)
#define CT_METER_END(word) CT_END_##word,
typedef enum ct_end { CT_METER_ENDS(CT_METER_END) CT_ENDS } ct_end;
const char *ct_meter_word(ct_end end);
ct_end ct_meter_end(const char *word); /* CT_ENDS: no such word */

/* What one cell takes, or one transpose. */
typedef struct ct_question {
    int site; /* -1: a transpose */
    int64_t cell;
    int spot, reader, from, to; /* of a transpose: layouts of the spot; the place of who reads it */
    const char *tunables;       /* "{ \"WG\": 64 }"; NULL: the defaults */
    int pairs;                  /* at most; 0: CT_METER_PAIRS */
    const char *same; /* digest: equal where it is the same work of this site; NULL: not known */
    bool again;       /* was built and compared before: is only timed */
} ct_question;

enum { CT_METER_PAIRS = 30, CT_METER_WALLS = 128, CT_METER_SAME = 16 + 1 };

/* Seconds in pairs with the step's default; of a transpose with a copy of as many bytes. */
typedef struct ct_answer {
    ct_end end;
    int count;
    double seconds[CT_METER_PAIRS], usual[CT_METER_PAIRS];
    double build_s, load;
    double waited_s; /* for other processes to end */
    double drift;    /* how much longer the default took than it can; 0: no more than usual */
    bool disturbed;  /* other processes kept the machine busy */
    bool taken;      /* from another step that is the same work */
    char say[256];
} ct_answer;

/* A plan: the cell of every site, and what it is predicted to take per block. */
typedef struct ct_pick {
    int64_t *cell;
    double seconds;
    bool tuned;    /* with the best tunables found, not the defaults */
    int64_t block; /* samples; 0: the default plan's */
} ct_pick;

/* Whole plans, interleaved; medians of steps. Texts are the arena's of who asked. */
typedef struct ct_whole {
    int walls;
    double wall[CT_METER_WALLS]; /* seconds per block, each repetition */
    int steps;
    const char **name; /* of steps, transposes too: "fft", "fft>CTSP" */
    double *seconds;
    double load; /* what other processes kept busy meanwhile */
    bool disturbed;
} ct_whole;

/* Where the time went, in seconds of the wall's clock. */
typedef struct ct_spent {
    double building, preparing; /* programs; inputs, first runs and comparing outputs */
    double timing, rehearsing;  /* of steps, of whole plans */
    double waiting;             /* for other processes to end */
    double all;
} ct_spent;

typedef struct ct_meter {
    void *of;
    /* Tells `told` as answers come, in any order. CT_EOF: not of all of them. */
    ct_status (*ask)(void *of, const ct_question *questions, int count,
                     ct_status (*told)(void *to, const ct_question *, const ct_answer *,
                                       ct_error *),
                     void *to, ct_error *err);
    /* The questions' digests, "" where there is none. NULL: nothing is the same as anything. */
    ct_status (*same)(void *of, const ct_question *questions, int count,
                      char (*digests)[CT_METER_SAME], ct_error *err);
    /* texts[i] is picks[i] as a plan. `fresh`: in that many processes, one after the other.
     * CT_FAILED where a plan cannot be run. */
    ct_status (*rehearse)(void *of, const ct_pick *picks, const char *const *texts, int count,
                          int rounds, int fresh, ct_whole *out, ct_arena *arena, ct_error *err);
    /* {"tunables": [..]} of a step in a plan, as a worker answers; NULL where it has none. */
    ct_status (*tunables)(void *of, const char *step, const char *text, ct_value **out,
                          ct_error *err);
    /* The complete plan and its memory, as a worker answers; NULL: not known. */
    ct_status (*resolve)(void *of, const char *text, ct_value **out, ct_error *err);
    double (*now)(void *of); /* seconds since the tuning began */
    /* Where they went; NULL: they did not. */
    ct_spent (*spent)(void *of);
    /* From now on ask() begins nothing that would probably not be told by `due` on that clock,
     * waits for nothing after `end`, and says CT_EOF then; infinity: never. NULL: it does not heed
     * that. */
    void (*limit)(void *of, double due, double end);
} ct_meter;

#endif

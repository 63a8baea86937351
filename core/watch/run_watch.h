/* run_watch.h: what is told of a run while it goes on: run_progress.c, run_counters.c (numbers of
 * its steps), run_stats.c and run_metrics.c (all numbers, in two forms), run_trace.c (times),
 * run_warnings.c. These only look; nothing in a run calls them. Room: core/watch. */
#ifndef CT_CORE_RUN_WATCH_H
#define CT_CORE_RUN_WATCH_H
#include "run_io.h"
#include "text.h"

/* Resident bytes of the process, at present and at most; 0: nobody says. */
int64_t ct_run_memory(void);
int64_t ct_run_memory_most(void);

/* All counters of all steps, those of one step together. */
typedef struct ct_run_count {
    int step;
    ct_counter counter;
} ct_run_count;
typedef struct ct_run_counts {
    ct_run_count *one;
    size_t count;
} ct_run_counts;
ct_status ct_run_counts_new(ct_run_counts *out, const ct_run *run, ct_error *err);
void ct_run_counts_free(ct_run_counts *counts);
/* A counter's name with its unit after it; whether it is the same of both, or the station and lane
 * are. */
enum { CT_RUN_COUNT_NAME = 160 };
const char *ct_run_counts_name(const ct_counter *one, char out[CT_RUN_COUNT_NAME]);
bool ct_run_counts_alike(const ct_counter *a, const ct_counter *b);
bool ct_run_counts_part(const ct_counter *a, const ct_counter *b);

/* The form of ct_run_stats for monitoring. */
void ct_run_metrics(ct_text *out, const ct_run *run, const ct_run_counts *counts,
                    const ct_progress *now);

#endif

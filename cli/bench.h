/* bench.h: what the verb bench is made of: stages, and whole plans of a pipeline.
 * Room: cli. */
#ifndef CT_CLI_BENCH_H
#define CT_CLI_BENCH_H
#include "cornerturn_stage.h"
#include "pipeline.h"

/* Prints the JSON value of ct_tune_bench as Markdown, which reads well on a terminal too. */
void ct_bench_print(const ct_value *measured);
void ct_bench_print_ragged(const ct_value *measured); /* of ct_bench.ragged */

/* Under its own name only when it is whole; a device or a pipe is written as it is. */
ct_status ct_bench_save(const char *file, const char *json, ct_error *err);

/* Plans of a pipeline, in processes one after the other. */
typedef struct ct_bench_plans {
    ct_pipeline pipeline;                  /* file, settings and device */
    const char *plan[CT_OPTION_TIMES + 1]; /* names; none: the default */
    int64_t rounds, processes;
    int part;         /* which of the processes this is; -1: the one that starts them */
    const char *json; /* a file for all that was measured; NULL none */
    char **argv;      /* the verb and all its arguments */
    int argc;
} ct_bench_plans;
/* A plan's block: samples of the sources, and how long these last. Plans are compared per second of
 * signal, since their blocks may have different lengths; per sample where there is no time. */
typedef struct ct_bench_block {
    double samples, signal_s; /* 0: there is no time */
} ct_bench_block;
ct_bench_block ct_bench_block_of(const ct_value *processes, int plan);
/* The second table: each step under each plan, from a list of the JSON of ct_tune_rehearse. */
ct_status ct_bench_steps(const ct_value *processes, const ct_plan *const *plans,
                         const char *const *names, int count, ct_error *err);
ct_status ct_bench_plans_run(ct_bench_plans *bench, ct_error *err);

#endif

/* bench.h: what was measured, as tables.
 * Room: cli. */
#ifndef CT_CLI_BENCH_H
#define CT_CLI_BENCH_H
#include "cornerturn.h"

/* Prints the JSON value of ct_tune_bench as Markdown, which reads well on a terminal too. */
void ct_bench_print(const ct_value *measured);

#endif

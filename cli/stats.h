/* stats.h: how a run goes, a line of JSON every few seconds and one at its end.
 * Room: cli. Order: open, ct_stats_tell after each block, ct_stats_close. */
#ifndef CT_CLI_STATS_H
#define CT_CLI_STATS_H
#include "cornerturn.h"

#include <stdio.h>

typedef struct ct_stats {
    const char *name; /* NULL: nobody wants to know */
    FILE *file;
    double begun, said; /* instants */
    ct_progress last;
} ct_stats;

ct_status ct_stats_open(ct_stats *stats, const char *name, ct_error *err);
/* A line where one is due, or `now`. */
ct_status ct_stats_tell(ct_stats *stats, const ct_run *run, bool now, ct_error *err);
ct_status ct_stats_close(ct_stats *stats, ct_error *err);

#endif

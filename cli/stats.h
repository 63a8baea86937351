/* stats.h: how a run goes, every few seconds and once more at its end: lines of JSON that are added
 * to a file, and a file of OpenMetrics text that is replaced. Room: cli. Order: open, ct_stats_tell
 * after each block, ct_stats_close. */
#ifndef CT_CLI_STATS_H
#define CT_CLI_STATS_H
#include "cornerturn.h"

#include <stdio.h>

typedef struct ct_stats {
    const char *lines, *metrics; /* names; NULL: nobody wants to know */
    FILE *file;                  /* of the lines */
    bool replaces;               /* the metrics can be written */
    double said;                 /* instant */
    ct_progress last;
} ct_stats;

/* `lines` and `metrics` are set. CT_DATA: a file cannot be written. */
ct_status ct_stats_open(ct_stats *stats, const ct_run *run, ct_error *err);
/* Where a report is due, or `now`. What cannot be written any more is given up. */
ct_status ct_stats_tell(ct_stats *stats, const ct_run *run, bool now, ct_error *err);
void ct_stats_close(ct_stats *stats);

#endif

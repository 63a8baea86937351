/* tune_summary.h: what `tune` says at its end.
 * Room: cli. */
#ifndef CT_CLI_TUNE_SUMMARY_H
#define CT_CLI_TUNE_SUMMARY_H
#include "cornerturn_stage.h"

/* To stderr: how good the plan in `file` is, from what it says of itself, and where the time went.
 */
void ct_tune_summary_print(const char *file, const ct_value *tuned);

#endif

/* follow.h: `run --follow`: what it means to the sources of a pipeline, and who writes to standard
 * output. Room: cli. */
#ifndef CT_CLI_FOLLOW_H
#define CT_CLI_FOLLOW_H
#include "pipeline.h"

enum { CT_FOLLOW_SETTINGS = 4096 };

/* Adds a setting for each node that can follow a file; `room` holds them, as long as the pipeline
 * is used. CT_USAGE: there is none. */
ct_status ct_follow_set(ct_pipeline *p, double seconds, char room[CT_FOLLOW_SETTINGS],
                        ct_error *err);
/* Whether some sink writes there. */
bool ct_follow_takes_stdout(const ct_graph *graph);

#endif

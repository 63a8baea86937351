/* observation_text.h: what a pipeline's file says of the observation, as text for another pipeline.
 * Room: cli. */
#ifndef CT_CLI_OBSERVATION_TEXT_H
#define CT_CLI_OBSERVATION_TEXT_H
#include "cornerturn_stage.h"
#include <stdio.h>

/* Prints the JSON object "observation" of a pipeline, its constants put in, and names of files as
 * seen from the present folder. CT_INVALID: there is none. */
ct_status ct_observation_text_print(FILE *out, const char *pipeline, ct_error *err);

#endif

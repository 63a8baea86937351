/* stand_in.h: sources that listen to a port, for another process that only plans: a source.caller
 * with the same array in place of each, and back again in the plan that it makes. Room: cli. */
#ifndef CT_CLI_STAND_IN_H
#define CT_CLI_STAND_IN_H
#include "pipeline.h"

enum { CT_STAND_INS = 16, CT_STAND_IN_TEXT = 16384 };

typedef struct ct_stand_in {
    char text[CT_STAND_INS][CT_STAND_IN_TEXT]; /* "+name={...}" */
    const char *settings[CT_STAND_INS + CT_OPTION_TIMES + 1];
} ct_stand_in;

/* The settings: those that put them in their places, then those given that are not of one of them;
 * NULL at the end. False: there are too many, or there is too much to say of one. */
bool ct_stand_in_make(ct_stand_in *out, const ct_pipeline *pipeline, const char *const *given);
/* The file of such a plan as one of the pipeline, with the block of the plan in the file `own`.
 * False: a file cannot be read or written. */
bool ct_stand_in_back(const ct_pipeline *pipeline, const char *to, const char *from,
                      const char *own);

#endif

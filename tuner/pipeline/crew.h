/* crew.h: the workers of a tuning: builders, and the one that times.
 * Room: tuner/pipeline. Knows workers. Does not know what they are asked. */
#ifndef CT_TUNER_CREW_H
#define CT_TUNER_CREW_H
#include "text.h"

typedef struct ct_crew ct_crew;

/* `hello`: what every worker is told first; copied. */
ct_status ct_crew_new(ct_crew **out, ct_context *context, const ct_tune *options, const char *hello,
                      ct_error *err);
void ct_crew_free(ct_crew *crew);
/* What the timing worker has answered to it; lives as the crew. CT_FAILED with what it said. */
ct_status ct_crew_hello(ct_crew *crew, const ct_value **answer, ct_error *err);
/* Asks the timing worker, which has `patience` times the options' timeout for it. One that dies or
 * does not answer has an answer, too: with "status" and "say". */
ct_status ct_crew_ask(ct_crew *crew, const char *request, double patience, ct_value **answer,
                      ct_error *err);
bool ct_crew_builds(const ct_crew *crew); /* builders see everything before the one that times */
/* Request n of count is made by make() and answered to told(), side by side by the builders. */
ct_status ct_crew_each(ct_crew *crew, int count,
                       ct_status (*make)(void *of, int n, ct_text *request, ct_error *err),
                       ct_status (*told)(void *of, int n, const ct_value *answer, ct_error *err),
                       void *of, ct_error *err);
/* The timing worker anew: a fresh process. */
ct_status ct_crew_renew(ct_crew *crew, ct_error *err);

#endif

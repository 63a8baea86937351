/* server.h: answers questions about one pipeline on one device: what a plan is in full, whether a
 * step of it builds and is right, how long it takes. A question is a JSON object, and so is an
 * answer.
 * Room: tuner/server. Knows plans, devices and how steps are measured. Does not know what is
 * searched for, nor processes. docs/worker.md says what is asked and answered. Order: new, answer
 * as often as wanted (the first question is "hello"), free. */
#ifndef CT_TUNER_SERVER_H
#define CT_TUNER_SERVER_H
#include "cornerturn_stage.h"

typedef struct ct_server ct_server;

ct_status ct_server_new(ct_server **out, ct_context *context, ct_error *err);
/* *answer: one line, without its end; released with free(). A question that cannot be answered has
 * an answer that says why. CT_FAILED where there is no memory for one. */
ct_status ct_server_answer(char **answer, ct_server *server, const char *question, ct_error *err);
void ct_server_free(ct_server *server);

#endif

/* interrupt.h: a person who asks to stop (SIGINT, SIGTERM, SIGHUP) cancels the run.
 * Room: cli. A second signal ends the process at once. */
#ifndef CT_CLI_INTERRUPT_H
#define CT_CLI_INTERRUPT_H
#include "cornerturn.h"

/* Ends the process at once until it is deferred: while a pipeline is read and its kernels are built
 * nothing has been made, a source may wait for a header that never comes, and a compiler does not
 * let itself be stopped. */
void ct_interrupt_catch(void);
void ct_interrupt_defer(void);
/* Which run; NULL before it is freed. A signal that came before cancels it too. */
void ct_interrupt_cancels(ct_run *run);
/* What failed before there is a run, a compiler say, may have failed for the signal: then
 * CT_INTERRUPTED and its sentence instead. */
ct_status ct_interrupt_explain(ct_status status, ct_error *err);
bool ct_interrupt_came(void);

#endif

/* interrupt.h: whether the person asked to stop (SIGINT, SIGTERM).
 * Room: cli. A second signal ends the process at once. */
#ifndef CT_CLI_INTERRUPT_H
#define CT_CLI_INTERRUPT_H
#include <stdbool.h>

void ct_interrupt_catch(void);
bool ct_interrupt_caught(void);
bool ct_interrupt_asked(void *of); /* the same, for ct_run_watch */

#endif

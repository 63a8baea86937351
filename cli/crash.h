/* crash.h: a kernel or a stage that crashes is named before the process ends.
 * Room: cli. Knows signals. Order: ct_crash_catch, then ct_crash_note before each thing that may
 * crash, and ct_crash_in once there is a run. */
#ifndef CT_CLI_CRASH_H
#define CT_CLI_CRASH_H
#include "cornerturn.h"

/* From now on a crash is said. Before a device is opened: what a driver does about some of these
 * signals, it does first. */
void ct_crash_catch(void);
/* Once kernels are built: a driver's compiler (LLVM) has taken the same signals meanwhile. */
void ct_crash_catch_again(void);
/* What is done now: "its kernel was built" of which step (NULL: nothing that a step does). */
void ct_crash_note(const char *step, const char *what);
/* From now on the run knows the step; NULL before it is freed. */
void ct_crash_in(const ct_run *run);

#endif

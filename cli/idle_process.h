/* idle_process.h: another command that only gets what of the machine is left over. Room: cli. */
#ifndef CT_CLI_IDLE_PROCESS_H
#define CT_CLI_IDLE_PROCESS_H
#include <stdbool.h>
#include <sys/types.h>

/* Starts it with the lowest priority, which what it starts inherits; what it says goes to the file
 * `log`. Signals of the terminal do not reach it, and it ends with this process. -1: it cannot be
 * started. */
pid_t ct_idle_process_start(const char *const *argv, const char *log);
/* Whether it has ended, and if so its exit code (-1: a signal). */
bool ct_idle_process_ended(pid_t process, int *code);
void ct_idle_process_pause(pid_t process, bool pause);
void ct_idle_process_kill(pid_t process);

#endif

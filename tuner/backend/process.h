/* process.h: a program that runs beside this one, with a line to talk to it.
 * Room: tuner/backend. Knows processes and signals. Does not know what is said. It is the first of
 * a process group of its own, so that the terminal's Ctrl-C does not reach it, and ending it ends
 * what it has started. It ends when the thread that started it ends, however that happens. */
#ifndef CT_TUNER_PROCESS_H
#define CT_TUNER_PROCESS_H
#include "text.h"

#include <sys/types.h>

typedef struct ct_process {
    pid_t pid;      /* 0: none */
    int talk;       /* its standard input and output, non-blocking */
    int complaints; /* its standard error, non-blocking */
} ct_process;

/* argv[0] is looked up as a shell does. NULL at the end. */
ct_status ct_process_start(ct_process *out, const char *const *argv, ct_error *err);
/* Stops it and what it has started; lets them continue. */
void ct_process_pause(const ct_process *process, bool pause);
/* Ends it now, if it has not ended by itself in the seconds given. `how` (NULL: not wanted)
 * receives how it ended: "was ended by signal 11 (Segmentation fault)". Does nothing where there is
 * no process. */
void ct_process_end(ct_process *process, double patience, ct_text *how);

#endif

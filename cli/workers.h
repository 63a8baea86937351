/* workers.h: runs this command again in several processes and reads what they print.
 * Room: cli. Knows processes and pipes. Does not know what the workers do. Compilers of kernels use
 * one core each and may abort: a process each. */
#ifndef CT_CLI_WORKERS_H
#define CT_CLI_WORKERS_H
#include "cornerturn.h"

enum { CT_WORKERS = 64 /* most processes */ };

typedef struct ct_workers {
    int count;
    char **arguments; /* of every worker, NULL at the end */
    int part;         /* which of them becomes "I/N" */
    bool errors;      /* what it prints on standard error is taken, too, and not passed on */
    /* Each line that a worker prints, without its end. */
    void (*line)(void *state, int worker, const char *line);
    void *state;
    int first, parts; /* the first one's I, and N; 0: as many as are started */
} ct_workers;

/* Waits for all. The most severe exit code; CT_FAILED with a sentence where one was killed: `doing`
 * says what it was at. */
ct_status ct_workers_run(const ct_workers *workers, const char *(*doing)(void *state, int worker),
                         ct_error *err);

#endif

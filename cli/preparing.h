/* preparing.h: what is said while a run is prepared: which kernel is built.
 * Room: cli. Order: ct_preparing_tell is a pipeline's `tell`; ct_preparing_end before anything else
 * is printed. */
#ifndef CT_CLI_PREPARING_H
#define CT_CLI_PREPARING_H
#include "cornerturn.h"

typedef struct ct_preparing {
    bool shows;             /* on a terminal: a line that is written again and again */
    bool says;              /* elsewhere: a line now and then, of what takes long */
    bool line;              /* one stands there */
    double begun, said;     /* of a monotonic clock; 0: not yet */
    double told;            /* of the last kernel */
    void (*slow)(void *of); /* called after a kernel that took long; NULL */
    void *slow_of;
} ct_preparing;

/* A ct_tell, of a ct_preparing. */
void ct_preparing_tell(void *of, ct_doing doing, const char *step, int n, int count);
void ct_preparing_end(ct_preparing *preparing);

#endif

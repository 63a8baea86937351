/* beside.h: kernels that another process builds while this one makes a run.
 * Room: cli. Order: ct_beside_begin, any number of times, ct_beside_end. */
#ifndef CT_CLI_BESIDE_H
#define CT_CLI_BESIDE_H
#include "pipeline.h"

typedef struct ct_beside {
    const ct_pipeline *pipeline;
    ct_builder *builder; /* NULL: none */
    bool begun;
} ct_beside;

/* Starts it, of a ct_beside, the first time it is called, where there is a core for it. Whether it
 * could be started makes no difference to the run. */
void ct_beside_begin(void *of);
void ct_beside_end(ct_beside *beside);

#endif

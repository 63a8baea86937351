/* job.c: see job.h.
 * Room: cli. Does not know what is done together. */
#include "job.h"
#include "cornerturn_ranks.h"

#include <stdio.h>

ct_status ct_job_close(ct_ranks *ranks, ct_status status, ct_error *err)
{
    if (ranks == NULL) return status;
    if (err->text[0] != 0) fprintf(stderr, "%s\n", err->text);
    *err = (ct_error){0};
    ct_ranks_close(ranks);
    return status;
}

/* run_gather.h: flags of which each rank of a job has a part, brought to all of them.
 * Room: core/run. Order: ct_run_gather_room for all that may be gathered, ct_run_gather_new, then
 * ct_run_gather on all ranks in the same order, whatever has failed. */
#ifndef CT_CORE_RUN_GATHER_H
#define CT_CORE_RUN_GATHER_H
#include "partition.h"
#include "run.h"

/* `whole`: u8, all that the ranks have together, dense; `key`: the dimensions by which two ranks'
 * parts differ. share NULL: each rank has all. */
typedef struct ct_run_parts {
    const ct_partition *share;
    ct_array whole, key;
} ct_run_parts;

struct ct_run_gather {
    uint8_t *send, *receive;
    int *numbers;   /* bytes and places of both, as the wire wants them */
    int64_t *least; /* [steps][2]: what sources have read */
};

typedef struct ct_run_gather_need {
    int64_t send, receive; /* bytes */
} ct_run_gather_need;

/* Gets one rank's part, and where in the whole it begins, in the order of part->dim. */
typedef void ct_run_gather_take(void *of, const ct_array *part, const int64_t first[CT_DIMS]);

/* Whether ranks have different parts: else nothing needs to be gathered. */
bool ct_run_parts_are(const ct_run *run, const ct_run_parts *parts);
/* Whether this rank is the lowest of those that have its part. */
bool ct_run_parts_first(const ct_run *run, const ct_run_parts *parts);
/* Raises what is needed. CT_INVALID: it is too much. */
ct_status ct_run_gather_room(ct_run *run, const ct_run_parts *parts, ct_run_gather_need *need,
                             ct_error *err);
ct_status ct_run_gather_new(ct_run *run, const ct_run_gather_need *need, ct_error *err);
/* own NULL: this rank has failed, and gives nothing flagged. take NULL: it wants nothing. */
ct_status ct_run_gather(ct_run *run, const ct_run_parts *parts, const ct_array *own,
                        ct_run_gather_take *take, void *of, ct_error *err);

#endif

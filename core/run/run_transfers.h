/* run_transfers.h: arrays of sources and sinks on a device with memory of its own: a copy of each
 * of their slots on the host, and who waits for what while the device goes on computing.
 * Room: core/run. */
#ifndef CT_CORE_RUN_TRANSFERS_H
#define CT_CORE_RUN_TRANSFERS_H
#include "device_transfers.h"
#include "run.h"

/* A slot's copy. */
typedef struct ct_run_copy {
    ct_pinned pinned;
    ct_event *free;  /* of a source: after it the slot's last block is not read any more */
    ct_event *moved; /* the last transfer from it or to it */
    int64_t fetched; /* of a sink: its firing that was fetched last, from 1 on; 0: none */
} ct_run_copy;

/* Copies of both slots of an edge, where the device has queues for transfers. */
ct_status ct_run_transfers_add(ct_run *run, int edge, ct_error *err);
bool ct_run_transfers_has(const ct_run *run, int slot);
/* A copy for a source to fill once `*before` is over, for the slot's next block; then it is sent:
 * what is put on the device's queue from then on waits for that. */
ct_status ct_run_transfers_lend(ct_run *run, int slot, void **data, ct_event **before,
                                ct_error *err);
ct_status ct_run_transfers_send(ct_run *run, int slot, ct_error *err);
/* What is in a slot when all is done that is on the device's queue: there when `*before` is over.
 * Sinks that take the same firing fetch it once. */
ct_status ct_run_transfers_fetch(ct_run *run, int slot, int64_t firing, void **data,
                                 ct_event **before, ct_error *err);
/* At the end of a block: waits for the block before it, so that the device has work meanwhile. */
ct_status ct_run_transfers_pace(ct_run *run, ct_error *err);
void ct_run_transfers_free(ct_run *run);

#endif

/* run_hooks.h: what other rooms do while a run goes on: core/job, where it is one of several
 * processes that run one pipeline, core/resume, where it keeps what it has done, core/swap, where
 * it gets another plan, and core/rehearse. In the plain case no entry is set. Each is set by one
 * room, whose state hangs on the run. core/swap, which is for one process, has `begin` and `stop`.
 * Room: core/run. */
#ifndef CT_CORE_RUN_HOOKS_H
#define CT_CORE_RUN_HOOKS_H
#include "cornerturn_stage.h"

/* Gets a mask, or a part of one, that begins at first[] of the whole. */
typedef void ct_run_join(void *of, const ct_array *part, const int64_t first[CT_DIMS]);

typedef struct ct_run_hooks {
    /* core/job. Where `agree` is set all processes call these in the same order, whatever fails. */
    ct_status (*begin)(ct_run *run, ct_error *err); /* before the first block, or the end */
    ct_status (*agree)(ct_run *run, ct_status mine, ct_error *err); /* the failure of any */
    ct_status (*sources_read)(ct_run *run, bool *some, ct_error *err);
    ct_status (*fire)(ct_run *run, int step, ct_error *err); /* for ct_run_fire_kernel */
    /* Of a step with `background`: what was begun by `fire` has come. */
    ct_status (*complete)(ct_run *run, int step, ct_error *err);
    void (*give_up)(ct_run *run, int step); /* `fire` failed, or is not called any more */
    ct_status (*join_mask)(ct_run *run, int step, int port, const ct_array *mask, ct_run_join *join,
                           void *of, ct_error *err);            /* for join(of, mask, 0) */
    ct_status (*release)(ct_run *run, int slot, ct_error *err); /* nothing is sent from it now */
    void (*stop)(ct_run *run);                                  /* ends threads; twice is fine */
    /* core/resume. */
    void (*cancelled)(ct_run *run);                     /* between two blocks */
    ct_status (*end_block)(ct_run *run, ct_error *err); /* all that has agreed on it */
    int64_t (*kept)(const ct_run *run);                 /* blocks that outlive a failure */
    void (*failed)(const ct_run *run, ct_error *err);   /* adds what that means */
    ct_status (*seal)(ct_run *run, ct_error *err);      /* files get their names now */
    void (*publish_partial)(ct_run *run);               /* after a failure, once */
    void (*end)(ct_run *run, bool published);           /* no files are in the making any more */
    /* core/rehearse: before and after each copy of history on the device's queue. */
    ct_status (*mark_history)(ct_run *run, ct_error *err);
    void (*moved_history)(ct_run *run, double seconds); /* on the host */
} ct_run_hooks;

/* Calls the one of a status that is set: CT_RUN_HOOK(run, release, slot, err). */
#define CT_RUN_HOOK(run, name, ...)                                                                \
    ((run)->hooks.name ? (run)->hooks.name((run), __VA_ARGS__) : CT_OK)

#endif

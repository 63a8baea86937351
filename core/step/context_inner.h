/* context_inner.h: what a context keeps.
 * Room: core/step, and seen by no other. */
#ifndef CT_CORE_CONTEXT_INNER_H
#define CT_CORE_CONTEXT_INNER_H
#include "context.h"
#include "hold.h"

typedef struct ct_known {
    const ct_stage *stage;             /* a copy */
    const ct_description *description; /* where it was read from; NULL: a program has added it */
} ct_known;

/* A shared library that is open because stages are in it. */
typedef struct ct_library {
    void *handle;
    struct ct_library *next;
} ct_library;

struct ct_context {
    ct_hold hold;
    ct_context *parent; /* held; NULL none */
    ct_known *known;
    size_t count;
    ct_library *libraries; /* its own */
    ct_arena *arena;
};

/* Keeps a copy of a stage that was checked. */
ct_status ct_context_keep(ct_context *context, const ct_stage *stage,
                          const ct_description *description, ct_error *err);
void ct_context_close_libraries(ct_library *first);
/* Its own or its parent's; NULL: there is none. */
const ct_known *ct_context_find(const ct_context *context, const char *name);

#endif

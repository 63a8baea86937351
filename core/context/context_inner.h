/* context_inner.h: what a context keeps.
 * Room: core/context, and seen by no other. */
#ifndef CT_CORE_CONTEXT_INNER_H
#define CT_CORE_CONTEXT_INNER_H
#include "context.h"
#include "digest.h"
#include "refcount.h"
#include "stage_check.h"

/* A shared library that is open because stages are in it. */
typedef struct ct_library {
    void *handle;
    const char *file; /* as named, and SHA-256 of what was in it */
    char digest[CT_DIGEST_SIZE];
    struct ct_library *next;
} ct_library;

/* Where it is from: at most one of the two; neither: a program has added it. */
typedef struct ct_known {
    const ct_stage *stage; /* a copy */
    const ct_description *description;
    const ct_library *library;
} ct_known;

struct ct_context {
    ct_refcount refcount;
    ct_context *parent; /* retained; NULL none */
    ct_known *known;
    size_t count;
    ct_library *libraries; /* its own */
    ct_tell *tell;         /* NULL none; then the parent's */
    void *tell_state;
    ct_arena *arena;
};

/* Keeps a copy of a stage that was checked. */
ct_status ct_context_store(ct_context *context, const ct_stage *stage,
                           const ct_description *description, ct_error *err);
void ct_context_close_libraries(const ct_library *first);
/* Its own or its parent's; NULL: there is none. */
const ct_known *ct_context_find(const ct_context *context, const char *name);

#endif

/* refcount.h: counts the references to an object. Each user retains it; the last release
 * frees it, in any order and from any thread.
 * Room: base. Does not know what is counted. */
#ifndef CT_BASE_REFCOUNT_H
#define CT_BASE_REFCOUNT_H
#include <stdatomic.h>
#include <stdbool.h>

/* Zeroed: there is one, its maker's. */
typedef struct ct_refcount {
    atomic_int others;
} ct_refcount;

static inline void ct_refcount_retain(ct_refcount *count)
{
    atomic_fetch_add_explicit(&count->others, 1, memory_order_relaxed);
}

/* True: that was the last. */
static inline bool ct_refcount_release(ct_refcount *count)
{
    return atomic_fetch_sub_explicit(&count->others, 1, memory_order_acq_rel) == 0;
}

#endif

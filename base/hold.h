/* hold.h: how many keep an object. Whoever keeps one holds it; the last who lets go frees it, in
 * whatever order and from whatever thread that happens.
 * Room: base. Does not know what is held. */
#ifndef CT_BASE_HOLD_H
#define CT_BASE_HOLD_H
#include <stdatomic.h>
#include <stdbool.h>

/* Zeroed: one keeps it, its maker. */
typedef struct ct_hold {
    atomic_int others;
} ct_hold;

static inline void ct_hold_take(ct_hold *hold)
{
    atomic_fetch_add_explicit(&hold->others, 1, memory_order_relaxed);
}

/* True: nobody keeps it any more. */
static inline bool ct_hold_drop(ct_hold *hold)
{
    return atomic_fetch_sub_explicit(&hold->others, 1, memory_order_acq_rel) == 0;
}

#endif

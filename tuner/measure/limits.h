/* limits.h: what a device can do at most, measured: the floors under every stage's time.
 * Room: tuner/measure. Knows a few tiny kernels (limits.cl), written as a stage like any other. */
#ifndef CT_TUNER_LIMITS_H
#define CT_TUNER_LIMITS_H
#include "timed_step.h"

typedef enum ct_limit {
    CT_LIMIT_FMA_F32, /* operations per second; a multiply and an add are two */
    CT_LIMIT_DOT_I8,
    CT_LIMIT_DOT_I16,
    CT_LIMIT_COPY, /* bytes per second, read and written */
    CT_LIMIT_NT_COPY,
    CT_LIMIT_LOCAL, /* bytes per second read from local memory */
    CT_LIMITS
} ct_limit;

typedef struct ct_limits {
    double rate[CT_LIMITS];   /* 0: the device has no such instruction that is known here */
    int64_t width[CT_LIMITS]; /* of the explicit vectors that reached it */
} ct_limits;

ct_status ct_limits_measure(ct_limits *out, ct_device *device, ct_error *err);
const char *ct_limits_name(ct_limit limit); /* "fma_f32" */

/* One of them as a step, to be timed in the same rounds as what is compared with it. */
ct_status ct_limits_work(ct_timed_step **out, ct_device *device, ct_limit limit, int64_t width,
                         ct_buffer_pool *pool, ct_error *err);
/* A non-temporal copy of so many bytes (rounded up to 16 KiB), in the widest vectors that build. */
ct_status ct_limits_copy(ct_timed_step **out, ct_device *device, int64_t bytes,
                         ct_buffer_pool *pool, ct_error *err);
double
ct_limits_amount(const ct_timed_step *timed); /* operations or bytes each time that it runs */

#endif

/* fail.h: the one way out of a fallible function.
 * Room: base. Knows ct_status. Does not know signals or OpenCL.
 * A function declares `ct_status status = CT_OK;` and ends with `out:`. */
#ifndef CT_BASE_FAIL_H
#define CT_BASE_FAIL_H
#include "cornerturn.h"

/* Adds every sentence of `from` to *err (may be NULL); returns `status`. */
ct_status ct_error_pass(ct_error *err, ct_status status, const ct_error *from);

/* Whether none of these pointers is NULL; `names`: theirs, "out, graph". */
bool ct_error_given(const void *const *pointers, const char *names, const char *call,
                    ct_error *err);

/* At the top of a public call: where one of these pointers is NULL the call makes no sense, and
 * gives CT_USAGE and a sentence: "ct_plan_default: there is no graph". */
#define CT_GIVEN(err, ...)                                                                         \
    do {                                                                                           \
        const void *const given_[] = {__VA_ARGS__};                                                \
        if (!ct_error_given(given_, #__VA_ARGS__, __func__, err)) return CT_USAGE;                 \
    } while (0)

/* The same, for a call that makes an object: *out is NULL where it makes none. */
#define CT_GIVEN_OUT(err, out, ...)                                                                \
    do {                                                                                           \
        if (out) *(out) = NULL;                                                                    \
        CT_GIVEN(err, out, __VA_ARGS__);                                                           \
    } while (0)

#define CT_TRY(call)                                                                               \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != CT_OK) goto out;                                                             \
    } while (0)

#endif

/* fail.h: the one way out of a fallible function.
 * Room: base. Knows ct_status. Does not know signals or OpenCL.
 * A function declares `ct_status status = CT_OK;` and ends with `out:`. */
#ifndef CT_BASE_FAIL_H
#define CT_BASE_FAIL_H
#include "cornerturn.h"

/* Adds every sentence of `from` to *err (may be NULL); returns `status`. */
ct_status ct_error_pass(ct_error *err, ct_status status, const ct_error *from);

#define CT_TRY(call)                                                                               \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != CT_OK) goto out;                                                             \
    } while (0)

#endif

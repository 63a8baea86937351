/* fail.h: the one way out of a fallible function.
 * Room: base. Knows ct_status. Does not know signals or OpenCL.
 * A function declares `ct_status status = CT_OK;`, tries calls, and ends with `out:`. */
#ifndef CT_BASE_FAIL_H
#define CT_BASE_FAIL_H
#include "cornerturn.h"

#define CT_TRY(call)                                                                               \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != CT_OK) goto out;                                                             \
    } while (0)

#endif

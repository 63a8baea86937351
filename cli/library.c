/* library.c: see library.h.
 * Room: cli. Does not know how a library is loaded. */
#include "library.h"

#include <stddef.h>

ct_status ct_library_context(ct_context **out, const char *const *libraries, ct_error *err)
{
    ct_status status = ct_context_open(out, err);
    if (status != CT_OK) return status;
    for (; *libraries != NULL; libraries++) {
        const ct_status one = ct_context_add_library(*out, *libraries, err);
        if (status == CT_OK) status = one;
    }
    if (status == CT_OK) return CT_OK;
    ct_context_free(*out);
    *out = NULL;
    return status;
}

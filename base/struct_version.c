/* struct_version.c: structs that begin with their size.
 * Room: base. Does not know what the structs hold. */
#include "struct_version.h"

#include <string.h>

static ct_status struct_check(const ct_struct_version *kind, const void *given, size_t *size,
                              ct_error *err)
{
    if (!given) return ct_error_add(err, CT_USAGE, "%s: none is given", kind->name);
    memcpy(size, given, sizeof *size);
    if (*size >= kind->least) return CT_OK;
    return ct_error_add(err, CT_USAGE,
                        "%s: expected its size in the first member, .size = sizeof(%s), which is "
                        "%zu; found %zu",
                        kind->name, kind->name, kind->size, *size);
}

ct_status ct_struct_take(void *out, const ct_struct_version *kind, const void *given, ct_error *err)
{
    size_t size = 0;
    ct_status status = struct_check(kind, given, &size, err);
    memset(out, 0, kind->size);
    if (status != CT_OK) return status;
    memcpy(out, given, size < kind->size ? size : kind->size);
    memcpy(out, &kind->size, sizeof kind->size);
    for (size_t i = kind->size; i < size; i++)
        if (((const char *)given)[i] != 0)
            return ct_error_add(err, CT_USAGE,
                                "%s: it has members that this library, version %s, does not know",
                                kind->name, ct_version());
    return CT_OK;
}

ct_status ct_struct_give(void *out, const ct_struct_version *kind, const void *from, ct_error *err)
{
    size_t size = 0;
    ct_status status = struct_check(kind, out, &size, err);
    if (status != CT_OK) return status;
    size_t known = size < kind->size ? size : kind->size;
    memset(out, 0, size);
    memcpy(out, from, known);
    memcpy(out, &size, sizeof size);
    return CT_OK;
}

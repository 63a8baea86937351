/* sizes.c: see sizes.h.
 * Room: io/shared. Knows JSON values. Does not know formats. */
#include "sizes.h"
#include <string.h>

/* A member of the object under any of a dimension's names. */
static const ct_value *sizes_find(const ct_value *sizes, char dim)
{
    for (size_t i = 0; i < ct_value_count(sizes); i++) {
        ct_layout named;
        if (ct_layout_parse(&named, ct_value_key(sizes, i), NULL) == CT_OK && named.rank == 1 &&
            named.dim[0] == dim)
            return ct_value_at(sizes, i);
    }
    return NULL;
}

static ct_status sizes_check(const ct_sidecar *sidecar, const ct_value *sizes,
                             const ct_layout *dims, ct_error *err)
{
    for (size_t i = 0; i < ct_value_count(sizes); i++) {
        const char *key = ct_value_key(sizes, i);
        ct_layout named = {0};
        if (ct_layout_parse(&named, key, NULL) != CT_OK || named.rank != 1 ||
            !strchr(dims->dim, named.dim[0]))
            return ct_sidecar_fail(sidecar, "sizes", err,
                                   "expected one of the dims %s, found \"%s\"", dims->dim, key);
    }
    return CT_OK;
}

/* One extent; 0: not given, which is possible only for T. */
static ct_status sizes_read_one(const ct_sidecar *sidecar, const ct_value *size, char dim,
                                int64_t *out, ct_error *err)
{
    *out = ct_value_int(size, 0);
    if (ct_value_kind(size) == CT_NULL && dim == 'T') return CT_OK;
    if (!size)
        return ct_sidecar_fail(sidecar, "sizes", err, "expected an extent for %c (%s), found none",
                               dim, ct_dim_name(dim));
    if (ct_value_kind(size) != CT_INT || *out < 1 || *out > INT32_MAX * (int64_t)1024)
        return ct_sidecar_fail(sidecar, "sizes", err,
                               "expected a whole number from 1 for %c (%s), found %g", dim,
                               ct_dim_name(dim), ct_value_real(size, 0));
    return CT_OK;
}

ct_status ct_sizes_read(const ct_sidecar *sidecar, const ct_layout *dims, ct_array *natural,
                        ct_error *err)
{
    const ct_value *sizes = ct_sidecar_find(sidecar, "sizes");
    ct_kind kind = ct_value_kind(sizes);
    if (!sizes && dims->rank > 1)
        return ct_sidecar_lacks(sidecar, "\"sizes\" such as {\"S\": 3, \"P\": 2}", "them", err);
    if (sizes && kind != CT_OBJECT && kind != CT_LIST)
        return ct_sidecar_fail(sidecar, "sizes", err, "expected an object or a list");
    if (kind == CT_LIST && ct_value_count(sizes) != (size_t)dims->rank)
        return ct_sidecar_fail(sidecar, "sizes", err, "expected %d extents for dims %s, found %zu",
                               dims->rank, dims->dim, ct_value_count(sizes));
    ct_status status = CT_OK;
    if (kind == CT_OBJECT) status = sizes_check(sidecar, sizes, dims, err);
    for (int i = 0; status == CT_OK && i < dims->rank; i++) {
        const ct_value *size =
            kind == CT_LIST ? ct_value_at(sizes, (size_t)i) : sizes_find(sizes, dims->dim[i]);
        int64_t extent = 0;
        status = sizes_read_one(sidecar, size, dims->dim[i], &extent, err);
        ct_array_add(natural, dims->dim[i], extent);
    }
    return status;
}

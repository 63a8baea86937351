/* sizes.h: extents that only a node or a description gives: "sizes".
 * Room: io/shared. Knows JSON values. Does not know formats. */
#ifndef CT_IO_SIZES_H
#define CT_IO_SIZES_H
#include "sidecar.h"

/* Adds each of `dims` to `natural`, in this order; T has 0 if it is not given. */
ct_status ct_sizes_read(const ct_sidecar *sidecar, const ct_layout *dims, ct_array *natural,
                        ct_error *err);

#endif

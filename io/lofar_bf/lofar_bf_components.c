/* lofar_bf_components.c: the names of what a data set holds; see lofar_bf.h.
 * Room: io/lofar_bf. Does not know HDF5. */
#include "lofar_bf.h"
#include <strings.h>

/* Those of LOFAR's correlator, and those of its archive. */
static const struct {
    const char *name, *other;
} parts[CT_LOFAR_BF_PLANES] = {{"Xr", "Xre"}, {"Xi", "Xim"}, {"Yr", "Yre"}, {"Yi", "Yim"}};

const char *ct_lofar_bf_component_name(int component)
{
    if (component >= CT_LOFAR_BF_VOLTS) return parts[component - CT_LOFAR_BF_VOLTS].name;
    return ct_product_at((size_t)component)->name;
}

bool ct_lofar_bf_component_find(const char *name, int *out)
{
    for (int i = 0; i < CT_LOFAR_BF_PLANES; i++)
        if (strcasecmp(name, parts[i].name) == 0 || strcasecmp(name, parts[i].other) == 0) {
            *out = CT_LOFAR_BF_VOLTS + i;
            return true;
        }
    for (int i = 0; ct_product_at((size_t)i) && i < CT_LOFAR_BF_VOLTS; i++)
        if (ct_product_at((size_t)i) == ct_product_find(name)) {
            *out = i;
            return true;
        }
    return false;
}

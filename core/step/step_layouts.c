/* step_layouts.c: all layouts that a port may have.
 * Room: core/step. Knows patterns through ct_step_set_layout. Does not know which are good. */
#include "layout.h"
#include "memory.h"
#include "step.h"

#include <string.h>

static bool layouts_fit(ct_step *step, int port, const ct_layout *layout)
{
    const ct_array before = step->port[port];
    bool fits = ct_step_set_layout(step, port, layout, NULL) == CT_OK;
    step->port[port] = before;
    return fits;
}

int64_t ct_step_layouts(ct_layout **list, const ct_step *step, int port, const char *only)
{
    ct_step copy = *step;
    const ct_array *array = &step->port[port];
    int64_t all = ct_layout_permutations(array->rank), count = 0;
    *list = ct_memory_get((size_t)all * sizeof **list);
    if (!*list) return -1;
    for (int64_t n = 0; n < all; n++) {
        ct_layout layout = ct_layout_permutation(array->dim, n);
        if ((!only || !strcmp(only, layout.dim)) && layouts_fit(&copy, port, &layout))
            (*list)[count++] = layout;
    }
    return count;
}

/* verify_layouts.c: which layouts a port may have.
 * Room: tuner. Called by: verify.c, bench_stage.c, bench_asked.c. */
#include "verify_inner.h"
#include <string.h>

static bool layouts_fit(ct_step *step, int port, const ct_layout *layout)
{
    const ct_array before = step->port[port];
    bool fits = ct_step_set_layout(step, port, layout, NULL) == CT_OK;
    step->port[port] = before;
    return fits;
}

int64_t verify_layouts(ct_layout **list, const ct_step *step, int port, const char *only)
{
    ct_step copy = *step;
    const ct_array *array = &step->port[port];
    int64_t all = ct_layout_permutations(array->rank), count = 0;
    *list = ct_memory_get((size_t)all * sizeof **list);
    for (int64_t n = 0; n < all; n++) {
        ct_layout layout = ct_layout_permutation(array->dim, n);
        if ((!only || !strcmp(only, layout.dim)) && layouts_fit(&copy, port, &layout))
            (*list)[count++] = layout;
    }
    return count;
}

/* step_layouts.c: all layouts that a port may have.
 * Room: core/step. Knows patterns through ct_step_set_layout. Does not know which are good. */
#include "fail.h"
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

/* Where a port cannot have its natural order: the first that it can have. */
static ct_status plain_layout(ct_step *step, int port, ct_error *err)
{
    ct_status status = CT_OK;
    ct_layout *list = NULL;
    const char *pattern = step->stage->ports[port].layout;
    if (pattern[0] == '=') return CT_OK;
    const int64_t count = ct_step_layouts(&list, step, port, NULL);
    if (count < 0) CT_TRY(ct_memory_fail(0, err));
    if (count > 0) CT_TRY(ct_step_set_layout(step, port, &list[0], err));
out:
    ct_memory_free(list);
    return status;
}

ct_status ct_step_plain(ct_step *step, ct_error *err)
{
    ct_status status = CT_OK;
    for (int i = 0; i < ct_step_ports(step); i++)
        if (step->port[i].type != CT_NONE && step->port[i].rank > 0)
            CT_TRY(plain_layout(step, i, err));
    for (int i = 0; i < ct_step_ports(step); i++) {
        const char *pattern = step->stage->ports[i].layout;
        const int other = pattern[0] == '=' ? ct_step_find_port(step, pattern + 1) : -1;
        if (other >= 0 && step->port[i].type != CT_NONE && step->port[i].rank > 0)
            CT_TRY(ct_step_set_layout(step, i, &step->port[other].layout, err));
    }
    ct_step_default_tunables(step);
out:
    return status;
}

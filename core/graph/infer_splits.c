/* infer_splits.c: the splits over ranks that a pipeline pins: whether the stage can be split so.
 * Room: core/graph. Knows pins and what stages declare. Does not know how many ranks there are. */
#include <string.h>

#include "fail.h"
#include "infer_inner.h"
#include "layout.h"
#include "step_range.h"

/* "S|TPC", as it was pinned */
static const char *print_pin(char out[CT_LAYOUT_TEXT], const ct_layout *pin, uint8_t split)
{
    ct_layout said = *pin;
    said.split = split;
    return ct_layout_print(out, &said);
}

static ct_status fail_split(const ct_node *node, const char *key, const char *pin, char dim,
                            const char *why, ct_error *err)
{
    return ct_step_fail(node->step, key, err, "\"%s\" splits %c over ranks, and %s cannot be: %s",
                        pin, dim, node->step->stage->name, why);
}

static ct_status take_pin(ct_node *node, const char *key, const ct_layout *pin, uint8_t split,
                          ct_error *err)
{
    char text[CT_LAYOUT_TEXT], why[CT_SPLIT_WHY];
    const ct_role role = ct_role_of(node->step);
    print_pin(text, pin, split);
    for (int k = 0; k < pin->rank; k++) {
        const char dim = pin->dim[k];
        if (!(split >> k & 1) || strchr(node->split, dim)) continue;
        if (role == CT_ROLE_SINK && !node->step->stage->split)
            return fail_split(node, key, text, dim, "one rank writes all of its file", err);
        if (role == CT_ROLE_SOURCE && dim == 'T')
            return fail_split(node, key, text, dim,
                              "a stream comes in the order of time, so each rank reads all of T",
                              err);
        if (role != CT_ROLE_SOURCE && ct_step_split(node->step, dim, why) == CT_SPLIT_NOT)
            return fail_split(node, key, text, dim, why, err);
        node->split[strlen(node->split)] = dim;
    }
    return CT_OK;
}

/* What comes to one rank only splits its source as a pin does. */
ct_status ct_infer_splits(ct_node *node, ct_error *err)
{
    ct_status status = CT_OK;
    const bool ends = ct_role_of(node->step) != CT_ROLE_KERNEL;
    memset(node->split, 0, sizeof node->split);
    CT_TRY(take_pin(node, ends ? "layout" : "layout/read", &node->read, node->read_split, err));
    CT_TRY(take_pin(node, ends ? "layout" : "layout/write", &node->write, node->write_split, err));
    if (!node->split[0]) node->split[0] = ct_step_probed_dim(node->step);
out:
    return status;
}

/* plan_load_ranks.c: what a plan file says of ranks: for how many it is, and along what each node's
 * work is split. Room: core/plan. Knows the file's form. Does not know what stages can be split
 * along (default_split.c). */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "plan_file.h"

static ct_status load_grid(ct_plan_loader *l, const ct_value *grid)
{
    const char *text = ct_value_text(grid, NULL);
    const ct_ranks *here = l->graph->ranks;
    if (text && *text && (ct_ranks_grid(&l->planned, text, NULL) != CT_OK || !l->planned.grid[0]))
        text = NULL;
    if (grid && !text)
        return ct_plan_load_fail(l, "/ranks/grid",
                                 "expected dimensions and into how many parts they are split, %d "
                                 "ranks in all, such as \"S=4,C=2\", or \"\"",
                                 l->planned.size);
    if (here && here->grid[0] &&
        (strcmp(here->grid, l->planned.grid) != 0 ||
         memcmp(here->ranges, l->planned.ranges, strlen(here->grid) * sizeof *here->ranges) != 0))
        return ct_plan_load_fail(l, "/ranks/grid", "found \"%s\", and --ranks says otherwise",
                                 text ? text : "");
    return CT_OK;
}

ct_status ct_plan_load_ranks(ct_plan_loader *l, const ct_value *ranks)
{
    static const char *const keys[] = {"size", "grid", NULL};
    const int64_t size = ct_value_int(ct_value_get(ranks, "size"), 0);
    const int here = ct_ranks_size(l->graph->ranks);
    const ct_status status = ct_plan_load_keys(l, "/ranks", ranks, keys);
    if (status != CT_OK || !ranks) return status;
    if (size < 2 || size > 1000000)
        return ct_plan_load_fail(l, ct_value_get(ranks, "size") ? "/ranks/size" : "/ranks",
                                 "expected \"size\": the number of ranks, 2 or more");
    if (size != here)
        return ct_plan_load_fail(l, "/ranks/size",
                                 "planned for %" PRId64 " ranks, and here %s %d: make a plan for "
                                 "%s",
                                 size, here == 1 ? "is" : "are", here, here == 1 ? "one" : "these");
    l->planned.size = (int)size;
    return load_grid(l, ct_value_get(ranks, "grid"));
}

static ct_status check_split(const ct_plan_loader *l, const ct_node *node, const char *pointer,
                             const char *text)
{
    if (!text)
        return ct_plan_load_fail(l, pointer,
                                 "expected the dimensions that are split, such as \"S\", or \"\"");
    if (l->planned.size == 0)
        return ct_plan_load_fail(
            l, pointer,
            "found \"%s\", but the plan does not say for how many ranks it is: "
            "expected \"ranks\", too",
            text);
    if (*text && ct_role_of(node->step) == CT_ROLE_SINK && !node->step->stage->split)
        return ct_plan_load_fail(l, pointer, "found \"%s\", but rank 0 writes all of a sink's file",
                                 text);
    for (const char *dim = text; *dim; dim++)
        if (!isupper((unsigned char)*dim) || strchr(dim + 1, *dim) || dim - text >= CT_DIMS)
            return ct_plan_load_fail(
                l, pointer,
                "found \"%s\", expected letters of dimensions, each once, such "
                "as \"S\"",
                text);
    return CT_OK;
}

ct_split_choice ct_plan_split_of(const char *dims, const ct_ranks *ranks)
{
    ct_split_choice split = {.given = true};
    for (int i = 0; i < CT_DIMS && dims[i]; i++) {
        const char *place = strchr(ranks->grid, dims[i]);
        split.dim[i] = dims[i];
        split.ranges[i] = place ? ranks->ranges[place - ranks->grid] : 0;
    }
    return split;
}

ct_status ct_plan_load_split(const ct_plan_loader *l, const ct_node *node, const ct_value *split,
                             ct_split_choice *out)
{
    char pointer[512];
    const char *text = ct_value_text(split, NULL);
    if (!split) return CT_OK;
    snprintf(pointer, sizeof pointer, "/nodes/%s/split", node->name);
    const ct_status status = check_split(l, node, pointer, text);
    if (status != CT_OK) return status;
    *out = ct_plan_split_of(text, &l->planned);
    return CT_OK;
}

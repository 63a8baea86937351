/* plan_file.h: the plan's file format: plan_save.c writes it, plan_load.c
 * reads it as a whole, plan_load_node.c one node of it.
 * Room: core/plan. Knows plans and JSON values. Does not know what is fast. */
#ifndef CT_CORE_PLAN_FILE_H
#define CT_CORE_PLAN_FILE_H
#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "plan.h"
#include "ranks.h"

enum { CT_PLAN_FORMAT = 2 };

/* Objects at the top that are kept as they are: what a plan was tuned for, and how. */
extern const char *const ct_plan_about_keys[CT_PLAN_ABOUT];

/* A file that is being read. Messages say its places. */
typedef struct ct_plan_loader {
    ct_source_location from;
    const ct_value *nodes;
    ct_graph *graph;    /* that the plan is for: as the pipeline says, then fused, with its block */
    ct_ranks planned;   /* that the file is for: their number and grid; size 0: it says nothing */
    ct_step *transpose; /* of no shape: for the names of its tunables */
    const char *const *splits; /* [node] in place of the file's "split"; NULL: none */
    int *misfits; /* counts what does not fit, which is left out; NULL: that is an error */
    ct_error *err;
} ct_plan_loader;

/* Type and extents, without T, which follows from the block. */
void ct_plan_print_shape(ct_text *text, const ct_array *array);
ct_status ct_plan_load_fail(const ct_plan_loader *l, const char *pointer, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* What a part of a plan for other sizes has given: CT_OK, counted and without its sentence, where
 * it only does not fit. */
ct_status ct_plan_load_leave(const ct_plan_loader *l, ct_status status);
/* The value is an object (NULL is none) that has only the keys that are known (NULL at the
 * end; NULL instead of the list: any). */
ct_status ct_plan_load_keys(const ct_plan_loader *l, const char *pointer, const ct_value *object,
                            const char *const *known);
/* For which ranks it is, "ranks"; CT_INVALID where they are not those that there are. */
ct_status ct_plan_load_ranks(ct_plan_loader *l, const ct_value *ranks);
/* These dimensions, into as many ranges as a grid of ranks says. */
ct_split_choice ct_plan_split_of(const char *dims, const ct_ranks *ranks);
/* A node's "split". */
ct_status ct_plan_load_split(const ct_plan_loader *l, const ct_node *node, const ct_value *split,
                             ct_split_choice *out);
/* All that is decided of node n. */
ct_status ct_plan_load_node(const ct_plan_loader *l, int n, ct_choice *choice);

#endif

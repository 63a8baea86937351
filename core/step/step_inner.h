/* step_inner.h: what a step keeps for the library, and helpers that only the step's files share.
 * Room: core/step, and seen by no other. */
#ifndef CT_CORE_STEP_INNER_H
#define CT_CORE_STEP_INNER_H
#include "device.h"
#include "memory.h"
#include "step.h"

typedef struct ct_step_inner {
    ct_arena *arena;
    const ct_value *given; /* the node's object; NULL none */
    ct_origin origin;
    const ct_device *device;             /* NULL: none is open; borrowed, see ct_step_set_device */
    ct_device_probes probes;             /* what it said, for when it is no longer there */
    ct_value *otherwise[CT_STEP_PARAMS]; /* parsed defaults of CT_PARAM_ANY parameters */
    const atomic_bool *stop;             /* NULL: nobody watches */
    const char **files;                  /* that a sink has written */
    size_t file_count, file_room;
} ct_step_inner;

static inline ct_step_inner *ct_step_in(const ct_step *step)
{
    return step->inner;
}

/* One letter of a port's `dims`. */
typedef struct ct_port_dim {
    char letter;      /* of the accessor */
    char choices[16]; /* what the array may have here */
    bool optional;
} ct_port_dim;

/* Reads `dims`; how many, 0 for "*". */
int ct_port_parse(const ct_port *port, ct_port_dim out[CT_DIMS]);
/* The place in `array` of what this dimension stands for; -1 where absent. */
int ct_port_dim_find(const ct_port_dim *dim, const ct_array *array);
/* Puts the array's dimensions into the port's order; false where they do not fit the port. */
bool ct_port_order(const ct_port *port, ct_array *array);

/* Checks all parameters of a new step, adds every error. */
ct_status ct_param_check(ct_step *step, const char *const *known, ct_error *err);
/* Parses the defaults of CT_PARAM_ANY parameters. */
ct_status ct_param_defaults(ct_step *step, ct_error *err);
/* The declared parameter and its place; NULL where the stage declares none of this name. */
const ct_param *ct_param_find(const ct_stage *stage, const char *name, int *place);
/* Changes so many tunables, each as little as possible, until all are legal together. */
bool ct_legal_mend(ct_step *step, int changes);

#endif

/* stage.h: one step of a stage with host arrays behind its ports, for tests of references.
 *
 * Room: tests. Knows core/step/step.h. Order: stage_make, [input filled], stage_reference,
 * stage_free.
 */
#ifndef CT_TESTS_STAGE_H
#define CT_TESTS_STAGE_H
#include "step.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct stage_case {
    ct_value *given;
    ct_step *step;
    ct_array port[CT_PORTS];
} stage_case;

/* "S=3 P=2 T=65" */
static inline ct_array stage_array(const char *extents, ct_type type)
{
    ct_array array = {.type = type};
    char dim;
    long long extent;
    int length;
    for (; sscanf(extents, " %c=%lld%n", &dim, &extent, &length) == 2; extents += length)
        ct_array_add(&array, dim, extent);
    ct_array_dense(&array, NULL);
    return array;
}

/* Makes the step and infers; false, with *err, where that fails. `input` has meta where wanted. */
static inline bool stage_try(stage_case *made, const ct_stage *stage, const char *params,
                             const ct_array *input, ct_error *err)
{
    static const char *const known[] = {"stage", "input", "layout", NULL};
    memset(made, 0, sizeof *made);
    if (ct_value_parse(&made->given, params, "test", err) != CT_OK) return false;
    if (ct_step_new(&made->step, stage, stage->name, made->given, known, NULL, err) != CT_OK)
        return false;
    made->step->port[0] = *input;
    return ct_step_infer(made->step, err) == CT_OK;
}

static inline void stage_take_port(stage_case *made, int i)
{
    const ct_stage *stage = made->step->stage;
    ct_array *array = &made->port[i];
    ct_error err = {0};
    *array = made->step->port[i];
    if (array->type == CT_NONE) return;
    if (stage->ports[i].direction == CT_OUT)
        array->type = ct_type_complex(array->type) ? CT_CF64 : CT_F64;
    ct_array_dense(array, NULL);
    array->data = calloc(1, ct_array_bytes(array));
    if (stage->ports[i].direction == CT_TABLE &&
        stage->table(made->step, stage->ports[i].name, array, &err) != CT_OK)
        abort();
}

/* Inputs get their overlap in front; all arrays are zero. */
static inline void stage_make(stage_case *made, const ct_stage *stage, const char *params,
                              const char *extents, ct_type type)
{
    ct_error err = {0};
    ct_array input = stage_array(extents, type);
    if (!stage_try(made, stage, params, &input, &err)) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    ct_step_extend(made->step);
    for (int i = 0; i < ct_step_ports(made->step); i++)
        stage_take_port(made, i);
}

static inline void stage_reference(stage_case *made)
{
    ct_error err = {0};
    if (made->step->stage->verify.reference(made->step, made->port, &err) != CT_OK) abort();
}

static inline void stage_free(stage_case *made)
{
    for (int i = 0; i < CT_PORTS; i++)
        free(made->port[i].data);
    ct_step_free(made->step);
    ct_value_free(made->given);
}

#endif

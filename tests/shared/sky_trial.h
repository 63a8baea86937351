/* sky_trial.h: one source.simulate by its parameters, read whole or in parts.
 * Room: tests of io/simulate. Does not know pipelines. */
#ifndef CT_TESTS_SKY_TRIAL_H
#define CT_TESTS_SKY_TRIAL_H
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/simulate/simulate.h"
#include "step.h"

#define TWO_PI 6.283185307179586477

typedef struct sky {
    ct_value *given;
    ct_step *step;
    void *state;
} sky;

static inline ct_status sky_try(sky *made, const char *params, ct_error *err)
{
    memset(made, 0, sizeof *made);
    assert_int_equal(ct_value_parse(&made->given, params, "test", err), CT_OK);
    ct_status status =
        ct_step_new(&made->step, &ct_stage_simulate, "sky", made->given, NULL, NULL, err);
    return status == CT_OK ? ct_step_infer(made->step, err) : status;
}

static inline sky sky_open(const char *params)
{
    sky made;
    ct_error err = {0};
    if (sky_try(&made, params, &err) != CT_OK) fail_msg("%s", err.text);
    assert_int_equal(ct_stage_simulate.io.open(made.step, &made.state, &err), CT_OK);
    return made;
}

static inline void sky_close(sky *made)
{
    ct_error err = {0};
    if (made->state) assert_int_equal(ct_stage_simulate.io.close(made->state, true, &err), CT_OK);
    ct_step_free(made->step);
    ct_value_free(made->given);
}

static inline ct_array sky_read(sky *made, int64_t samples, const char *layout, int64_t *got)
{
    ct_error err = {0};
    ct_layout order;
    ct_array block = made->step->port[0];
    block.extent[ct_array_find(&block, 'T')] = samples;
    assert_int_equal(ct_layout_parse(&order, layout, &err), CT_OK);
    ct_array_dense(&block, &order);
    block.data = malloc(ct_array_bytes(&block));
    memset(block.data, 0x55, ct_array_bytes(&block));
    assert_int_equal(ct_stage_simulate.io.read(made->state, &block, NULL, got, &err), CT_OK);
    return block;
}

/* Everything at once, station slowest. */
static inline ct_array sky_all(sky *made)
{
    int64_t got, total = made->step->port[0].meta.total;
    bool power = ct_array_find(&made->step->port[0], 'C') >= 0;
    ct_array block = sky_read(made, total, power ? "TC" : "SPT", &got);
    assert_int_equal(got, total);
    return block;
}

static inline void expect_error(const char *params, const char *part)
{
    sky made;
    ct_error err = {0};
    assert_int_equal(sky_try(&made, params, &err), CT_INVALID);
    if (strstr(err.text, part) == NULL) fail_msg("\"%s\" lacks \"%s\"", err.text, part);
    sky_close(&made);
}

#endif

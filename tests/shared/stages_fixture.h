/* stages_fixture.h: a test's own stages in a context, and a device: for tests of core/run.
 * Room: tests. Knows contexts and devices. Does not know stages. */
#ifndef CT_TESTS_STAGES_FIXTURE_H
#define CT_TESTS_STAGES_FIXTURE_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cornerturn.h"
#include <stdio.h>

typedef struct fixture {
    ct_context *context;
    ct_device *device;
} fixture;

/* stages: NULL behind the last one. 1: there is no device. */
static int fixture_open(void **state, const ct_stage *const *stages)
{
    static fixture f;
    ct_error err = {0};
    assert_int_equal(ct_context_open(&f.context, &err), CT_OK);
    for (size_t i = 0; stages[i] != NULL; i++)
        assert_int_equal(ct_context_add_stage(f.context, stages[i], &err), CT_OK);
    if (ct_device_open(&f.device, NULL, &err) != CT_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    *state = &f;
    return 0;
}

static int fixture_close(void **state)
{
    fixture *f = *state;
    ct_device_free(f->device);
    ct_context_free(f->context);
    return 0;
}

#endif

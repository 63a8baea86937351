/* expect_verify.h: verify a stage of the test's own, and what it is expected to say.
 * Room: tests. Knows only the public headers. For one file of a test program. */
#ifndef CT_TESTS_EXPECT_VERIFY_H
#define CT_TESTS_EXPECT_VERIFY_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "one_device.h"

static ct_verify_report report;

/* layout: only this one of both ports; NULL all. */
static inline ct_status verify(const ct_stage *stage, const char *layout, ct_error *err)
{
    const ct_verify_options options = {.size = sizeof options, .read = layout, .write = layout};
    ct_context *context = NULL;
    ct_device *device = one_device(err);
    report = (ct_verify_report){.size = sizeof report};
    assert_non_null(device);
    memset(err, 0, sizeof *err);
    ct_status status = ct_context_open(&context, err);
    if (status == CT_OK) status = ct_context_add_stage(context, stage, err);
    if (status == CT_OK)
        status = ct_tune_verify(context, device, stage->name, &options, &report, err);
    ct_context_free(context);
    return status;
}

static inline void expect_in(const ct_stage *stage, const char *layout, ct_status status,
                             const char *const *says)
{
    ct_error err;
    const ct_status got = verify(stage, layout, &err);
    if (got != status) fail_msg("status %d: %s", (int)got, err.text);
    for (int i = 0; says[i]; i++)
        if (!strstr(err.text, says[i])) fail_msg("\"%s\" is not in \"%s\"", says[i], err.text);
}

static inline void expect(const ct_stage *stage, ct_status status, const char *const *says)
{
    expect_in(stage, "TC", status, says);
}

#define SAYS(...) ((const char *const[]){__VA_ARGS__, NULL})

#endif

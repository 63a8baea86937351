/* stage.c: adds the stage that `cornerturn new-stage power --tree` wrote, and verifies it. With
 * BUILT_IN the library knows it already. */
#include <cornerturn_tune.h>
#include <stdio.h>

extern const ct_stage ct_stage_power;

int main(void)
{
    ct_error err = {0};
    ct_context *context = NULL;
    ct_device *device = NULL;
    ct_verify_report report = {.size = sizeof report};
    const ct_verify_options some = {.size = sizeof some, .most_layouts = 24, .most_tunables = 3};
    ct_status status = ct_context_open(&context, &err);
#ifndef BUILT_IN
    if (status == CT_OK) status = ct_context_add_stage(context, &ct_stage_power, &err);
#endif
    if (status == CT_OK) status = ct_device_open(&device, NULL, &err);
    if (status == CT_OK) status = ct_tune_verify(context, device, "power", &some, &report, &err);
    if (status == CT_OK) printf("%lld layouts\n", (long long)report.layouts);
    if (status != CT_OK) fprintf(stderr, "%s\n", err.text);
    ct_device_free(device);
    ct_context_free(context);
    return status;
}

/* main.c: a program with a stage of its own: `smooth` verifies it, `smooth PIPELINE` runs a
 * pipeline that uses it. */
#include <stdio.h>

#include <cornerturn_tune.h>
#include "smooth.h"

static ct_status verify(ct_context *context, ct_device *device, ct_error *err)
{
    const ct_verify_options quick = {.size = sizeof quick, .quick = true}; /* NULL: all there is */
    ct_verify_report report = {.size = sizeof report};
    const ct_status status = ct_tune_verify(context, device, "smooth", &quick, &report, err);
    if (status == CT_OK)
        printf("smooth: %lld pairs of layouts and %lld combinations of tunables are right\n",
               (long long)report.layouts, (long long)report.tunables);
    return status;
}

static ct_status run(ct_context *context, ct_device *device, const char *file, ct_error *err)
{
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    ct_run *run = NULL;
    ct_status status = ct_graph_load(&graph, context, file, NULL, err);
    if (status == CT_OK) status = ct_plan_default(&plan, graph, device, err);
    if (status == CT_OK) status = ct_run_new(&run, plan, device, err);
    while (status == CT_OK)
        status = ct_run_block(run, err);
    if (status == CT_EOF) status = ct_run_finish(run, err);
    for (size_t n = 0; status == CT_OK && ct_run_file(run, n) != NULL; n++)
        printf("wrote %s\n", ct_run_file(run, n));
    ct_run_free(run);
    ct_plan_free(plan);
    ct_graph_free(graph);
    return status;
}

int main(int argc, char **argv)
{
    ct_error err = {0};
    ct_context *context = NULL;
    ct_device *device = NULL;
    ct_status status = ct_context_open(&context, &err);
    if (status == CT_OK) status = ct_context_add_stage(context, &ct_stage_smooth, &err);
    if (status == CT_OK) status = ct_device_open(&device, NULL, &err);
    if (status == CT_OK)
        status = argc > 1 ? run(context, device, argv[1], &err) : verify(context, device, &err);
    if (status != CT_OK) fprintf(stderr, "%s\n", err.text);
    ct_device_free(device);
    ct_context_free(context);
    return status;
}

/* own.c: own PLUGIN PIPELINE: a program that runs a pipeline with a plug-in's stages, in C and in
 * C++. It frees each object as soon as the next one is made: the plug-in stays loaded until the run
 * is freed, and not longer. */
#include <cornerturn.h>
#include <dlfcn.h>
#include <stdio.h>

static int is_loaded(const char *plugin)
{
    void *handle = dlopen(plugin, RTLD_NOW | RTLD_NOLOAD);
    if (handle != NULL) dlclose(handle);
    return handle != NULL;
}

static ct_status load(ct_graph **out, const char *plugin, const char *pipeline, ct_error *err)
{
    ct_context *context = NULL;
    ct_status status = ct_context_open(&context, err);
    if (status == CT_OK) status = ct_context_add_library(context, plugin, err);
    if (status == CT_OK) status = ct_context_add_library(context, plugin, err);
    if (status == CT_OK) status = ct_graph_load(out, context, pipeline, NULL, err);
    ct_context_free(context);
    return status;
}

static ct_status start(ct_run **out, const char *plugin, const char *pipeline, ct_error *err)
{
    ct_device *device = NULL;
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    ct_status status = load(&graph, plugin, pipeline, err);
    if (status == CT_OK) status = ct_device_open(&device, NULL, err);
    if (status == CT_OK) status = ct_plan_default(&plan, graph, device, err);
    ct_graph_free(graph);
    if (status == CT_OK) status = ct_run_new(out, plan, device, err);
    ct_plan_free(plan);
    ct_device_free(device);
    return status;
}

int main(int argc, char **argv)
{
    ct_error err = {CT_OK, 0, ""};
    ct_run *run = NULL;
    if (argc != 3) return CT_USAGE;
    ct_status status = start(&run, argv[1], argv[2], &err);
    if (status == CT_OK) printf("loaded: %d\n", is_loaded(argv[1]));
    while (status == CT_OK)
        status = ct_run_block(run, &err);
    if (status == CT_EOF) status = ct_run_finish(run, &err);
    for (size_t i = 0; status == CT_OK && ct_run_file(run, i) != NULL; i++)
        printf("wrote %s\n", ct_run_file(run, i));
    ct_run_free(run);
    if (status != CT_OK) fprintf(stderr, "%s\n", err.text);
    printf("loaded: %d\n", is_loaded(argv[1]));
    return status;
}

/* source.c: the verb source: the complete OpenCL text of every step.
 * Room: cli. Does not know how it is made. */
#include "pipeline.h"
#include "verbs.h"

#include <stdio.h>
#include <stdlib.h>

ct_status ct_verb_source(int argc, char **argv, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arguments args = {0};
    ct_pipeline p = {0};
    char *text = NULL;
    const ct_option options[] = {CT_PIPELINE_DEVICE_OR_FILE(&p),
                                 CT_PIPELINE_PLAN(&p),
                                 CT_PIPELINE_SET(&p),
                                 CT_PIPELINE_LIBRARY(&p),
                                 {0}};
    const ct_usage usage = {"source PIPELINE [options]",
                            "Prints each step's complete OpenCL source.",
                            options,
                            1,
                            1,
                            NULL,
                            "source lofar.json\n"
                            "source lofar.json --plan plan.json >kernels.cl"};
    CT_TRY(ct_options_read(&args, &usage, argc, argv, err));
    p.file = args.plain[0];
    CT_TRY(ct_pipeline_load(&p, err));
    CT_TRY(ct_pipeline_device_if_any(&p, err));
    CT_TRY(ct_pipeline_plan(&p, err));
    CT_TRY(ct_plan_source(&text, p.plan, err));
    fputs(text, stdout);
out:
    free(text);
    ct_pipeline_free(&p);
    return status;
}

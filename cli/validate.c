/* validate.c: the verb validate: everything that can be checked without a device, in one pass.
 * Room: cli. Does not know what is checked. */
#include "pipeline.h"
#include "verbs.h"

#include <stdio.h>

ct_status ct_verb_validate(int argc, char **argv, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arguments args = {0};
    ct_pipeline p = {0};
    const ct_option options[] = {CT_PIPELINE_SET(&p), CT_PIPELINE_PLAN(&p), {0}};
    const ct_usage usage = {"validate PIPELINE [options]",
                            "Checks a pipeline (and a plan) without a device; says every mistake.",
                            options,
                            1,
                            1,
                            NULL};
    CT_TRY(ct_options_read(&args, &usage, argc, argv, err));
    p.file = args.plain[0];
    CT_TRY(ct_pipeline_load(&p, err));
    CT_TRY(ct_pipeline_plan(&p, err));
    printf("%s: valid\n", p.file);
out:
    ct_pipeline_free(&p);
    return status;
}

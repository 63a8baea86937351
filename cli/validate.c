/* validate.c: the verb validate: everything that can be checked before a run, in one pass.
 * Room: cli. Does not know what is checked. */
#include "pipeline.h"
#include "verbs.h"

#include <stdio.h>
#include <stdlib.h>

static ct_status validate(ct_pipeline *p, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(ct_pipeline_load(p, err));
    CT_TRY(ct_graph_check_outputs(p->graph, err));
    CT_TRY(ct_pipeline_device_if_any(p, err));
    if (!p->complete) return CT_OK; /* the warnings say why */
    CT_TRY(ct_pipeline_plan(p, err));
    if (p->device) CT_TRY(ct_plan_check(p->plan, p->device, err));
out:
    return status;
}

/* The answer is whole, so that nothing is left to say on standard error. */
static ct_status validate_print_json(const ct_pipeline *p, ct_status found, ct_error *err)
{
    char *errors = NULL, *warnings = NULL;
    ct_status status = CT_OK;
    CT_TRY(ct_error_list(&errors, err->text, err));
    CT_TRY(ct_error_list(&warnings, p->graph ? ct_graph_warnings(p->graph) : "", err));
    printf("{\"cornerturn_validate\": 1, \"valid\": %s, \"complete\": %s, \"status\": %d,\n"
           "\"errors\": %s,\"warnings\": %s}\n",
           found == CT_OK ? "true" : "false", p->complete ? "true" : "false", (int)found, errors,
           warnings);
    err->text[0] = 0;
    status = found;
out:
    free(errors);
    free(warnings);
    return status;
}

/* A name may move the cursor: what reaches the terminal are letters, as in sentences. */
static void validate_say(const ct_pipeline *p)
{
    ct_error name = {0};
    (void)ct_error_add(&name, CT_OK, "%s: valid%s", p->file,
                       p->complete ? "" : ", as far as it could be checked");
    printf("%s\n", name.text);
}

ct_status ct_verb_validate(int argc, char **argv, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arguments args = {0};
    ct_pipeline p = {.look_only = true};
    bool json = false;
    const ct_option options[] = {
        CT_PIPELINE_DEVICE_OR_FILE(&p),
        CT_PIPELINE_SET(&p),
        CT_PIPELINE_LIBRARY(&p),
        CT_PIPELINE_PLAN(&p),
        {"json", CT_OPTION_FLAG, &json, NULL, "print the mistakes and warnings as JSON"},
        {0}};
    const ct_usage usage = {"validate PIPELINE [options]",
                            "Checks a pipeline (and a plan); says every mistake. No device is "
                            "needed unless one is\nnamed; if there is one, it must be able to take "
                            "the plan.",
                            options,
                            1,
                            1,
                            NULL,
                            "validate lofar.json\n"
                            "validate lofar.json --set fir.taps=8 --json"};
    CT_TRY(ct_options_read(&args, &usage, argc, argv, err));
    p.file = args.plain[0];
    p.quiet = json;
    status = validate(&p, err);
    if (json)
        status = validate_print_json(&p, status, err);
    else if (status == CT_OK)
        validate_say(&p);
out:
    ct_pipeline_free(&p);
    return status;
}

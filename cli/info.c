/* info.c: the verb info: devices, stages, one stage, or a data file.
 * Room: cli. Knows which question is asked. Does not know how a file or a device is read. */
#include "info.h"
#include "options.h"
#include "verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CT_INFO_STAGES = 256 };

static ct_status ct_info_stages(ct_context *context, const char *what, ct_error *err)
{
    (void)what, (void)err;
    ct_info_list_stages(context);
    return CT_OK;
}

static ct_status ct_info_stage(ct_context *context, const char *what, ct_error *err)
{
    const char *names[CT_INFO_STAGES] = {NULL};
    for (size_t i = 0; i + 1 < CT_INFO_STAGES && ct_context_stage_at(context, i) != NULL; i++)
        names[i] = ct_context_stage_at(context, i)->name;
    if (what == NULL)
        return ct_error_add(err, CT_USAGE,
                            "cornerturn info stage: a name is missing; 'cornerturn info stages' "
                            "lists them");
    const ct_stage *stage = ct_context_stage(context, what);
    if (stage != NULL) {
        ct_info_show_stage(stage);
        return CT_OK;
    }
    const char *near = ct_suggest_nearest(what, names);
    if (near != NULL)
        return ct_error_add(err, CT_USAGE, "cornerturn info: no stage '%s'; did you mean '%s'?",
                            what, near);
    return ct_error_add(
        err, CT_USAGE, "cornerturn info: no stage '%s'; 'cornerturn info stages' lists them", what);
}

static ct_status ct_info_print(ct_status status, char *text)
{
    if (status == CT_OK) fputs(text, stdout);
    free(text);
    return status;
}

static ct_status ct_info_devices(ct_context *context, const char *what, ct_error *err)
{
    (void)context, (void)what;
    char *text = NULL;
    const ct_status status = ct_describe_devices(&text, err);
    return ct_info_print(status, text);
}

static ct_status ct_info_file(ct_context *context, const char *what, ct_error *err)
{
    (void)context;
    char *text = NULL;
    const ct_status status = ct_describe_file(&text, what, err);
    return ct_info_print(status, text);
}

typedef struct ct_question {
    const char *word;
    int most; /* arguments, the word included */
    ct_status (*answer)(ct_context *, const char *what, ct_error *);
} ct_question;

static const ct_question ct_info_questions[] = {
    {"devices", 1, ct_info_devices}, {"stages", 1, ct_info_stages}, {"stage", 2, ct_info_stage}};

static ct_status ct_info_ask(ct_context *context, const ct_arguments *args, ct_error *err)
{
    ct_question ask = {NULL, 1, ct_info_file};
    for (size_t i = 0; i < sizeof ct_info_questions / sizeof ct_info_questions[0]; i++)
        if (strcmp(args->plain[0], ct_info_questions[i].word) == 0) ask = ct_info_questions[i];
    if (args->count > ask.most)
        return ct_error_add(err, CT_USAGE, "cornerturn info: '%s' is one argument too many",
                            args->plain[ask.most]);
    return ask.answer(context, ask.word == NULL ? args->plain[0] : args->plain[1], err);
}

ct_status ct_verb_info(int argc, char **argv, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arguments args = {0};
    ct_context *context = NULL;
    const ct_usage usage = {"info devices | stages | stage NAME | FILE",
                            "Says what there is: OpenCL devices, stages, a stage's ports, "
                            "parameters and tunables,\nor what a data file holds.",
                            NULL,
                            1,
                            2,
                            NULL};
    CT_TRY(ct_options_read(&args, &usage, argc, argv, err));
    CT_TRY(ct_context_open(&context, err));
    status = ct_info_ask(context, &args, err);
out:
    ct_context_free(context);
    return status;
}

/* info.c: the verb info: devices, stages, one stage, or a data file.
 * Room: cli. Knows which question is asked. Does not know how a file or a device is read. */
#include "info.h"
#include "cornerturn_stage.h"
#include "library.h"
#include "options.h"
#include "page.h"
#include "verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CT_INFO_STAGES = 256 };

typedef struct ct_asked {
    ct_context *context;
    const char *what; /* which one; NULL: all */
    ct_form form;
} ct_asked;

static ct_status info_print(ct_status status, char *text)
{
    if (status == CT_OK) fputs(text, stdout);
    free(text);
    return status;
}

static ct_status info_stages(ct_asked *asked, ct_error *err)
{
    char *json = NULL;
    ct_status status = CT_OK;
    if (asked->form == CT_FORM_JSON) {
        status = ct_describe_stages(&json, asked->context, asked->what, err);
        return info_print(status, json);
    }
    ct_info_list_stages(asked->context);
    return status;
}

static void info_names(const ct_context *context, const char *names[CT_INFO_STAGES])
{
    for (size_t i = 0; i + 1 < CT_INFO_STAGES && ct_context_stage_at(context, i) != NULL; i++)
        names[i] = ct_context_stage_at(context, i)->name;
}

static ct_status info_stage(ct_asked *asked, ct_error *err)
{
    ct_status status = CT_OK;
    ct_context *context = asked->context;
    const char *names[CT_INFO_STAGES] = {NULL};
    info_names(context, names);
    if (asked->what == NULL)
        return ct_error_add(err, CT_USAGE,
                            "cornerturn info stage: a name is missing; 'cornerturn info stages' "
                            "lists them");
    CT_TRY(ct_page_take(context, &asked->what, err));
    const char *what = asked->what;
    const ct_stage *stage = ct_context_stage(context, what);
    if (stage != NULL) {
        if (asked->form == CT_FORM_JSON) return info_stages(asked, err);
        ct_info_show_stage(stage);
        return CT_OK;
    }
    const char *near = ct_suggest_nearest(what, names);
    if (near != NULL)
        status = ct_error_add(err, CT_USAGE, "cornerturn info: no stage '%s'; did you mean '%s'?",
                              what, near);
    else
        status = ct_error_add(err, CT_USAGE,
                              "cornerturn info: no stage '%s'; 'cornerturn info stages' lists them",
                              what);
    ct_page_hint("info stage", what, err);
out:
    return status;
}

static ct_status info_devices(ct_asked *asked, ct_error *err)
{
    char *text = NULL;
    const ct_status status = ct_describe_devices(&text, asked->form, err);
    return info_print(status, text);
}

/* A stage's name in place of a file's. False: there is such a file, or no such stage. */
static bool info_is_stage(const ct_asked *asked)
{
    return access(asked->what, F_OK) != 0 && ct_context_stage(asked->context, asked->what) != NULL;
}

/* After a file that there is not: which stage was perhaps meant. */
static void info_hint(const ct_asked *asked, ct_error *err)
{
    const char *names[CT_INFO_STAGES] = {NULL};
    info_names(asked->context, names);
    const char *near = access(asked->what, F_OK) ? ct_suggest_nearest(asked->what, names) : NULL;
    if (near == NULL) return;
    (void)ct_error_add(err, CT_DATA, "cornerturn info: '%s' is a stage: 'cornerturn info %s'", near,
                       near);
}

static ct_status info_file(ct_asked *asked, ct_error *err)
{
    char *text = NULL;
    if (info_is_stage(asked)) return info_stage(asked, err);
    if (asked->form == CT_FORM_JSON)
        return ct_error_add(err, CT_USAGE,
                            "cornerturn info: --json is for devices, device NAME, stages and stage "
                            "NAME; of files there is text");
    ct_status status = ct_page_refuse(asked->what, err);
    if (status == CT_OK) status = ct_describe_file(&text, asked->what, err);
    if (status != CT_OK) info_hint(asked, err);
    return info_print(status, text);
}

static ct_status info_device(ct_asked *asked, ct_error *err)
{
    ct_status status = CT_OK;
    ct_device *device = NULL;
    char *text = NULL;
    CT_TRY(ct_device_open(&device, asked->what, err));
    status = ct_describe_device(&text, asked->context, device, asked->form, err);
out:
    ct_device_free(device);
    return info_print(status, text);
}

typedef struct ct_question {
    const char *word;
    int most; /* arguments, the word included */
    ct_status (*answer)(ct_asked *, ct_error *);
} ct_question;

static const ct_question ct_info_questions[] = {{"devices", 1, info_devices},
                                                {"device", 2, info_device},
                                                {"stages", 1, info_stages},
                                                {"stage", 2, info_stage}};

static ct_status info_ask(ct_asked *asked, const ct_arguments *args, ct_error *err)
{
    ct_question ask = {NULL, 1, info_file};
    for (size_t i = 0; i < sizeof ct_info_questions / sizeof ct_info_questions[0]; i++)
        if (strcmp(args->plain[0], ct_info_questions[i].word) == 0) ask = ct_info_questions[i];
    if (args->count > ask.most)
        return ct_error_add(err, CT_USAGE, "cornerturn info: '%s' is one argument too many",
                            args->plain[ask.most]);
    asked->what = ask.word == NULL ? args->plain[0] : args->plain[1];
    return ask.answer(asked, err);
}

ct_status ct_verb_info(int argc, char **argv, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arguments args = {0};
    ct_context *context = NULL;
    bool json = false;
    const char *libraries[CT_OPTION_TIMES + 1] = {NULL};
    const ct_option options[] = {
        {"json", CT_OPTION_FLAG, &json, NULL, "print devices and stages as JSON"},
        CT_LIBRARY_OPTION(libraries),
        {0}};
    const ct_usage usage = {"info devices | device NAME | stages | stage NAME | FILE [options]",
                            "Says what there is: OpenCL devices, one of them as the file that "
                            "describes it, stages, a stage's\nports, parameters and tunables (its "
                            "name alone will do), or what "
                            "a data file holds.",
                            options,
                            1,
                            2,
                            NULL,
                            "info stage beamformer\n"
                            "info beams.npy"};
    CT_TRY(ct_options_read(&args, &usage, argc, argv, err));
    CT_TRY(ct_library_context(&context, libraries, err));
    ct_asked asked = {.context = context, .form = json ? CT_FORM_JSON : CT_FORM_TEXT};
    status = info_ask(&asked, &args, err);
out:
    ct_context_free(context);
    return status;
}

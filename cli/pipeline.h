/* pipeline.h: a pipeline file and what was said about it on the command line, up to its plan.
 * Room: cli. Order: ct_pipeline_load, [ct_pipeline_device], ct_pipeline_plan, ct_pipeline_free. */
#ifndef CT_CLI_PIPELINE_H
#define CT_CLI_PIPELINE_H
#include "cornerturn_ranks.h"
#include "cornerturn_tune.h"
#include "library.h"

typedef struct ct_pipeline {
    const char *file, *plan_file, *device_name; /* as given; NULL: not */
    const char *settings[CT_OPTION_TIMES + 1];  /* "node.param=value" */
    const char *libraries[CT_OPTION_TIMES + 1]; /* files of stages of the user's own */
    const char *dumps[CT_OPTION_TIMES + 1];     /* "node.PORT=file" */
    ct_context *context;
    ct_device *device;
    ct_graph *graph;
    ct_plan *plan;
    const ct_ranks *ranks;    /* of which this process is one; NULL: none; the caller's */
    bool consult;             /* where no plan is named, what was tuned before is looked for */
    bool says_default;        /* and where there is none, that is said, too */
    const char *match_name;   /* --plan-match; NULL: not given */
    ct_tune_match match;      /* what it says, once ct_pipeline_match has read it */
    bool look_only, complete; /* ct_graph_check, and what it has found */
    bool quiet;               /* warnings are the caller's to print */
    ct_tell *tell;            /* of what prepares a run; NULL: nobody asks */
    void *tell_state;
} ct_pipeline;

/* Rows of a verb's option table. */
#define CT_PIPELINE_LIBRARY(p) CT_LIBRARY_OPTION((p)->libraries)
#define CT_PIPELINE_SET(p)                                                                         \
    {                                                                                              \
        "set", CT_OPTION_LIST, (p)->settings, "NODE.PARAM=VALUE",                                  \
            "change a parameter (repeatable)"                                                      \
    }
#define CT_PIPELINE_PLAN(p)                                                                        \
    {                                                                                              \
        "plan", CT_OPTION_TEXT, &(p)->plan_file, "FILE",                                           \
            "use this plan: default, stored or a file"                                             \
    }
#define CT_PIPELINE_MATCH(p)                                                                       \
    {                                                                                              \
        "plan-match", CT_OPTION_TEXT, &(p)->match_name, "HOW",                                     \
            "take a plan that was tuned for exact(ly) this, on this device, or the nearest"        \
    }
#define CT_PIPELINE_DEVICE(p)                                                                      \
    {                                                                                              \
        "device", CT_OPTION_TEXT, &(p)->device_name, "NAME",                                       \
            "OpenCL device: part of its name, or its number"                                       \
    }
#define CT_PIPELINE_DEVICE_OR_FILE(p)                                                              \
    {                                                                                              \
        "device", CT_OPTION_TEXT, &(p)->device_name, "NAME",                                       \
            "OpenCL device: part of its name, its number, or file:FILE that describes one"         \
    }

/* Of a verb that takes --plan-match; first of all. */
ct_status ct_pipeline_match(ct_pipeline *pipeline, const char *verb, ct_error *err);
/* Prints what is to be warned of, too. */
ct_status ct_pipeline_load(ct_pipeline *pipeline, ct_error *err);
void ct_pipeline_warn(const char *sentences);
/* One to run on. */
ct_status ct_pipeline_device(ct_pipeline *pipeline, ct_error *err);
/* One to plan for: the named one, which may be a description; without a name the first, or none
 * where there is none. */
ct_status ct_pipeline_device_if_any(ct_pipeline *pipeline, ct_error *err);
ct_status ct_pipeline_plan(ct_pipeline *pipeline, ct_error *err);
/* The plan of this name: "default", "stored" or a file. */
ct_status ct_pipeline_named(ct_plan **out, const ct_pipeline *pipeline, const char *name,
                            ct_error *err);
/* After it the pipeline may be loaded again. */
void ct_pipeline_free(ct_pipeline *pipeline);

#endif

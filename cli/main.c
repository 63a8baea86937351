/* main.c: the command: a table of verbs, --help, --version and the exit code.
 * Room: cli. Knows the verbs by name. Does not know what they do.
 * Order: the verb is looked up, runs, and what it added to the error is printed, one line each. */
#include "cores.h"
#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "verbs.h"

#include <stdio.h>
#include <string.h>

typedef struct ct_verb {
    const char *name;
    ct_status (*run)(int argc, char **argv, ct_error *err);
    const char *help; /* NULL: not listed */
    bool ranks;       /* the ranks of a job do it together; others are the first one's */
} ct_verb;

static const ct_verb ct_main_verbs[] = {
    {"run", ct_verb_run, "run a pipeline", true},
    {"validate", ct_verb_validate, "check a pipeline without a device; say every mistake", false},
    {"tune", ct_verb_tune, "find the fastest layouts and tunables for a whole pipeline", true},
    {"report", ct_verb_report, "show what a tuning has measured, as a page or for other programs",
     false},
    {"explain", ct_verb_explain, "print steps, sizes, layouts and why, bytes, memory", true},
    {"source", ct_verb_source, "print the OpenCL source of every step", false},
    {"simulate", ct_verb_simulate, "make an observation up: voltages, station packets, filterbanks",
     false},
    {"info", ct_verb_info, "print devices, stages, one stage, or what a file holds", false},
    {"plot", ct_verb_plot, "draw what a file holds, as SVG or PNG", false},
    {"verify", ct_verb_verify, "compare every stage with its reference, in every layout", false},
    {"bench", ct_verb_bench, "measure the stages' speed and the device's limits", false},
    {"new-stage", ct_verb_new_stage, "write a working skeleton of a stage", false},
    {"serve", ct_verb_serve, NULL, false},
};
enum { CT_VERBS = sizeof ct_main_verbs / sizeof ct_main_verbs[0] };

static void main_help(void)
{
    printf("usage: cornerturn VERB [arguments]\n\n"
           "Runs radio-astronomy pipelines whose array layouts are free to choose.\n\nverbs:\n");
    for (int i = 0; i < CT_VERBS; i++)
        if (ct_main_verbs[i].help)
            printf("  %-10s %s\n", ct_main_verbs[i].name, ct_main_verbs[i].help);
    printf(
        "\n'cornerturn help VERB' says more, as does 'cornerturn VERB --help'.\n\n"
        "exit codes: 0 done, 1 failed while running, 2 wrong usage, 3 invalid pipeline, plan or\n"
        "page of an own stage, 4 no usable device, 5 unreadable or unwritable data,\n"
        "6 verification mismatch, 130 interrupted.\n");
}

static ct_status main_unknown(const char *word, ct_error *err)
{
    const char *names[CT_VERBS + 1] = {NULL};
    for (int i = 0, count = 0; i < CT_VERBS; i++)
        if (ct_main_verbs[i].help) names[count++] = ct_main_verbs[i].name;
    const char *near = ct_suggest_nearest(word, names);
    if (near != NULL)
        return ct_error_add(err, CT_USAGE, "cornerturn: unknown verb '%s'; did you mean '%s'?",
                            word, near);
    return ct_error_add(err, CT_USAGE,
                        "cornerturn: unknown verb '%s'; 'cornerturn --help' lists them", word);
}

static const ct_verb *main_find(const char *name)
{
    for (int i = 0; i < CT_VERBS; i++)
        if (strcmp(name, ct_main_verbs[i].name) == 0) return &ct_main_verbs[i];
    return NULL;
}

/* "help", "help VERB": what is asked about is the verb, whatever else follows. */
static ct_status main_help_of(int argc, char **argv, ct_error *err)
{
    char *asked[] = {argc > 2 ? argv[2] : NULL, (char[]){"--help"}, NULL};
    const ct_verb *verb = argc > 2 ? main_find(argv[2]) : NULL;
    if (argc > 3)
        return ct_error_add(
            err, CT_USAGE,
            "cornerturn help: '%s' is one argument too many; usage: cornerturn help "
            "[VERB]",
            argv[3]);
    if (verb != NULL) return verb->run(2, asked, err);
    if (argc > 2 && argv[2][0] != '-') return main_unknown(argv[2], err);
    main_help();
    return CT_OK;
}

/* Who starts a verb of one process as several ranks gets what one does, and its exit code. */
static bool main_is_mine(int argc, char **argv)
{
    for (int i = 0; argc > 1 && i < CT_VERBS; i++)
        if (strcmp(argv[1], ct_main_verbs[i].name) == 0 && ct_main_verbs[i].ranks) return true;
    return ct_ranks_first();
}

static ct_status main_dispatch(int argc, char **argv, ct_error *err)
{
    if (!main_is_mine(argc, argv)) return CT_OK;
    if (argc < 2)
        return ct_error_add(err, CT_USAGE,
                            "cornerturn: a verb is missing; 'cornerturn --help' lists them");
    if (strcmp(argv[1], "help") == 0) return main_help_of(argc, argv, err);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        main_help();
        return CT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("cornerturn %s\n", ct_version());
        return CT_OK;
    }
    const ct_verb *verb = main_find(argv[1]);
    return verb != NULL ? verb->run(argc - 1, argv + 1, err) : main_unknown(argv[1], err);
}

int main(int argc, char **argv)
{
    ct_error err = {0};
    ct_cores_take();
    ct_status status = main_dispatch(argc, argv, &err);
    if (status == CT_EOF) status = CT_OK;
    if (fflush(stdout) != 0 && status == CT_OK)
        status = ct_error_add(&err, CT_DATA, "cornerturn: standard output cannot be written");
    if (err.text[0] != 0) fprintf(stderr, "%s\n", err.text);
    return status;
}

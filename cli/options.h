/* options.h: reads a verb's arguments by a table.
 * Room: cli. Knows argc and argv. Does not know what an option means.
 * A verb begins with it:
 *
 *     const char *device = NULL;
 *     int64_t rounds = 3;
 *     ct_arguments args = {0};
 *     const ct_option options[] = {
 *         {"device", CT_OPTION_TEXT, &device, "NAME", "the OpenCL device to use"},
 *         {"rounds", CT_OPTION_INT, &rounds, "N", "how often to repeat"},
 *         {0}};
 *     const ct_usage usage = {"verify [STAGE] [options]", "Compares stages with references.",
 *                             options, 0, 1, NULL, "verify fir\nverify --rounds 1"};
 *     CT_TRY(ct_options_read(&args, &usage, argc, argv, err));
 *
 * --name VALUE, --name=VALUE and one-letter -n VALUE are read; `--` ends the options. --help prints
 * the usage and gives CT_EOF. Anything wrong gives CT_USAGE and a sentence. */
#ifndef CT_CLI_OPTIONS_H
#define CT_CLI_OPTIONS_H
#include "cornerturn.h"

enum { CT_OPTION_TIMES = 64 /* how often a repeatable option may be given */ };

typedef enum ct_option_kind {
    CT_OPTION_FLAG, /* value: bool * */
    CT_OPTION_TEXT, /* const char ** */
    CT_OPTION_INT,  /* int64_t *, not negative */
    CT_OPTION_REAL, /* double * */
    CT_OPTION_LIST  /* const char *[CT_OPTION_TIMES + 1], NULL after the last */
} ct_option_kind;

typedef struct ct_option {
    const char *name; /* without dashes; one letter: a short option */
    ct_option_kind kind;
    void *value;
    const char *what; /* of the value: "FILE" */
    const char *help;
} ct_option;

typedef struct ct_usage {
    const char *synopsis; /* "run PIPELINE [options]" */
    const char *summary;
    const ct_option *options; /* ends at the first without a name; NULL none */
    int least, most;          /* plain arguments */
    const char *more;         /* printed after the options; NULL none */
    const char *examples;     /* "run x.json\nrun y.json": two or more, a line each; NULL none */
} ct_usage;

typedef struct ct_arguments {
    const char *plain[CT_OPTION_TIMES];
    int count;
} ct_arguments;

ct_status ct_options_read(ct_arguments *out, const ct_usage *usage, int argc, char **argv,
                          ct_error *err);

/* tune --within: "2%" or "0.02" -> 0.02; NULL leaves it. CT_USAGE: it is no part between 0 and 1.
 */
ct_status ct_options_part(double *within, const char *text, ct_error *err);
ct_status ct_options_fail_seconds(const char *option, double found, ct_error *err); /* CT_USAGE */

/* One exit for a verb. */
#define CT_TRY(call)                                                                               \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != CT_OK) goto out;                                                             \
    } while (0)

#endif

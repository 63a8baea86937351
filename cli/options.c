/* options.c: reads a verb's arguments by a table.
 * Room: cli. Knows argc and argv. Does not know what an option means. */
#include "options.h"
#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ct_reader {
    const ct_usage *usage;
    char **argv;
    int argc, next; /* next: the argument to be read */
    ct_error *err;
} ct_reader;

/* One letter that takes a value is written with one dash. */
static const char *options_dashes(const ct_option *o)
{
    return o->name[1] != 0 || o->kind == CT_OPTION_FLAG ? "--" : "-";
}

static void options_examples(const char *line)
{
    printf("\nexamples:\n");
    while (*line != 0) {
        const size_t length = strcspn(line, "\n");
        printf("  cornerturn %.*s\n", (int)length, line);
        line += length + (line[length] != 0);
    }
}

static void options_help(const ct_usage *usage)
{
    printf("usage: cornerturn %s\n\n%s\n", usage->synopsis, usage->summary);
    if (usage->options != NULL) printf("\noptions:\n");
    for (const ct_option *o = usage->options; o != NULL && o->name != NULL; o++) {
        char left[64];
        snprintf(left, sizeof left, "%s%s%s%s", options_dashes(o), o->name,
                 o->what != NULL ? " " : "", o->what != NULL ? o->what : "");
        printf("  %-24s %s\n", left, o->help);
    }
    if (usage->more != NULL) printf("\n%s\n", usage->more);
    if (usage->examples != NULL) options_examples(usage->examples);
}

static ct_status options_unknown(ct_reader *in, const char *word)
{
    const char *names[64] = {"help"};
    int count = 1;
    for (const ct_option *o = in->usage->options; o != NULL && o->name != NULL && count < 63; o++)
        names[count++] = o->name;
    const char *near = ct_suggest_nearest(word + strspn(word, "-"), names);
    if (near != NULL)
        return ct_error_add(in->err, CT_USAGE,
                            "cornerturn %s: unknown option '%s'; did you mean '%s%s'?", in->argv[0],
                            word, near[1] != 0 ? "--" : "-", near);
    return ct_error_add(in->err, CT_USAGE,
                        "cornerturn %s: unknown option '%s'; 'cornerturn %s --help' lists them",
                        in->argv[0], word, in->argv[0]);
}

static ct_status options_wrong(ct_reader *in, const ct_option *o, const char *text,
                               const char *expected)
{
    return ct_error_add(in->err, CT_USAGE, "cornerturn %s: %s%s: expected %s, found '%s'",
                        in->argv[0], options_dashes(o), o->name, expected, text);
}

static ct_status options_int(ct_reader *in, const ct_option *o, const char *text)
{
    char *end = NULL;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (errno != 0 || end == text || *end != 0 || value < 0)
        return options_wrong(in, o, text, "a whole number that is not negative");
    *(int64_t *)o->value = value;
    return CT_OK;
}

static ct_status options_real(ct_reader *in, const ct_option *o, const char *text)
{
    char *end = NULL;
    const double value = ct_number_read(text, &end);
    if (end == text || *end != 0 || !(value - value == 0.0))
        return options_wrong(in, o, text, "a number");
    *(double *)o->value = value;
    return CT_OK;
}

static ct_status options_list(ct_reader *in, const ct_option *o, const char *text)
{
    const char **list = o->value;
    for (int i = 0; i < CT_OPTION_TIMES; i++) {
        if (list[i] == NULL) {
            list[i] = text;
            return CT_OK;
        }
    }
    return options_wrong(in, o, text, "at most 64 of them");
}

static ct_status options_set(ct_reader *in, const ct_option *o, const char *text)
{
    switch (o->kind) {
    case CT_OPTION_FLAG:
        *(bool *)o->value = true;
        return CT_OK;
    case CT_OPTION_TEXT:
        *(const char **)o->value = text;
        return CT_OK;
    case CT_OPTION_INT:
        return options_int(in, o, text);
    case CT_OPTION_REAL:
        return options_real(in, o, text);
    case CT_OPTION_LIST:
        return options_list(in, o, text);
    }
    return CT_OK;
}

/* "--name", "--name=value" or, for one letter, "-n" as well. */
static const ct_option *options_find(const ct_usage *usage, const char *word)
{
    const char *name = word + strspn(word, "-");
    const size_t length = strcspn(name, "="), dashes = (size_t)(name - word);
    for (const ct_option *o = usage->options; o != NULL && o->name != NULL; o++)
        if (strlen(o->name) == length && memcmp(o->name, name, length) == 0 &&
            (dashes == 2 || (dashes == 1 && length == 1)))
            return o;
    return NULL;
}

static ct_status options_option(ct_reader *in)
{
    const char *word = in->argv[in->next++];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        if (ct_ranks_first()) options_help(in->usage);
        return CT_EOF;
    }
    const ct_option *o = options_find(in->usage, word);
    if (o == NULL) return options_unknown(in, word);
    const char *text = strchr(word, '=');
    if (o->kind == CT_OPTION_FLAG && text != NULL)
        return options_wrong(in, o, text + 1, "no value");
    if (o->kind != CT_OPTION_FLAG && text == NULL && in->next >= in->argc)
        return ct_error_add(in->err, CT_USAGE, "cornerturn %s: %s needs a value: %s", in->argv[0],
                            word, o->what);
    if (text != NULL)
        text++;
    else if (o->kind != CT_OPTION_FLAG)
        text = in->argv[in->next++];
    return options_set(in, o, text);
}

static ct_status options_plain(ct_reader *in, ct_arguments *out)
{
    const char *word = in->argv[in->next++];
    if (out->count >= in->usage->most)
        return ct_error_add(in->err, CT_USAGE,
                            "cornerturn %s: '%s' is one argument too many; usage: cornerturn %s",
                            in->argv[0], word, in->usage->synopsis);
    out->plain[out->count++] = word;
    return CT_OK;
}

ct_status ct_options_read(ct_arguments *out, const ct_usage *usage, int argc, char **argv,
                          ct_error *err)
{
    ct_status status = CT_OK;
    ct_reader in = {usage, argv, argc, 1, err};
    bool ended = false;
    out->count = 0;
    while (in.next < argc) {
        const char *word = argv[in.next];
        if (!ended && strcmp(word, "--") == 0) {
            ended = true;
            in.next++;
        } else if (!ended && word[0] == '-' && word[1] != 0) {
            CT_TRY(options_option(&in));
        } else {
            CT_TRY(options_plain(&in, out));
        }
    }
    if (out->count < usage->least)
        status = ct_error_add(err, CT_USAGE,
                              "cornerturn %s: an argument is missing; usage: cornerturn %s",
                              argv[0], usage->synopsis);
out:
    return status;
}

ct_status ct_options_part(double *within, const char *text, ct_error *err)
{
    char *end = NULL;
    if (!text) return CT_OK;
    *within = ct_number_read(text, &end);
    if (end != text && strcmp(end, "%") == 0) {
        *within /= 100;
        end++;
    }
    if (end != text && !*end && *within > 0 && *within < 1) return CT_OK;
    return ct_error_add(err, CT_USAGE,
                        "cornerturn tune: --within: expected a part of the time between 0 and 1, "
                        "such as 2%% or 0.02, found \"%s\"",
                        text);
}

ct_status ct_options_fail_seconds(const char *option, double found, ct_error *err)
{
    return ct_error_add(err, CT_USAGE,
                        "cornerturn tune: --%s: expected seconds, 0 or more, found %g", option,
                        found);
}

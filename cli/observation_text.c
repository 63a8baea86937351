/* observation_text.c: see observation_text.h.
 * Room: cli. Knows JSON. Does not know what the members mean, but that "stations" may be a file. */
#include "observation_text.h"
#include "options.h"

#include <string.h>

typedef struct observation_text {
    FILE *out;
    const char *pipeline;
    const ct_value *constants;
} observation_text;

static void print_text(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text; text++) {
        if ((unsigned char)*text < 0x20)
            fprintf(out, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            fprintf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    }
    putc('"', out);
}

static void print_number(FILE *out, const ct_value *value)
{
    char number[CT_NUMBER_TEXT];
    if (ct_value_kind(value) == CT_INT)
        fprintf(out, "%lld", (long long)ct_value_int(value, 0));
    else
        fputs(ct_number_shortest(number, ct_value_real(value, 0), true), out);
}

static void print_value(const observation_text *text, const ct_value *value);

static void print_many(const observation_text *text, const ct_value *value, const char *brackets)
{
    putc(brackets[0], text->out);
    for (size_t k = 0; k < ct_value_count(value); k++) {
        if (k > 0) fputs(", ", text->out);
        if (ct_value_kind(value) == CT_OBJECT) {
            print_text(text->out, ct_value_key(value, k));
            fputs(": ", text->out);
        }
        print_value(text, ct_value_at(value, k));
    }
    putc(brackets[1], text->out);
}

static void print_value(const observation_text *text, const ct_value *value)
{
    const char *word = ct_value_text(value, NULL);
    if (word && word[0] == '$' && ct_value_get(text->constants, word + 1))
        value = ct_value_get(text->constants, word + 1);
    switch (ct_value_kind(value)) {
    case CT_LIST:
        print_many(text, value, "[]");
        return;
    case CT_OBJECT:
        print_many(text, value, "{}");
        return;
    case CT_TEXT:
        print_text(text->out, ct_value_text(value, ""));
        return;
    case CT_BOOL:
        fputs(ct_value_bool(value, false) ? "true" : "false", text->out);
        return;
    case CT_INT:
    case CT_REAL:
        print_number(text->out, value);
        return;
    default:
        fputs("null", text->out);
    }
}

/* A parameter set stands beside the pipeline. */
static void print_stations(const observation_text *text, const ct_value *value)
{
    const char *file = ct_value_text(value, NULL), *slash = strrchr(text->pipeline, '/');
    if (!file || file[0] == '$' || file[0] == '/' || !slash) {
        print_value(text, value);
        return;
    }
    char path[4096];
    snprintf(path, sizeof path, "%.*s%s", (int)(slash + 1 - text->pipeline), text->pipeline, file);
    print_text(text->out, path);
}

ct_status ct_observation_text_print(FILE *out, const char *pipeline, ct_error *err)
{
    ct_value *root = NULL;
    ct_status status = CT_OK;
    CT_TRY(ct_value_load(&root, pipeline, err));
    const ct_value *said = ct_value_get(root, "observation");
    const observation_text text = {out, pipeline, ct_value_get(root, "constants")};
    if (ct_value_kind(said) != CT_OBJECT) {
        status = ct_error_add(err, CT_INVALID, "%s: expected a pipeline with an \"observation\"",
                              pipeline);
        goto out;
    }
    putc('{', out);
    for (size_t k = 0; k < ct_value_count(said); k++) {
        const char *key = ct_value_key(said, k);
        if (k > 0) fputs(", ", out);
        print_text(out, key);
        fputs(": ", out);
        if (strcmp(key, "stations") == 0)
            print_stations(&text, ct_value_at(said, k));
        else
            print_value(&text, ct_value_at(said, k));
    }
    putc('}', out);
out:
    ct_value_free(root);
    return status;
}

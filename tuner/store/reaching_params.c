/* reaching_params.c: see reaching_params.h.
 * Room: tuner/store. */
#include "reaching_params.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool params_in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* "P_TAPS" in the kernel's text; also as the beginning of "P_WINDOW_IS_hann". */
static bool params_is_named(const char *text, const char *name)
{
    char word[80] = "P_";
    size_t i = 2;
    for (; i + 1 < sizeof word && name[i - 2]; i++)
        word[i] = (char)toupper((unsigned char)name[i - 2]);
    word[i] = '\0';
    return strstr(text, word) != NULL;
}

/* Whole numbers give shapes; of the rest the text says what it uses, and where there is none
 * choices count, too. */
static bool params_reach(const ct_stage *stage, const ct_param *param)
{
    const char *text = stage->kernel.text;
    const bool choice =
        param->kind == CT_PARAM_BOOL || (param->kind == CT_PARAM_TEXT && param->choices);
    if (param->kind == CT_PARAM_INT) return true;
    if (param->kind != CT_PARAM_REAL && !choice) return false;
    return text ? params_is_named(text, param->name) : choice;
}

void ct_reaching_params_add(ct_text *text, const ct_step *step)
{
    for (const ct_param *p = step->stage->params; p && p->name; p++) {
        if (!params_reach(step->stage, p)) continue;
        ct_text_add(text, " %s=", p->name);
        if (p->kind == CT_PARAM_INT)
            ct_text_add(text, "%" PRId64, ct_step_int(step, p->name));
        else if (p->kind == CT_PARAM_BOOL)
            ct_text_add(text, "%d", ct_step_bool(step, p->name));
        else if (p->kind == CT_PARAM_REAL)
            ct_text_add(text, "%.17g", ct_step_real(step, p->name));
        else
            ct_text_add(text, "%s", ct_step_text(step, p->name) ? ct_step_text(step, p->name) : "");
    }
}

/* Whether the word that a definition gives stands anywhere else. */
static bool params_is_used(const char *source, const char *name, size_t length)
{
    for (const char *at = source; (at = strchr(at, 'P')) != NULL; at++)
        if (at != name && strncmp(at, name, length) == 0 && !params_in_word(at[length]) &&
            (at == source || !params_in_word(at[-1])))
            return true;
    return false;
}

void ct_reaching_params_text(ct_text *out, const char *source)
{
    static const char define[] = "#define ";
    for (const char *line = source; *line;) {
        const char *name = line + sizeof define - 1, *end = strchr(line, '\n');
        const size_t length = end ? (size_t)(end - line) + 1 : strlen(line);
        size_t word = 0;
        const bool defines = strncmp(line, "#define P_", strlen("#define P_")) == 0;
        while (defines && params_in_word(name[word]))
            word++;
        if (!defines || params_is_used(source, name, word))
            ct_text_add(out, "%.*s", (int)length, line);
        line += length;
    }
}

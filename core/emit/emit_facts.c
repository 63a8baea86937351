/* emit_facts.c: the plain numbers of a step as definitions.
 * Room: core/emit. Knows extents, tunables, parameters. Does not know accessors or launches. */
#include "emit_inner.h"
#include "word.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void facts_dims(ct_text *text)
{
    ct_text_add(text, "/* letters, to be compared with X_FASTEST */\n");
    for (int letter = 'A'; letter <= 'Z'; letter++)
        ct_text_add(text, "#define DIM_%c %d%s", letter, letter, "\n");
}

static void facts_extents(ct_text *text, const ct_step *step)
{
    int64_t extent;
    for (int letter = 'A'; letter <= 'Z'; letter++)
        if (ct_step_extent(step, (char)letter, &extent))
            ct_text_add(text, "#define N_%c %lld\n", letter, (long long)extent);
    ct_text_add(text, "#define OVERLAP %lld\n#define DECIMATE %lld\n#define GPU %d\n",
                (long long)step->overlap, (long long)ct_step_per_firing(step), step->gpu);
}

/* A literal that is read back as the same float, or double. */
static void facts_real(ct_text *text, double value, bool precise)
{
    char number[64];
    if (isinf(value) || isnan(value)) {
        ct_text_add(text, "(%s)", isnan(value) ? "NAN" : value > 0 ? "INFINITY" : "-INFINITY");
        return;
    }
    ct_number_print(number, sizeof number, "%.*g", precise ? 17 : 9, value);
    ct_text_add(text, "(%s%s%s)", number, strpbrk(number, ".e") ? "" : ".0", precise ? "" : "f");
}

static void facts_upper(char *out, size_t size, const char *name)
{
    size_t i;
    for (i = 0; i + 1 < size && name[i]; i++)
        out[i] = (char)toupper((unsigned char)name[i]);
    out[i] = 0;
}

static void facts_choices(ct_text *text, const ct_step *step, const ct_param *param,
                          const char *upper)
{
    const char *chosen = ct_step_text(step, param->name);
    char word[64];
    for (int i = 0; ct_word_at(param->choices, i, word, sizeof word); i++)
        ct_text_add(text, "#define P_%s_IS_%s %d\n", upper, word, chosen && !strcmp(chosen, word));
}

static void facts_param(ct_text *text, const ct_step *step, const ct_param *param, bool precise)
{
    char upper[64];
    facts_upper(upper, sizeof upper, param->name);
    if (param->kind == CT_PARAM_INT) {
        ct_text_add(text, "#define P_%s %lld\n", upper, (long long)ct_step_int(step, param->name));
    } else if (param->kind == CT_PARAM_BOOL) {
        ct_text_add(text, "#define P_%s %d\n", upper, ct_step_bool(step, param->name));
    } else if (param->kind == CT_PARAM_REAL) {
        ct_text_add(text, "#define P_%s ", upper);
        facts_real(text, ct_step_real(step, param->name), precise);
        ct_text_add(text, "\n");
    } else if (param->kind == CT_PARAM_TEXT && param->choices) {
        facts_choices(text, step, param, upper);
    }
}

void ct_emit_facts(ct_text *text, const ct_step *step, bool precise)
{
    facts_dims(text);
    facts_extents(text, step);
    for (int i = 0; i < ct_step_tunables(step); i++) {
        const ct_tunable *tunable = &step->stage->tuning.tunables[i];
        char word[64];
        ct_text_add(text, "#define %s %lld\n", tunable->name, (long long)step->tunable[i]);
        for (int n = 0; ct_word_at(tunable->values, n, word, sizeof word); n++)
            if (isalpha((unsigned char)word[0]))
                ct_text_add(text, "#define %s_IS_%s %d\n", tunable->name, word,
                            step->tunable[i] == n);
    }
    for (const ct_param *p = step->stage->params; p && p->name; p++)
        facts_param(text, step, p, precise);
}

/* illegal.c: why tunables are not legal together, and what to change.
 * Room: core/step. Knows conditions as texts. Does not know what is fast. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "step_inner.h"
#include "text.h"

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void say_names(const ct_step *step, const char *condition, ct_text *sentence);

/* "ROWS=16 (VECTORS_SP=2, VECTOR_SP=8)": of a term, what it is made of. False where the name has no
 * number. */
static bool say_name(const ct_step *step, const char *name, const char *before, ct_text *sentence)
{
    int64_t value;
    const char *term = ct_terms_find(step, name);
    if (ct_step_evaluate(step, name, &value, NULL) != CT_OK) return false;
    ct_text_add(sentence, "%s%s=%lld", before, name, (long long)value);
    if (!term) return true;
    ct_text_add(sentence, " (");
    say_names(step, term, sentence);
    ct_text_add(sentence, ")");
    return true;
}

/* "TILE_T=512, X_N_P=2": every name in the condition, once. */
static void say_names(const ct_step *step, const char *condition, ct_text *sentence)
{
    ct_text said = {0};
    for (const char *at = condition; *at;) {
        char name[64] = "", mark[68];
        size_t length = 0;
        while (is_name(at[length]) && length + 1 < sizeof name)
            length++;
        memcpy(name, at, length);
        at += length ? length : 1;
        if (!length || isdigit((unsigned char)name[0])) continue;
        snprintf(mark, sizeof mark, " %s,", name);
        if (said.data && strstr(said.data, mark)) continue;
        if (say_name(step, name, said.data ? ", " : "", sentence)) ct_text_add(&said, "%s", mark);
    }
    ct_text_free(&said);
}

static void say_condition(const ct_step *step, const ct_condition *condition, ct_text *sentence)
{
    int64_t value;
    ct_error why = {0};
    ct_text_add(sentence, ": %s does not hold for ", condition->text);
    say_names(step, condition->text, sentence);
    if (ct_expr_run(condition->expr, step, &value, &why) != CT_OK)
        ct_text_add(sentence, " (%s)", why.text);
}

static void say_tunable(const ct_step *step, int tunable, const char *before, ct_text *sentence)
{
    char word[32];
    ct_text_add(sentence, "%s%s=%s", before, step->stage->tuning.tunables[tunable].name,
                ct_step_tunable_word(step, tunable, word));
}

/* Changes of one tunable that are enough; false where there are none. */
static bool say_single_changes(ct_step *step, ct_text *sentence)
{
    bool any = false;
    for (int i = 0; i < ct_step_tunables(step); i++) {
        int64_t old = step->tunable[i];
        if (!ct_legal_mend_one(step, i, 1)) continue;
        say_tunable(step, i, any ? " or " : "; ", sentence);
        step->tunable[i] = old;
        any = true;
    }
    return any;
}

static void say_changes(ct_step *step, ct_text *sentence)
{
    int64_t old[CT_TUNABLES];
    bool any = say_single_changes(step, sentence);
    memcpy(old, step->tunable, sizeof old);
    for (int changes = 2; !any && changes <= 3; changes++) {
        if (!ct_legal_mend(step, changes)) continue;
        for (int i = 0; i < ct_step_tunables(step); i++) {
            if (step->tunable[i] == old[i]) continue;
            say_tunable(step, i, any ? " with " : "; ", sentence);
            any = true;
        }
    }
    memcpy(step->tunable, old, sizeof old);
    if (any) ct_text_add(sentence, " would be legal");
}

void ct_step_say_illegal(ct_step *step, ct_text *sentence)
{
    const ct_condition *failing = ct_legal_failing(step);
    if (failing) say_condition(step, failing, sentence);
    for (int i = 0; !failing && i < ct_step_tunables(step); i++)
        say_tunable(step, i, i ? ", " : ": ", sentence);
    if (!failing && step->stage->tuning.legal_why)
        ct_text_add(sentence, " (%s)", step->stage->tuning.legal_why);
    say_changes(step, sentence);
}

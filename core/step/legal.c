/* legal.c: which tunables are legal together, the nearest that are, and why some are not.
 * Room: core/step. Knows `where` and legal() of stages. Does not know what is fast.
 * Called by: tunable.c (defaults), plan.c (a plan's tunables), tuner. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "step_inner.h"
#include "text.h"

static bool holds(const ct_step *step, const char *condition)
{
    int64_t value = 0;
    return ct_step_evaluate(step, condition, &value, NULL) == CT_OK && value;
}

bool ct_step_is_legal(const ct_step *step)
{
    if (step->stage->where && !holds(step, step->stage->where)) return false;
    return !step->stage->legal || step->stage->legal(step);
}

/* ---- the nearest legal combination */

/* Where in the list of values the present one stands, or would stand. */
static int legal_place(const ct_step *step, int tunable)
{
    int place = 0;
    for (int n = 0; n < ct_step_tunable_count(step, tunable); n++) {
        int64_t value = ct_step_tunable_value(step, tunable, n);
        if (value == step->tunable[tunable]) return n;
        if (value < step->tunable[tunable]) place = n;
    }
    return place;
}

static bool legal_mend(ct_step *step, int first, int changes);

/* Tries the other values of one tunable, the nearest in the list first. */
static bool legal_mend_one(ct_step *step, int tunable, int changes)
{
    int count = ct_step_tunable_count(step, tunable), place = legal_place(step, tunable);
    int64_t old = step->tunable[tunable];
    for (int distance = 0; distance < count; distance++)
        for (int side = -1; side <= 1; side += 2) {
            int n = place + side * distance;
            if (n < 0 || n >= count) continue;
            step->tunable[tunable] = ct_step_tunable_value(step, tunable, n);
            if (step->tunable[tunable] == old) continue;
            if (legal_mend(step, tunable + 1, changes - 1)) return true;
        }
    step->tunable[tunable] = old;
    return false;
}

static bool legal_mend(ct_step *step, int first, int changes)
{
    if (changes == 0) return ct_step_is_legal(step);
    for (int i = first; i < ct_step_tunables(step); i++)
        if (legal_mend_one(step, i, changes)) return true;
    return false;
}

bool ct_legal_mend(ct_step *step, int changes)
{
    return legal_mend(step, 0, changes);
}

/* ---- why not */

/* Where the operator stands first outside parentheses, or the text's end. */
static const char *find_operator(const char *at, const char *operator)
{
    int depth = 0;
    for (; *at; at++) {
        depth += (*at == '(') - (*at == ')');
        if (depth == 0 && strncmp(at, operator, 2) == 0) return at;
    }
    return at;
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* "TILE_T=512, X_N_P=2": every name in the condition, once. */
static void say_names(const ct_step *step, const char *condition, ct_text *sentence)
{
    ct_text said = {0};
    for (const char *at = condition; *at;) {
        char name[64] = "", mark[68];
        size_t length = 0;
        int64_t value;
        while (is_name(at[length]) && length + 1 < sizeof name)
            length++;
        memcpy(name, at, length);
        at += length ? length : 1;
        if (!length || isdigit((unsigned char)name[0])) continue;
        snprintf(mark, sizeof mark, " %s,", name);
        if (said.data && strstr(said.data, mark)) continue;
        if (ct_step_evaluate(step, name, &value, NULL) != CT_OK) continue;
        ct_text_add(sentence, "%s%s=%lld", said.data ? ", " : "", name, (long long)value);
        ct_text_add(&said, "%s", mark);
    }
    ct_text_free(&said);
}

/* The part of `where` that does not hold: a condition between "&&", unless there are "||" too. */
static void find_condition(const ct_step *step, const char *where, ct_text *out)
{
    bool apart = *find_operator(where, "||") == 0;
    for (const char *at = where; *at;) {
        const char *end = apart ? find_operator(at, "&&") : at + strlen(at), *last = end;
        at += strspn(at, " ");
        while (last > at && last[-1] == ' ')
            last--;
        ct_text_free(out);
        ct_text_add(out, "%.*s", (int)(last - at), at);
        if (!holds(step, out->data)) return;
        at = *end ? end + 2 : end;
    }
}

static void say_condition(const ct_step *step, ct_text *sentence)
{
    ct_text condition = {0};
    find_condition(step, step->stage->where, &condition);
    if (condition.data) {
        ct_text_add(sentence, ": %s does not hold for ", condition.data);
        say_names(step, condition.data, sentence);
    }
    ct_text_free(&condition);
}

static void say_tunable(const ct_step *step, int tunable, const char *before, ct_text *sentence)
{
    char word[32];
    ct_text_add(sentence, "%s%s=%s", before, step->stage->tunables[tunable].name,
                ct_step_tunable_word(step, tunable, word));
}

/* Changes of one tunable that are enough; false where there are none. */
static bool say_single_changes(ct_step *step, ct_text *sentence)
{
    bool any = false;
    for (int i = 0; i < ct_step_tunables(step); i++) {
        int64_t old = step->tunable[i];
        if (!legal_mend_one(step, i, 1)) continue;
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
    bool where = step->stage->where && !holds(step, step->stage->where);
    if (where) say_condition(step, sentence);
    for (int i = 0; !where && i < ct_step_tunables(step); i++)
        say_tunable(step, i, i ? ", " : ": ", sentence);
    say_changes(step, sentence);
}

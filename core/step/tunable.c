/* tunable.c: a step's tunables: declared values, defaults, what users set.
 * Room: core/step. Knows ct_tunable. Does not know what is legal (legal.c) or fast. */
#include "class_defaults.h"
#include "fail.h"
#include "step_inner.h"
#include "suggest.h"
#include "text.h"
#include "word.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ct_step_tunables(const ct_step *step)
{
    int count = 0;
    for (const ct_tunable *t = step->stage->tuning.tunables; t && t->name; t++)
        count++;
    return count;
}

int ct_tunable_find(const ct_step *step, const char *name)
{
    const ct_tunable *first = step->stage->tuning.tunables;
    for (const ct_tunable *t = first; t && t->name; t++)
        if (!strcmp(t->name, name)) return (int)(t - first);
    return -1;
}

/* A stage asks only for what it declares. */
static int tunable_declared(const ct_step *step, const char *name)
{
    int place = ct_tunable_find(step, name);
    if (place < 0) ct_step_complain(step, "tunable", name);
    return place;
}

int64_t ct_step_tunable(const ct_step *step, const char *name)
{
    if (!step || !name) return 0;
    int place = tunable_declared(step, name);
    return place < 0 ? 0 : step->tunable[place];
}

void ct_step_suggest(ct_step *step, const char *name, int64_t value)
{
    if (!step || !name) return;
    int place = tunable_declared(step, name);
    if (place >= 0) step->tunable[place] = value;
}

int64_t ct_tunable_below(const ct_step *step, int tunable)
{
    const ct_step_inner *inner = ct_step_in(step);
    int64_t below = 0;
    for (int n = 0; n < inner->value_count[tunable]; n++)
        if (inner->values[tunable][n] < step->tunable[tunable]) below = inner->values[tunable][n];
    return below;
}

int64_t ct_step_next_below(const ct_step *step, const char *name)
{
    if (!step || !name) return 0;
    int place = tunable_declared(step, name);
    return place < 0 ? 0 : ct_tunable_below(step, place);
}

static bool tunable_is_number(const char *word)
{
    return isdigit((unsigned char)word[0]) || (word[0] == '-' && isdigit((unsigned char)word[1]));
}

/* The number that a word of `values` stands for. */
static int64_t tunable_number(const ct_tunable *tunable, const char *word)
{
    return tunable_is_number(word) ? strtoll(word, NULL, 10) : ct_word_find(tunable->values, word);
}

void ct_tunable_read_values(ct_step *step)
{
    ct_step_inner *inner = ct_step_in(step);
    for (int i = 0; i < ct_step_tunables(step); i++) {
        const ct_tunable *tunable = &step->stage->tuning.tunables[i];
        char word[64];
        int count = 0;
        while (ct_word_at(tunable->values, count, word, sizeof word))
            count++;
        inner->values[i] = ct_arena_get(inner->arena, (size_t)count * sizeof(int64_t));
        if (!inner->values[i]) return;
        inner->value_count[i] = count;
        for (int n = 0; n < count && ct_word_at(tunable->values, n, word, sizeof word); n++)
            inner->values[i][n] = tunable_number(tunable, word);
    }
}

int ct_step_tunable_count(const ct_step *step, int tunable)
{
    return ct_step_in(step)->value_count[tunable];
}

int64_t ct_step_tunable_value(const ct_step *step, int tunable, int n)
{
    const ct_step_inner *inner = ct_step_in(step);
    return n >= 0 && n < inner->value_count[tunable] ? inner->values[tunable][n] : 0;
}

bool ct_step_tunable_declared(const ct_step *step, int tunable, int64_t value)
{
    for (int n = 0; n < ct_step_tunable_count(step, tunable); n++)
        if (ct_step_tunable_value(step, tunable, n) == value) return true;
    return false;
}

const char *ct_step_value_word(const ct_step *step, int tunable, int64_t value, char buffer[32])
{
    const char *values = step->stage->tuning.tunables[tunable].values;
    char word[32];
    for (int n = 0; ct_word_at(values, n, word, sizeof word); n++)
        if (tunable_number(&step->stage->tuning.tunables[tunable], word) == value)
            return memcpy(buffer, word, sizeof word);
    snprintf(buffer, 32, "%lld", (long long)value);
    return buffer;
}

const char *ct_step_tunable_word(const ct_step *step, int tunable, char buffer[32])
{
    return ct_step_value_word(step, tunable, step->tunable[tunable], buffer);
}

static ct_status tunable_fail_name(const ct_step *step, const char *name, ct_error *err)
{
    const char *names[CT_TUNABLES + 1] = {NULL};
    char near[CT_SUGGEST_SAY];
    for (int i = 0; i < ct_step_tunables(step); i++)
        names[i] = step->stage->tuning.tunables[i].name;
    ct_suggest_say(near, name, names);
    ct_text list = {0};
    for (int i = 0; names[i] && !*near; i++)
        ct_text_add(&list, "%s%s", i ? ", " : "; expected ", names[i]);
    if (!names[0]) ct_text_add(&list, ", nor any other");
    const ct_status status =
        ct_error_add(err, CT_INVALID, "%s has no tunable \"%s\"%s%s", step->stage->name, name, near,
                     list.data ? list.data : "");
    ct_text_free(&list);
    return status;
}

/* Stages suggest smaller values than the declared ones, and values between them. None has provided
 * for larger ones, nor for a number in place of a word. */
static bool tunable_takes(const ct_step *step, int place, const char *word)
{
    const ct_tunable *tunable = &step->stage->tuning.tunables[place];
    int64_t least = 1, most = 1;
    char *end;
    if (ct_word_find(tunable->values, word) >= 0) return true;
    const int64_t number = strtoll(word, &end, 10);
    if (end == word || *end != '\0' || !tunable_is_number(tunable->values)) return false;
    for (int n = 0; n < ct_step_tunable_count(step, place); n++) {
        const int64_t value = ct_step_tunable_value(step, place, n);
        if (value < least) least = value;
        if (value > most) most = value;
    }
    return number >= least && number <= most;
}

int ct_step_read_tunable(const ct_step *step, const char *name, const char *word,
                         int64_t values[CT_TUNABLES], ct_error *err)
{
    int place = ct_tunable_find(step, name);
    if (place < 0) {
        tunable_fail_name(step, name, err);
        return -1;
    }
    const ct_tunable *tunable = &step->stage->tuning.tunables[place];
    if (!tunable_takes(step, place, word)) {
        ct_error_add(err, CT_INVALID, "tunable %s: expected one of %s, found %s", name,
                     tunable->values, word);
        return -1;
    }
    values[place] = tunable_number(tunable, word);
    return place;
}

ct_status ct_step_set_tunable(ct_step *step, const char *name, const char *word, ct_error *err)
{
    return ct_step_read_tunable(step, name, word, step->tunable, err) < 0 ? CT_INVALID : CT_OK;
}

void ct_step_default_tunables(ct_step *step)
{
    for (int i = 0; i < ct_step_tunables(step); i++) {
        const ct_tunable *tunable = &step->stage->tuning.tunables[i];
        step->tunable[i] = tunable_number(tunable, step->gpu ? tunable->gpu : tunable->cpu);
    }
    ct_class_defaults_set(step, ct_class_defaults_table());
    if (step->stage->tuning.suggest) step->stage->tuning.suggest(step);
    for (int changes = 0; changes <= 3; changes++)
        if (ct_legal_mend(step, changes)) return;
}

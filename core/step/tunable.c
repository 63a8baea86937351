/* tunable.c: a step's tunables: declared values, defaults, expressions of them.
 * Room: core/step. Knows ct_tunable. Does not know what is legal (legal.c) or fast.
 * Called by: plan.c and tuner (setting), emit.c (words and expressions). */
#include "expr.h"
#include "fail.h"
#include "step_inner.h"
#include "text.h"
#include "word.h"
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ct_step_tunables(const ct_step *step)
{
    int count = 0;
    for (const ct_tunable *t = step->stage->tunables; t && t->name; t++)
        count++;
    return count;
}

static int tunable_find(const ct_step *step, const char *name)
{
    const ct_tunable *first = step->stage->tunables;
    for (const ct_tunable *t = first; t && t->name; t++)
        if (!strcmp(t->name, name)) return (int)(t - first);
    return -1;
}

int64_t ct_step_tunable(const ct_step *step, const char *name)
{
    int place = tunable_find(step, name);
    assert(place >= 0 && "a stage asks only for tunables that it declares");
    return step->tunable[place];
}

void ct_step_suggest(ct_step *step, const char *name, int64_t value)
{
    int place = tunable_find(step, name);
    assert(place >= 0);
    step->tunable[place] = value;
}

int64_t ct_step_next_below(const ct_step *step, const char *name)
{
    int place = tunable_find(step, name);
    int64_t below = 0;
    assert(place >= 0);
    for (int n = 0; n < ct_step_tunable_count(step, place); n++) {
        int64_t value = ct_step_tunable_value(step, place, n);
        if (value < step->tunable[place]) below = value;
    }
    return below;
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

int ct_step_tunable_count(const ct_step *step, int tunable)
{
    char word[64];
    int count = 0;
    while (ct_word_at(step->stage->tunables[tunable].values, count, word, sizeof word))
        count++;
    return count;
}

int64_t ct_step_tunable_value(const ct_step *step, int tunable, int n)
{
    char word[64] = "0";
    ct_word_at(step->stage->tunables[tunable].values, n, word, sizeof word);
    return tunable_number(&step->stage->tunables[tunable], word);
}

bool ct_step_tunable_declared(const ct_step *step, int tunable, int64_t value)
{
    for (int n = 0; n < ct_step_tunable_count(step, tunable); n++)
        if (ct_step_tunable_value(step, tunable, n) == value) return true;
    return false;
}

const char *ct_step_value_word(const ct_step *step, int tunable, int64_t value, char buffer[32])
{
    const char *values = step->stage->tunables[tunable].values;
    char word[32];
    for (int n = 0; ct_word_at(values, n, word, sizeof word); n++)
        if (tunable_number(&step->stage->tunables[tunable], word) == value)
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
    const char *names[CT_TUNABLES + 1] = {NULL}, *nearest;
    for (int i = 0; i < ct_step_tunables(step); i++)
        names[i] = step->stage->tunables[i].name;
    nearest = ct_suggest_nearest(name, names);
    return ct_error_add(err, CT_INVALID, "%s has no tunable \"%s\"%s%s%s", step->stage->name, name,
                        nearest ? "; did you mean \"" : "", nearest ? nearest : "",
                        nearest ? "\"?" : "");
}

/* Stages suggest smaller values than the declared ones, and values between them. None has provided
 * for larger ones, nor for a number in place of a word. */
static bool tunable_takes(const ct_step *step, int place, const char *word)
{
    const ct_tunable *tunable = &step->stage->tunables[place];
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
    int place = tunable_find(step, name);
    if (place < 0) {
        tunable_fail_name(step, name, err);
        return -1;
    }
    const ct_tunable *tunable = &step->stage->tunables[place];
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

/* ---- the names that expressions may use */

static bool tunable_find_extent(const ct_step *step, int port, char letter, int64_t *value)
{
    char letters[CT_DIMS + 1], aliases[CT_DIMS + 1];
    const char *place;
    if (step->port[port].type == CT_NONE) return false;
    ct_step_letters(step, port, letters, aliases);
    place = letter ? strchr(letters, letter) : NULL;
    if (!place) return false;
    *value = ct_array_extent(&step->port[port], aliases[place - letters]);
    return true;
}

bool ct_step_extent(const ct_step *step, char letter, int64_t *value)
{
    bool found = false;
    for (int i = 0; i < ct_step_ports(step); i++) {
        int64_t one;
        if (!tunable_find_extent(step, i, letter, &one)) continue;
        if (found && one != *value) return false;
        *value = one;
        found = true;
    }
    return found;
}

/* "X_N_C" */
static bool tunable_find_port_extent(const ct_step *step, const char *name, int64_t *value)
{
    for (int i = 0; i < ct_step_ports(step); i++) {
        const char *port = step->stage->ports[i].name;
        size_t length = strlen(port);
        if (!strncmp(name, port, length) && !strncmp(name + length, "_N_", 3) &&
            strlen(name + length) == 4)
            return tunable_find_extent(step, i, name[length + 3], value);
    }
    return false;
}

/* "taps" or "P_TAPS" */
static bool tunable_find_param(const ct_step *step, const char *name, int64_t *value)
{
    char small[64] = "";
    const ct_param *param;
    for (size_t i = 0; i + 1 < sizeof small && name[i]; i++)
        small[i] = (char)tolower((unsigned char)name[i]);
    param = ct_param_find(step->stage, !strncmp(small, "p_", 2) ? small + 2 : small, NULL);
    if (!param || (param->kind != CT_PARAM_INT && param->kind != CT_PARAM_BOOL)) return false;
    *value = param->kind == CT_PARAM_INT ? ct_step_int(step, param->name)
                                         : ct_step_bool(step, param->name);
    return true;
}

static bool tunable_find_step(const ct_step *step, const char *name, int64_t *value)
{
    if (!strcmp(name, "GPU"))
        *value = step->gpu;
    else if (!strcmp(name, "OVERLAP"))
        *value = step->overlap;
    else if (!strcmp(name, "DECIMATE"))
        *value = step->decimate / step->gather;
    else
        return false;
    return true;
}

static bool tunable_find_have(const ct_step *step, const char *name, int64_t *value)
{
    int port = strncmp(name, "HAVE_", 5) != 0 ? -1 : ct_step_find_port(step, name + 5);
    if (port < 0) return false;
    *value = step->port[port].type != CT_NONE;
    return true;
}

/* "X_IS_ci8" */
static bool tunable_find_type(const ct_step *step, const char *name, int64_t *value)
{
    for (int i = 0; i < ct_step_ports(step); i++) {
        const char *port = step->stage->ports[i].name;
        size_t length = strlen(port);
        if (strncmp(name, port, length) != 0 || strncmp(name + length, "_IS_", 4) != 0) continue;
        *value = step->port[i].type == ct_type_parse(name + length + 4);
        return true;
    }
    return false;
}

static bool tunable_find_name(const void *of, const char *name, int64_t *value)
{
    const ct_step *step = of;
    int place = tunable_find(step, name);
    if (place >= 0) {
        *value = step->tunable[place];
        return true;
    }
    if (!strncmp(name, "N_", 2) && strlen(name) == 3) return ct_step_extent(step, name[2], value);
    return tunable_find_step(step, name, value) || tunable_find_have(step, name, value) ||
           tunable_find_type(step, name, value) || tunable_find_port_extent(step, name, value) ||
           tunable_find_param(step, name, value);
}

ct_status ct_step_evaluate(const ct_step *step, const char *expression, int64_t *out, ct_error *err)
{
    ct_names names = {tunable_find_name, step};
    return ct_expr_evaluate(out, expression, names, err);
}

void ct_step_default_tunables(ct_step *step)
{
    for (int i = 0; i < ct_step_tunables(step); i++) {
        const ct_tunable *tunable = &step->stage->tunables[i];
        step->tunable[i] = tunable_number(tunable, step->gpu ? tunable->gpu : tunable->cpu);
    }
    if (step->stage->suggest) step->stage->suggest(step);
    for (int changes = 0; changes <= 3; changes++)
        if (ct_legal_mend(step, changes)) return;
}

/* legal.c: which tunables are legal together, and the nearest that are.
 * Room: core/step. Knows `where` and legal() of stages. Does not know what is fast. */
#include <string.h>

#include "fail.h"
#include "step_inner.h"

/* ---- reading `where` */

/* "||" and "?" bind weaker than "&&": with them outside parentheses all is one condition. */
static bool is_whole(const char *where)
{
    return where[ct_expr_until(where, "||")] || where[ct_expr_until(where, "?")];
}

/* The length of the condition that begins at *at, which loses its blanks in front; *next is where
 * another one begins, or NULL. */
static size_t measure(const char **at, bool whole, const char **next)
{
    *at += strspn(*at, " ");
    size_t length = whole ? strlen(*at) : ct_expr_until(*at, "&&");
    *next = (*at)[length] ? *at + length + 2 : NULL;
    while (length > 0 && (*at)[length - 1] == ' ')
        length--;
    return length;
}

const char *ct_stage_condition(const ct_stage *stage, int n, size_t *length)
{
    if (!stage || !length) return NULL;
    const char *at = stage->tuning.where, *next = NULL;
    const bool whole = at && is_whole(at);
    for (; at; at = next, n--) {
        *length = measure(&at, whole, &next);
        if (n == 0) break;
    }
    return at;
}

static ct_status parse_condition(ct_step *step, const char *text, size_t length, ct_error *err)
{
    ct_status status = CT_OK;
    ct_step_inner *inner = ct_step_in(step);
    const int n = inner->condition_count;
    ct_condition one = {.text = ct_arena_print(inner->arena, "%.*s", (int)length, text)};
    CT_TRY(ct_arena_check(inner->arena, err));
    CT_TRY(ct_memory_grow(&inner->conditions, (size_t)(n + 1) * sizeof one, err));
    CT_TRY(ct_expr_new(&one.expr, one.text, ct_step_names(step), err));
    one.tunables = ct_expr_uses(one.expr);
    inner->conditions[inner->condition_count++] = one;
out:
    if (status == CT_INVALID)
        (void)ct_error_add(err, status, "stage %s: `where` cannot be used", step->stage->name);
    return status;
}

ct_status ct_legal_parse(ct_step *step, ct_error *err)
{
    ct_status status = CT_OK;
    const char *at = step->stage->tuning.where, *next = NULL;
    const bool whole = at && is_whole(at);
    for (; at && status == CT_OK; at = next) {
        const size_t length = measure(&at, whole, &next);
        status = parse_condition(step, at, length, err);
    }
    return status;
}

void ct_legal_free(ct_step *step)
{
    ct_step_inner *inner = ct_step_in(step);
    for (int n = 0; n < inner->condition_count; n++)
        ct_expr_free(inner->conditions[n].expr);
    ct_memory_free(inner->conditions);
}

/* ---- asking it */

static bool holds(const ct_step *step, const ct_condition *condition)
{
    int64_t value = 0;
    return ct_expr_run(condition->expr, step, &value, NULL) == CT_OK && value;
}

const ct_condition *ct_legal_failing(const ct_step *step)
{
    const ct_step_inner *inner = ct_step_in(step);
    for (int n = 0; n < inner->condition_count; n++)
        if (!holds(step, &inner->conditions[n])) return &inner->conditions[n];
    return NULL;
}

bool ct_step_is_legal(const ct_step *step)
{
    return !ct_legal_failing(step) &&
           (!step->stage->tuning.legal || step->stage->tuning.legal(step));
}

bool ct_step_is_legal_so_far(const ct_step *step, int tunable)
{
    const ct_step_inner *inner = ct_step_in(step);
    for (int n = 0; n < inner->condition_count; n++) {
        const ct_condition *condition = &inner->conditions[n];
        if ((condition->tunables | 1) >> tunable == 1 && !holds(step, condition)) return false;
    }
    return true;
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

/* Combinations that one search tries: four times what the stages of the library have within three
 * changes, and short of a second for one with all the tunables that there may be. */
enum { LEGAL_TRIES = 1 << 15 };

static bool legal_mend(ct_step *step, int first, int changes, int *left);

/* Tries the other values of one tunable, the nearest in the list first. */
static bool mend_one(ct_step *step, int tunable, int changes, int *left)
{
    int count = ct_step_tunable_count(step, tunable), place = legal_place(step, tunable);
    int64_t old = step->tunable[tunable];
    for (int distance = 0; distance<count && * left> 0; distance++)
        for (int side = -1; side <= 1; side += 2) {
            int n = place + side * distance;
            if (n < 0 || n >= count) continue;
            step->tunable[tunable] = ct_step_tunable_value(step, tunable, n);
            if (step->tunable[tunable] == old) continue;
            if (legal_mend(step, tunable + 1, changes - 1, left)) return true;
        }
    step->tunable[tunable] = old;
    return false;
}

static bool legal_mend(ct_step *step, int first, int changes, int *left)
{
    if (changes == 0) return --*left >= 0 && ct_step_is_legal(step);
    for (int i = first; i < ct_step_tunables(step); i++)
        if (mend_one(step, i, changes, left)) return true;
    return false;
}

bool ct_legal_mend_one(ct_step *step, int tunable, int changes)
{
    int left = LEGAL_TRIES;
    return mend_one(step, tunable, changes, &left);
}

bool ct_legal_mend(ct_step *step, int changes)
{
    int left = LEGAL_TRIES;
    return legal_mend(step, 0, changes, &left);
}

/* ---- the nearest around one that is to stay */

static bool around_one(ct_step *step, int keep, const bool *fixed, int first, int changes)
{
    if (changes == 0) return ct_step_is_legal(step);
    for (int i = first; i < ct_step_tunables(step); i++) {
        const int64_t old = step->tunable[i];
        if (i == keep || (fixed && fixed[i])) continue;
        for (int n = 0; n < ct_step_tunable_count(step, i); n++) {
            step->tunable[i] = ct_step_tunable_value(step, i, n);
            if (step->tunable[i] != old && around_one(step, keep, fixed, i + 1, changes - 1))
                return true;
        }
        step->tunable[i] = old;
    }
    return false;
}

bool ct_step_mend_around(ct_step *step, int tunable, const bool *fixed)
{
    for (int changes = 0; changes <= 2; changes++)
        if (around_one(step, tunable, fixed, 0, changes)) return true;
    return false;
}

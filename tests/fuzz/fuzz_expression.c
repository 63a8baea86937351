/* fuzz_expression.c: expressions of stages (core/step names them): the first line is one, the lines
 * after it are the texts of the terms A, B, C and so on, which may name each other.
 * Room: tests/fuzz. Knows base/expr.h. */
#include "fuzz.h"

#include "expr.h"

#include <stdlib.h>
#include <string.h>

enum { TERMS = 8 };

typedef struct names {
    const char *term[TERMS];
} names;

static bool load(const void *of, const ct_slot *slot, int64_t *value)
{
    static const int64_t numbers[] = {0, 1, -1, 7, 4096, INT64_MAX, INT64_MIN};
    (void)of;
    *value = numbers[slot->number];
    return slot->letter != 'x';
}

/* "N0" to "N6" are numbers, "X0" is one that has no value here. */
static bool bind(const void *of, const char *name, ct_slot *slot, const char **text)
{
    const names *all = of;
    if (name[0] >= 'A' && name[0] < 'A' + TERMS && !name[1]) *text = all->term[name[0] - 'A'];
    if (*text) return true;
    if ((name[0] != 'N' && name[0] != 'X') || name[1] < '0' || name[1] > '6' || name[2])
        return false;
    *slot = (ct_slot){.load = load, .number = name[1] - '0', .uses = UINT64_C(1) << name[1] % 64};
    if (name[0] == 'X') slot->letter = 'x';
    return true;
}

void fuzz_begin(void)
{
}

void fuzz_one(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    names all = {{0}};
    ct_error err = {0};
    int64_t value, again;
    char *line = text;
    for (int i = 0; i < TERMS && (line = strchr(line, '\n')); i++) {
        *line++ = 0;
        all.term[i] = line;
    }
    const ct_names bound = {bind, &all};
    const ct_status status = ct_expr_evaluate(&value, text, bound, &err);
    fuzz_said(status, &err);
    if (ct_expr_evaluate(&again, text, bound, NULL) != status || (!status && again != value))
        fuzz_fail("an expression has two values");
    if (ct_expr_until(text, "&&") > strlen(text)) fuzz_fail("a part beyond the end");
    free(text);
}

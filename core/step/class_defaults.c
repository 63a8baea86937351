/* class_defaults.c: see class_defaults.h.
 * Room: core/step. */
#include "class_defaults.h"

#include <stdio.h>
#include <string.h>

#include "step_inner.h"
#include "tunable_defaults_tsv.h"
#include "word.h"

const char *ct_class_defaults_table(void)
{
    return tunable_defaults_tsv;
}

/* A field of a line, up to the tab or the line's end; what does not fit is cut off. */
static const char *take_field(const char *at, char *out, size_t size)
{
    const size_t length = strcspn(at, "\t\n");
    snprintf(out, size, "%.*s", (int)length, at);
    return at + length + (at[length] == '\t');
}

bool ct_class_defaults_next(const char **at, ct_class_default *row)
{
    while (**at == '#' || **at == '\n') {
        *at += strcspn(*at, "\n");
        *at += **at == '\n';
    }
    if (!**at) return false;
    *at = take_field(*at, row->stage, sizeof row->stage);
    *at = take_field(*at, row->of_class, sizeof row->of_class);
    *at = take_field(*at, row->tunables, sizeof row->tunables);
    *at = take_field(*at, row->measured, sizeof row->measured);
    *at += strcspn(*at, "\n");
    return true;
}

ct_device_class ct_class_defaults_class(const ct_class_default *row)
{
    ct_device_class all = 0;
    char word[32];
    for (int n = 0; ct_word_at(row->of_class, n, word, sizeof word); n++) {
        const ct_device_class bit = ct_device_class_find(word, strlen(word));
        if (!bit) return 0;
        all |= bit;
    }
    return all;
}

bool ct_class_defaults_at(const ct_class_default *row, int n, char tunable[32], char value[32])
{
    char both[64];
    if (!ct_word_at(row->tunables, n, both, sizeof both)) return false;
    const size_t length = strcspn(both, "=");
    snprintf(tunable, 32, "%.*s", (int)length, both);
    snprintf(value, 32, "%s", both + length + (both[length] == '='));
    return true;
}

static void set_row(ct_step *step, const ct_class_default *row)
{
    char tunable[32], value[32];
    for (int n = 0; ct_class_defaults_at(row, n, tunable, value); n++)
        (void)ct_step_set_tunable(step, tunable, value, NULL);
}

void ct_class_defaults_set(ct_step *step, const char *table)
{
    const ct_device_class of = ct_step_in(step)->of_class;
    ct_class_default row;
    while (ct_class_defaults_next(&table, &row)) {
        if (strcmp(row.stage, step->stage->name) != 0) continue;
        const ct_device_class all = ct_class_defaults_class(&row);
        if (all && (of & all) == all) set_row(step, &row);
    }
}

/* launches.c: the key "launches" of a stage's page: kernels that run one after the other.
 * Room: stages/own. Knows ct_launch. Does not know what the kernels do. */
#include <stddef.h>
#include <string.h>

#include "keys.h"

/* One expression for each of up to three axes, the fastest first. */
static void take_axes(ct_own_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    const char **axes = out;
    const size_t count = ct_value_kind(value) == CT_LIST ? ct_value_count(value) : 1;
    if (count < 1 || count > 3) {
        ct_own_say(reader, pointer, false, "expected one to three expressions, found %zu", count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const bool list = ct_value_kind(value) == CT_LIST;
        const char number[2] = {(char)('0' + i), 0};
        const int before = reader->said_count;
        ct_own_expression(reader, list ? ct_value_at(value, i) : value,
                          list ? ct_own_pointer(reader, pointer, number) : pointer, &axes[i]);
        if (reader->said_count > before) reader->said[before].least = 1;
    }
}

#define AT(member) offsetof(ct_own_launch, member)
static const ct_own_key launch_keys[] = {{"entry", ct_own_text, AT(entry), true},
                                         {"global", take_axes, AT(global), true},
                                         {"local", take_axes, AT(local), false},
                                         {0}};
#undef AT

static void take_launch(ct_own_reader *reader, const ct_value *value, const char *pointer,
                        void *out)
{
    ct_own_launch *launch = out;
    ct_own_keys(reader, value, pointer, launch_keys, launch);
    launch->pointer = pointer;
    for (int i = 0; launch->local[0] && i < 3; i++)
        if (launch->local[i] && !launch->global[i])
            ct_own_say(reader, ct_own_pointer(reader, pointer, "local"), false,
                       "expected at most as many expressions as \"global\" has");
    ct_own_check_kernel(reader, ct_own_pointer(reader, pointer, "entry"), reader->stage->source,
                        reader->stage->source_name, launch->entry);
}

void ct_own_launches(ct_own_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    const size_t count = ct_value_count(value);
    (void)out;
    if (ct_value_kind(value) != CT_LIST || count < 1 || count > CT_LAUNCHES) {
        ct_own_say(reader, pointer, false, "expected a list of 1 to %d launches", CT_LAUNCHES);
        return;
    }
    reader->own->launches =
        ct_own_rows(reader, value, pointer, false, sizeof(ct_own_launch), take_launch);
    reader->own->launch_count = (int)count;
    reader->stage->launch = ct_own_launch_all;
}

/* ---- when the step runs */

/* Work-items of one axis: whole groups. -1: the expression has no value here. */
static int64_t axis(const ct_step *step, const char *global, const char *local, size_t *group)
{
    int64_t items = 1, size = 0;
    if (global && (ct_step_evaluate(step, global, &items, NULL) != CT_OK || items < 1)) return -1;
    if (local && (ct_step_evaluate(step, local, &size, NULL) != CT_OK || size < 1)) return -1;
    *group = (size_t)size;
    return size ? ct_divide_up(items, size) * size : items;
}

int ct_own_launch_all(const ct_step *step, ct_launch *out)
{
    const ct_own *own = ct_own_of(step);
    for (int n = 0; n < own->launch_count; n++) {
        const ct_own_launch *launch = &own->launches[n];
        out[n].entry = launch->entry;
        for (int i = 0; i < 3; i++) {
            const int64_t items = axis(step, launch->global[i], launch->local[i], &out[n].local[i]);
            if (items < 0) return -1;
            out[n].global[i] = (size_t)items;
            if (launch->local[0] && !launch->local[i]) out[n].local[i] = 1;
        }
    }
    return own->launch_count;
}

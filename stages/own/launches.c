/* launches.c: the key "launches" of a stage's page: kernels that run one after the other.
 * Room: stages/own. Knows ct_stage_launch. Does not know what the kernels do. */
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
        ct_own_number(reader, list ? ct_value_at(value, i) : value,
                      list ? ct_own_pointer(reader, pointer, number) : pointer, &axes[i],
                      CT_SAID_SIZE, 1);
    }
}

typedef struct own_launch {
    const char *entry, *parallel, *global[3], *local[3];
} own_launch;

#define AT(member) offsetof(own_launch, member)
static const ct_own_key launch_keys[] = {{"entry", ct_own_text, AT(entry), true},
                                         {"parallel", ct_own_parallel, AT(parallel), false},
                                         {"global", take_axes, AT(global), false},
                                         {"local", take_axes, AT(local), false},
                                         {0}};
#undef AT

/* In the language of `parallel`: "(X_N_C):(WG), (X_N_T)". */
static const char *print_axes(ct_own_reader *reader, const own_launch *launch)
{
    ct_text text = {0};
    for (int i = 0; i < 3 && launch->global[i]; i++) {
        ct_text_add(&text, "%s(%s)", i ? ", " : "", launch->global[i]);
        if (launch->local[i]) ct_text_add(&text, ":(%s)", launch->local[i]);
    }
    const char *copy = ct_arena_copy(reader->arena, text.data ? text.data : "");
    if (text.failed) ct_arena_lacks(reader->arena, text.lacks);
    ct_text_free(&text);
    return copy;
}

static void check_launch(ct_own_reader *reader, const own_launch *launch, const char *pointer)
{
    if (!launch->parallel == !launch->global[0])
        ct_own_say(reader, pointer, true,
                   "expected either \"parallel\" or \"global\": which work-items there are");
    if (launch->parallel && launch->local[0])
        ct_own_say(
            reader, ct_own_pointer(reader, pointer, "local"), true,
            "\"local\" goes with \"global\"; in \"parallel\" a local size stands behind ':'");
    for (int i = 0; launch->global[0] && i < 3; i++)
        if (launch->local[i] && !launch->global[i])
            ct_own_say(reader, ct_own_pointer(reader, pointer, "local"), false,
                       "expected at most as many expressions as \"global\" has");
    ct_own_check_kernel(reader, ct_own_pointer(reader, pointer, "entry"),
                        reader->stage->kernel.text, reader->stage->kernel.name, launch->entry);
}

static void take_launch(ct_own_reader *reader, const ct_value *value, const char *pointer,
                        void *out)
{
    own_launch launch = {0};
    ct_stage_launch *row = out;
    ct_own_keys(reader, value, pointer, launch_keys, &launch);
    if (ct_value_kind(value) == CT_OBJECT) check_launch(reader, &launch, pointer);
    row->entry = launch.entry ? launch.entry : "unnamed"; /* said already */
    row->parallel = launch.parallel ? launch.parallel : print_axes(reader, &launch);
}

void ct_own_launches(ct_own_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    const size_t count = ct_value_count(value);
    (void)out;
    if (ct_value_kind(value) != CT_LIST || count < 1 || count > CT_LAUNCHES)
        ct_own_say(reader, pointer, false, "expected a list of 1 to %d launches", CT_LAUNCHES);
    else
        reader->stage->kernel.launches =
            ct_own_rows(reader, value, pointer, false, sizeof(ct_stage_launch), take_launch);
}

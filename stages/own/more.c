/* more.c: what a page has as texts and files where other stages have functions: tables' kernels,
 * cases' arrays.
 * Room: stages/own. Knows a descriptor's tables. Does not know how it is used. */
#include <string.h>

#include "keys.h"

void ct_own_add_fill(ct_own_reader *reader, const char *port, const char *entry)
{
    reader->fills[reader->fill_count++] = (ct_fill){port, entry};
}

static void add_array(ct_own_reader *reader, const char *port, const char *file)
{
    if (reader->array_count + 1 >= reader->array_room) {
        const int room = 2 * reader->array_room + 8;
        ct_case_array *more = ct_arena_get(reader->arena, (size_t)room * sizeof *more);
        if (!more) return; /* the arena knows */
        if (reader->arrays)
            memcpy(more, reader->arrays, (size_t)reader->array_count * sizeof *more);
        reader->arrays = more;
        reader->array_room = room;
    }
    reader->arrays[reader->array_count++] = (ct_case_array){reader->number, port, file, NULL};
}

static ct_direction direction_of(const ct_stage *stage, const char *name)
{
    for (int i = 0; i < CT_PORTS && stage->ports[i].name; i++)
        if (!strcmp(stage->ports[i].name, name)) return stage->ports[i].direction;
    return CT_TABLE;
}

/* {"X": "x.npy"}: files are beside the page. */
void ct_own_case_arrays(ct_own_reader *reader, const ct_value *value, const char *pointer,
                        void *out)
{
    const bool inputs = !strcmp(strrchr(pointer, '/'), "/inputs");
    (void)out;
    if (ct_value_kind(value) != CT_OBJECT)
        ct_own_say(reader, pointer, false, "expected an object such as {\"X\": \"x.npy\"}");
    for (size_t i = 0; ct_value_kind(value) == CT_OBJECT && i < ct_value_count(value); i++) {
        const char *port = ct_value_key(value, i), *inner = ct_own_pointer(reader, pointer, port);
        const char *file = NULL;
        ct_own_text(reader, ct_value_at(value, i), inner, &file);
        if (direction_of(reader->stage, port) != (inputs ? CT_IN : CT_OUT))
            ct_own_say(reader, inner, true, "there is no %s \"%.60s\"", inputs ? "input" : "output",
                       port);
        else if (file)
            add_array(reader, ct_arena_copy(reader->arena, port),
                      *file == '/' ? file
                                   : ct_arena_print(reader->arena, "%s%s", reader->folder, file));
    }
}

void ct_own_more(ct_own_reader *reader)
{
    ct_fill *fills = ct_arena_get(reader->arena, sizeof reader->fills);
    if (!fills) return; /* the arena knows */
    memcpy(fills, reader->fills, sizeof reader->fills);
    if (reader->fill_count) reader->stage->kernel.fills = fills;
    reader->stage->verify.arrays = reader->arrays;
}

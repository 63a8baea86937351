/* ports.c: the key "ports" of a stage's page.
 * Room: stages/own. Knows ct_port's fields as keys. Does not know which dims or types there are. */
#include "keys.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

/* One port as the page has it. */
typedef struct own_port_row {
    int direction;
    ct_port port;
    ct_own_port own;
    bool optional, flags, exact, accumulate, carry, fixed;
    const char *kernel;
} own_port_row;

static void take_direction(ct_own_reader *reader, const ct_value *value, const char *pointer,
                           void *out)
{
    static const char *const words[] = {[CT_IN] = "in",
                                        [CT_OUT] = "out",
                                        [CT_TABLE] = "table",
                                        [CT_SCRATCH] = "scratch",
                                        [CT_SCRATCH + 1] = NULL};
    *(int *)out = ct_own_choice(reader, value, pointer, words);
}

static ct_type take_type(ct_own_reader *reader, const char *word, const char *pointer)
{
    const ct_type type = word ? ct_type_parse(word) : CT_NONE;
    if (type == CT_NONE)
        ct_own_say(reader, pointer, false, "expected a type, found \"%.60s\"", word ? word : "");
    return type;
}

/* "f32 cf32", or of an output {"cf32": "ci8", "f32": "i8"}: by the first port's type. */
static void take_types(ct_own_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    own_port_row *row = out;
    const size_t count = ct_value_count(value);
    ct_text words = {0};
    if (ct_value_kind(value) != CT_OBJECT) {
        ct_own_words(reader, value, pointer, &row->port.types);
        return;
    }
    ct_own_type *types = ct_arena_get(reader->arena, (count + 1) * sizeof *types);
    for (size_t i = 0; types && i < count; i++) {
        const char *from = ct_value_key(value, i), *at = ct_own_pointer(reader, pointer, from);
        const char *to = ct_value_text(ct_value_at(value, i), "");
        types[i] = (ct_own_type){take_type(reader, from, at), take_type(reader, to, at)};
        if (types[i].to != CT_NONE) ct_text_add(&words, "%s%s", words.length ? " " : "", to);
    }
    row->own.types = types;
    if (words.data) row->port.types = ct_arena_copy(reader->arena, words.data);
    if (words.failed) ct_arena_lacks(reader->arena, words.lacks);
    ct_text_free(&words);
}

/* {"T": "P_SUM", "C": "P_MEAN"}: each at least 1. */
static void take_amounts(ct_own_reader *reader, const ct_value *value, const char *pointer,
                         void *out)
{
    const size_t count = ct_value_count(value);
    ct_own_amount *amounts = ct_arena_get(reader->arena, (count + 1) * sizeof *amounts);
    int n = 0;
    if (ct_value_kind(value) != CT_OBJECT) {
        ct_own_say(reader, pointer, false, "expected an object such as {\"T\": \"P_SUM\"}");
        return;
    }
    for (size_t i = 0; amounts && i < count; i++) {
        const char *key = ct_value_key(value, i), *at = ct_own_pointer(reader, pointer, key);
        const char *text = NULL;
        ct_own_number(reader, ct_value_at(value, i), at, &text, CT_SAID_SHAPE, 1);
        if (!isupper((unsigned char)key[0]) || key[1])
            ct_own_say(reader, at, true, "expected a dimension's letter, found \"%.60s\"", key);
        else if (text)
            amounts[n++] = (ct_own_amount){key[0], text, at};
    }
    *(const ct_own_amount **)out = amounts;
}

#define AT(member) offsetof(own_port_row, member)
static const ct_own_key port_keys[] = {{"is", take_direction, AT(direction), true},
                                       {"dims", ct_own_text, AT(port.dims), true},
                                       {"types", take_types, 0, true},
                                       {"layout", ct_own_text, AT(port.layout), false},
                                       {"prefer", ct_own_text, AT(port.prefer), false},
                                       {"help", ct_own_text, AT(port.help), false},
                                       {"optional", ct_own_bool, AT(optional), false},
                                       {"flags", ct_own_bool, AT(flags), false},
                                       {"exact", ct_own_bool, AT(exact), false},
                                       {"accumulate", ct_own_bool, AT(accumulate), false},
                                       {"carry", ct_own_bool, AT(carry), false},
                                       {"fixed", ct_own_bool, AT(fixed), false},
                                       {"from", ct_own_text, AT(own.from), false},
                                       {"kernel", ct_own_text, AT(kernel), false},
                                       {"group", take_amounts, AT(own.group), false},
                                       {"extents", take_amounts, AT(own.extents), false},
                                       {0}};
#undef AT

static void check_amounts(ct_own_reader *reader, const ct_port *port, const ct_own_amount *amounts,
                          bool group)
{
    const char *first = reader->stage->ports[0].dims;
    for (; amounts && amounts->letter; amounts++) {
        if (strcmp(port->dims, "*") != 0 && !strchr(port->dims, amounts->letter))
            ct_own_say(reader, amounts->pointer, true, "port %s has no dimension %c (dims \"%s\")",
                       port->name, amounts->letter, port->dims);
        else if (group && first && strcmp(first, "*") != 0 && !strchr(first, amounts->letter))
            ct_own_say(reader, amounts->pointer, true,
                       "port %s, whose neighbours are to be grouped, has no dimension %c",
                       reader->stage->ports[0].name, amounts->letter);
        else if (!group && amounts->letter == 'T' && port->direction == CT_OUT)
            ct_own_say(reader, amounts->pointer, true,
                       "the samples of an output follow from \"group\": {\"T\": ...}");
    }
}

/* Whether the first port may have a letter of this dimension ("S" or "[BS]"). */
static bool is_shared(const char *dims, size_t length, const char *first)
{
    if (!strcmp(first, "*")) return true;
    for (size_t i = 0; i < length; i++)
        if (isupper((unsigned char)dims[i]) && strchr(first, dims[i])) return true;
    return false;
}

static bool has_amount(const ct_own_amount *amounts, const char *dims, size_t length)
{
    for (; amounts && amounts->letter; amounts++)
        if (memchr(dims, amounts->letter, length)) return true;
    return false;
}

/* What no input has needs its size. */
static void check_sizes(ct_own_reader *reader, const ct_port *port, const ct_own_port *own,
                        const char *pointer)
{
    const char *first = reader->stage->ports[0].dims;
    if (port->direction == CT_IN || own->from || !first || !strcmp(port->dims, "*")) return;
    for (const char *at = port->dims; *at;) {
        const size_t length = *at == '[' ? strcspn(at, "]") + (strchr(at, ']') != NULL) : 1;
        const bool optional = at[length] == '?';
        if (!optional && !is_shared(at, length, first) && !has_amount(own->extents, at, length))
            ct_own_say(reader, ct_own_pointer(reader, pointer, "dims"), false,
                       "dims \"%s\": how many of %.*s? expected \"extents\": {\"%c\": ...}, since "
                       "port %s has none",
                       port->dims, (int)length, at, at[*at == '['], reader->stage->ports[0].name);
        at += length + optional;
    }
}

static void check_table(ct_own_reader *reader, const own_port_row *row, const char *pointer)
{
    const bool table = row->port.direction == CT_TABLE;
    if (row->own.from && !table)
        ct_own_say(reader, ct_own_pointer(reader, pointer, "from"), true,
                   "only a table comes from a file");
    if (table && !row->own.from && !row->kernel)
        ct_own_say(reader, pointer, true,
                   "expected \"from\": the parameter that names the table's file, or \"kernel\": "
                   "the one that fills it");
    if (row->kernel && !table)
        ct_own_say(reader, ct_own_pointer(reader, pointer, "kernel"), true,
                   "only a table is filled by a kernel");
    else if (row->kernel && row->own.from)
        ct_own_say(reader, ct_own_pointer(reader, pointer, "kernel"), true,
                   "expected either \"from\" or \"kernel\", found both");
    else if (row->kernel)
        ct_own_add_fill(reader, row->port.name, row->kernel);
}

static void add_port(ct_own_reader *reader, own_port_row *row, const char *name,
                     const char *pointer, int place)
{
    static const struct {
        size_t at;
        unsigned flag;
    } flags[] = {{offsetof(own_port_row, optional), CT_PORT_OPTIONAL},
                 {offsetof(own_port_row, flags), CT_PORT_FLAGS},
                 {offsetof(own_port_row, exact), CT_PORT_EXACT},
                 {offsetof(own_port_row, accumulate), CT_PORT_ACCUMULATE},
                 {offsetof(own_port_row, carry), CT_PORT_CARRY},
                 {offsetof(own_port_row, fixed), CT_PORT_FIXED}};
    ct_port *port = &reader->stage->ports[place];
    *port = row->port;
    port->name = ct_arena_copy(reader->arena, name);
    port->direction = row->direction < 0 ? CT_IN : (ct_direction)row->direction;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (*((const bool *)row + flags[i].at)) port->flags |= flags[i].flag;
    reader->own->port[place] = row->own;
    check_amounts(reader, port, row->own.group, true);
    check_amounts(reader, port, row->own.extents, false);
    check_sizes(reader, port, &row->own, pointer);
    if (row->own.types && port->direction != CT_OUT)
        ct_own_say(reader, ct_own_pointer(reader, pointer, "types"), true,
                   "only an output's type follows from that of port %s",
                   reader->stage->ports[0].name);
    row->port.direction = port->direction;
    row->port.name = port->name;
    if (row->direction >= 0) check_table(reader, row, pointer);
}

void ct_own_ports(ct_own_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    (void)out;
    const size_t count = ct_value_count(value);
    if (ct_value_kind(value) != CT_OBJECT || count == 0 || count > CT_PORTS) {
        ct_own_say(reader, pointer, false, "expected an object of 1 to %d ports", CT_PORTS);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const char *name = ct_value_key(value, i);
        const char *inner = ct_own_pointer(reader, pointer, name);
        own_port_row row = {.direction = -1,
                            .port = {.dims = "*", .types = "*", .layout = "*", .help = ""}};
        ct_own_keys(reader, ct_value_at(value, i), inner, port_keys, &row);
        add_port(reader, &row, name, inner, (int)i);
    }
}

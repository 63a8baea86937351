/* read.c: a page of JSON and a kernel -> an ordinary ct_stage.
 * Room: stages/own. Knows the page's keys. Does not know whether the descriptor that it makes is
 * consistent: that is checked when it is added. */
#include "keys.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "digest.h"
#include "fail.h"
#include "file.h"
#include "suggest.h"

static void take_format(ct_own_reader *reader, const ct_value *value, const char *pointer,
                        void *out)
{
    int64_t format = 1;
    (void)out;
    ct_own_int(reader, value, pointer, &format);
    if (format != 1)
        ct_own_say(reader, pointer, false,
                   "expected the number 1: this program reads version 1 of the format, found %lld",
                   (long long)format);
}

static void take_version(ct_own_reader *reader, const ct_value *value, const char *pointer,
                         void *out)
{
    int64_t version = 1;
    (void)out;
    ct_own_int(reader, value, pointer, &version);
    if (version < 1 || version > UINT32_MAX)
        ct_own_say(reader, pointer, false, "expected a version of at least 1, found %lld",
                   (long long)version);
    else
        reader->stage->version = (uint32_t)version;
}

static void take_source(ct_own_reader *reader, const ct_value *value, const char *pointer,
                        void *out)
{
    (void)out;
    ct_own_text(reader, value, pointer, &reader->stage->kernel.name);
    if (reader->stage->kernel.name)
        reader->stage->kernel.text = ct_own_source(reader, pointer, reader->stage->kernel.name);
}

static void take_overlap_kind(ct_own_reader *reader, const ct_value *value, const char *pointer,
                              void *out)
{
    static const char *const words[] = {
        [CT_HISTORY] = "history", [CT_VALID] = "valid", [CT_VALID + 1] = NULL};
    const int kind = ct_own_choice(reader, value, pointer, words);
    (void)out;
    if (kind >= 0) reader->own->overlap_kind = (ct_overlap_kind)kind;
}

static void take_overlap(ct_own_reader *reader, const ct_value *value, const char *pointer,
                         void *out)
{
    (void)out;
    ct_own_number(reader, value, pointer, &reader->own->overlap, CT_SAID_SHAPE, 0);
}

static void take_grain(ct_own_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    (void)out;
    ct_own_number(reader, value, pointer, &reader->own->grain, CT_SAID_SHAPE, 1);
}

static void take_flops(ct_own_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    (void)out;
    ct_own_number(reader, value, pointer, &reader->own->flops, CT_SAID_COUNT, 0);
    if (reader->own->flops) reader->stage->flops = ct_own_flops;
}

static void take_require(ct_own_reader *reader, const ct_value *value, const char *pointer,
                         void *out)
{
    (void)out;
    ct_own_rules(reader, value, pointer, &reader->own->rules);
}

static void take_reference(ct_own_reader *reader, const ct_value *value, const char *pointer,
                           void *out)
{
    ct_stage_verify *verify = &reader->stage->verify;
    (void)out;
    ct_own_text(reader, value, pointer, &verify->name);
    if (verify->name) verify->text = ct_own_source(reader, pointer, verify->name);
}

static void take_leaves_out(ct_own_reader *reader, const ct_value *value, const char *pointer,
                            void *out)
{
    bool leaves_out = false;
    (void)out;
    ct_own_bool(reader, value, pointer, &leaves_out);
    if (leaves_out) reader->stage->traits |= CT_STAGE_LEAVES_OUT;
}

/* In the order in which they are read: cases need the parameters' kinds. */
#define AT(member) offsetof(ct_stage, member)
static const ct_own_key page_keys[] = {{"cornerturn", take_format, 0, true},
                                       {"stage", ct_own_text, AT(name), true},
                                       {"version", take_version, 0, false},
                                       {"summary", ct_own_text, AT(summary), false},
                                       {"source", take_source, 0, true},
                                       {"entry", ct_own_text, AT(kernel.entry), false},
                                       {"ports", ct_own_ports, 0, true},
                                       {"params", ct_own_params, AT(params), false},
                                       {"require", take_require, 0, false},
                                       {"overlap", take_overlap, 0, false},
                                       {"overlap_kind", take_overlap_kind, 0, false},
                                       {"grain", take_grain, 0, false},
                                       {"parallel", ct_own_parallel, AT(kernel.parallel), false},
                                       {"split", ct_own_words, AT(split), false},
                                       {"leaves_out", take_leaves_out, 0, false},
                                       {"launches", ct_own_launches, 0, false},
                                       {"where", ct_own_text, AT(tuning.where), false},
                                       {"tunables", ct_own_tunables, AT(tuning.tunables), false},
                                       {"tiles", ct_own_tiles, AT(kernel.tiles), false},
                                       {"terms", ct_own_terms, AT(tuning.terms), false},
                                       {"flops", take_flops, 0, false},
                                       {"reference", take_reference, 0, false},
                                       {"tolerance", ct_own_real, AT(verify.tolerance), false},
                                       {"cases", ct_own_cases, AT(verify.cases), false},
                                       {0}};
#undef AT

/* ---- what keys say of each other */

static void say_no_param(ct_own_reader *reader, const char *pointer, const char *name)
{
    const char *names[64] = {NULL};
    char near[CT_SUGGEST_SAY];
    int count = 0;
    for (const ct_param *p = reader->stage->params; p && p->name && count < 63; p++)
        names[count++] = p->name;
    ct_own_say(reader, pointer, false, "there is no parameter \"%s\"%s", name,
               ct_suggest_say(near, name, names));
}

static void check_from(ct_own_reader *reader, int port)
{
    const ct_stage *stage = reader->stage;
    const char *from = reader->own->port[port].from;
    if (!from || stage->ports[port].direction != CT_TABLE) return;
    const char *pointer = ct_arena_print(reader->arena, "/ports/%s/from", stage->ports[port].name);
    const ct_param *param = ct_own_param(stage, from);
    if (!param)
        say_no_param(reader, pointer, from);
    else if (param->kind != CT_PARAM_FILE)
        ct_own_say(reader, pointer, false, "expected a parameter of kind \"file\", found \"%s\"",
                   from);
    else if (!param->otherwise && !(stage->ports[port].flags & CT_PORT_OPTIONAL))
        ct_own_say(reader, pointer, false,
                   "the table is not optional, and so \"%s\" must be \"needed\" or have a default",
                   from);
}

/* Sources and sinks are functions of the host. */
static void check_role(ct_own_reader *reader)
{
    bool has[CT_SCRATCH + 1] = {false};
    const ct_port *ports = reader->stage->ports;
    for (int i = 0; i < CT_PORTS && ports[i].name; i++)
        has[ports[i].direction] = true;
    if (ports[0].name && (!has[CT_IN] || !has[CT_OUT]))
        ct_own_say(reader, "/ports", true, "expected at least one \"in\" and one \"out\"");
}

static void check_page(ct_own_reader *reader)
{
    const ct_stage *stage = reader->stage;
    check_role(reader);
    if (!reader->stage->kernel.launches && !stage->kernel.entry)
        ct_own_say(reader, "", true, "missing \"entry\": the kernel's name, or \"launches\"");
    if (reader->stage->kernel.launches && stage->kernel.parallel)
        ct_own_say(reader, "/parallel", true,
                   "expected either \"parallel\" or \"launches\", found both");
    ct_own_check_kernel(reader, "/entry", stage->kernel.text, stage->kernel.name,
                        stage->kernel.entry);
    for (int i = 0; i < reader->fill_count; i++)
        ct_own_check_kernel(
            reader, ct_arena_print(reader->arena, "/ports/%s/kernel", reader->fills[i].port),
            stage->kernel.text, stage->kernel.name, reader->fills[i].entry);
    for (int i = 0; i < CT_PORTS && stage->ports[i].name; i++)
        check_from(reader, i);
    for (const ct_own_rule *rule = reader->own->rules; rule && rule->that; rule++)
        if (rule->param && !ct_own_param(reader->stage, rule->param))
            say_no_param(reader, ct_own_pointer(reader, rule->pointer, "param"), rule->param);
}

/* ---- files */

static void add_file(ct_own_reader *reader, const char *path)
{
    if (reader->file_count + 1 >= reader->file_room) {
        const int room = 2 * reader->file_room + 8;
        const char **more = ct_arena_get(reader->arena, (size_t)room * sizeof *more);
        if (!more) return; /* the arena knows */
        if (reader->files) memcpy(more, reader->files, (size_t)reader->file_count * sizeof *more);
        reader->files = more;
        reader->file_room = room;
    }
    reader->files[reader->file_count++] = path;
}

static void add_text(ct_own_reader *reader, const char *name, const char *text)
{
    ct_text_add(&reader->texts, "%s %zu\n%s\n", name, strlen(text), text);
}

const char *ct_own_file(ct_own_reader *reader, const char *pointer, const char *name)
{
    ct_error why = {0};
    char *text = NULL;
    size_t length = 0;
    const char *path =
        *name == '/' ? name : ct_arena_print(reader->arena, "%s%s", reader->folder, name);
    const char *copy = NULL;
    if (ct_file_read(&text, &length, path, &why) != CT_OK)
        ct_own_say(reader, pointer, false, "%s", why.text);
    else if (strlen(text) != length)
        ct_own_say(reader, pointer, false, "%s: expected a text, found a byte of value 0", path);
    else
        copy = ct_arena_copy(reader->arena, text);
    if (copy) {
        add_file(reader, path);
        add_text(reader, name, copy);
    }
    ct_memory_free(text);
    return copy;
}

/* "mine/power.json" -> "mine/" */
static const char *folder_of(ct_arena *arena, const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? ct_arena_print(arena, "%.*s", (int)(slash + 1 - file), file) : "";
}

static ct_status read_page(ct_own_reader *reader, const char *file, ct_value **root, ct_error *err)
{
    ct_status status = CT_OK;
    char *text = NULL;
    size_t length = 0;
    ct_description *description = &reader->own->description;
    CT_TRY(ct_file_read(&text, &length, file, err));
    CT_TRY(ct_value_parse(root, text, file, err));
    description->file = ct_arena_copy(reader->arena, file);
    description->text = ct_arena_copy(reader->arena, text);
    reader->folder = folder_of(reader->arena, description->file);
    add_file(reader, description->file);
    add_text(reader, "page", description->text);
    if (ct_value_kind(*root) != CT_OBJECT)
        status =
            ct_error_add(err, CT_INVALID,
                         "%s:1:1: expected a stage: an object with the keys \"cornerturn\" and "
                         "\"stage\"",
                         file);
out:
    ct_memory_free(text);
    return status;
}

/* ---- all of it */

static const char *digest_of(ct_own_reader *reader)
{
    char digest[CT_DIGEST_SIZE];
    ct_digest_text(digest, reader->texts.data, reader->texts.length);
    return ct_arena_copy(reader->arena, digest);
}

static void finish(ct_own_reader *reader)
{
    ct_stage *stage = reader->stage;
    ct_description *description = &reader->own->description;
    description->expressions = reader->said;
    description->files = reader->files;
    stage->digest = digest_of(reader);
    ct_own_more(reader);
    stage->of = reader->own;
    stage->infer = ct_own_infer;
    stage->table = ct_own_table;
    if (!stage->name) stage->name = "unnamed"; /* said already */
    if (!stage->kernel.entry && reader->stage->kernel.launches)
        stage->kernel.entry = reader->stage->kernel.launches[0].entry;
}

ct_status ct_own_read(ct_stage *out, ct_description *description, ct_arena *arena, const char *file,
                      ct_error *err)
{
    ct_status status = CT_OK;
    ct_value *root = NULL;
    ct_own_reader reader = {.arena = arena, .err = err, .stage = out};
    *out = (ct_stage){.api = CT_API, .version = 1, .summary = ""};
    reader.own = ct_arena_get(arena, sizeof *reader.own);
    CT_TRY(ct_arena_check(arena, err));
    CT_TRY(read_page(&reader, file, &root, err));
    ct_own_keys(&reader, root, "", page_keys, out);
    check_page(&reader);
    CT_TRY(ct_text_check(&reader.texts, err));
    finish(&reader);
    CT_TRY(ct_arena_check(arena, err));
    *description = reader.own->description;
    if (reader.wrong) status = CT_INVALID;
out:
    ct_value_free(root);
    ct_text_free(&reader.texts);
    return status;
}

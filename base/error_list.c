/* error_list.c: sentences as they stand in a ct_error, as a list for programs: "file:line:column:
 * /pointer: sentence", of which all but the sentence may be missing.
 * Room: base. Knows the form of the sentences. Does not know what they say. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cornerturn_stage.h"
#include "fail.h"
#include "json_text.h"
#include "memory.h"

typedef struct parts {
    char *file, *pointer, *sentence; /* NULL: not there */
    long line, column;               /* 0: not there */
} parts;

/* ":12" and what follows; NULL if there is no number. */
static char *take_number(char *at, long *number)
{
    char *end;
    if (*at != ':' || !isdigit((unsigned char)at[1])) return NULL;
    *number = strtol(at + 1, &end, 10);
    return end;
}

/* Cuts "name:3:14: " off; a file's name may have colons itself. */
static void take_place(parts *p)
{
    for (char *at = strchr(p->sentence, ':'); at; at = strchr(at + 1, ':')) {
        char *next = take_number(at, &p->line);
        next = next ? take_number(next, &p->column) : NULL;
        if (!next || strncmp(next, ": ", 2) != 0) continue;
        *at = 0;
        p->file = p->sentence;
        p->sentence = next + 2;
        return;
    }
    p->line = p->column = 0;
}

/* A place that has no line: "plan.json: /nodes/fir: ". */
static void take_file(parts *p)
{
    char *at = strstr(p->sentence, ": /");
    if (!at || memchr(p->sentence, ' ', (size_t)(at - p->sentence))) return;
    *at = 0;
    p->file = p->sentence;
    p->sentence = at + 2;
}

static void take_pointer(parts *p)
{
    char *end = p->sentence[0] == '/' ? strstr(p->sentence, ": ") : NULL;
    if (!end) return;
    *end = 0;
    p->pointer = p->sentence;
    p->sentence = end + 2;
}

static void add_sentence(ct_text *json, char *line)
{
    parts p = {.sentence = line};
    take_place(&p);
    if (!p.file) take_file(&p);
    if (p.file) take_pointer(&p);
    ct_json_open(json, NULL, '{');
    if (p.file) ct_json_add_text(json, "file", p.file);
    if (p.line) ct_json_add_int(json, "line", p.line);
    if (p.line) ct_json_add_int(json, "column", p.column);
    if (p.pointer) ct_json_add_text(json, "pointer", p.pointer);
    ct_json_add_text(json, "sentence", p.sentence);
    ct_json_close(json, '}');
}

void ct_error_list_add(ct_text *json, const char *key, const char *sentences)
{
    char *copy = ct_memory_copy(sentences);
    if (!copy) {
        ct_text_lacks(json, strlen(sentences) + 1);
        return;
    }
    ct_json_open(json, key, '[');
    for (char *line = copy, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next) *next++ = 0;
        add_sentence(json, line);
    }
    ct_json_close(json, ']');
    ct_memory_free(copy);
}

ct_status ct_error_list(char **out, const char *sentences, ct_error *err)
{
    CT_GIVEN(err, out);
    ct_text json = {0};
    ct_error_list_add(&json, NULL, sentences ? sentences : "");
    ct_text_add(&json, "\n");
    return ct_text_take(out, &json, err);
}

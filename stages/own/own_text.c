/* own_text.c: a kernel's text with the files beside it that it includes put in.
 * Room: stages/own. Knows lines and "#include". Does not know OpenCL beyond comments. */
#include <string.h>

#include "keys.h"

enum { MOST = 256, DEEPEST = 16 }; /* files that a kernel includes; and inside each other */

typedef struct own_include {
    const char *name; /* the text that is being read */
    const char *pointer;
    int depth;
    int *left; /* files that may follow; none after a mistake that would come again and again */
} own_include;

static void include_text(ct_own_reader *reader, const own_include *at, const char *text,
                         ct_text *out);

/* The name that a line includes, "x.cl"; NULL where it is another line. */
static const char *included(const char *line, size_t *length)
{
    line += strspn(line, " \t");
    if (*line++ != '#') return NULL;
    line += strspn(line, " \t");
    if (strncmp(line, "include", 7) != 0) return NULL;
    line += 7 + strspn(line + 7, " \t");
    if (*line++ != '"') return NULL;
    *length = strcspn(line, "\"\n");
    return line[*length] == '"' ? line : NULL;
}

/* Whether a comment that goes over lines is open after this one. */
static bool comment_after(const char *line, size_t length, bool open)
{
    for (size_t i = 0; i + 1 < length; i++) {
        if (!open && line[i] == '/' && line[i + 1] == '/') break;
        if (!open && line[i] == '/' && line[i + 1] == '*') {
            open = true;
            i++;
        } else if (open && line[i] == '*' && line[i + 1] == '/') {
            open = false;
            i++;
        }
    }
    return open;
}

/* Why this file is not included; NULL: it is. */
static const char *refusal(const own_include *at, const char *name)
{
    if (strchr(name, '/')) return "only files beside it are included";
    if (at->depth == DEEPEST) return "too many files include each other";
    return *at->left == 0 ? "too many files are included" : NULL;
}

static void include_file(ct_own_reader *reader, const own_include *at, const char *name, int line,
                         ct_text *out)
{
    const own_include inner = {name, at->pointer, at->depth + 1, at->left};
    const char *why = refusal(at, name);
    if (*at->left < 0) return;
    if (why) {
        ct_own_say(reader, at->pointer, false, "%s:%d: \"%s\": %s", at->name, line, name, why);
        if (!strchr(name, '/')) *at->left = -1;
        return;
    }
    --*at->left;
    const char *text = ct_own_file(reader, at->pointer, name);
    if (!text) return;
    ct_text_add(out, "#line 1 \"%s\"\n", name);
    include_text(reader, &inner, text, out);
    ct_text_add(out, "#line %d \"%s\"\n", line + 1, at->name);
}

static void include_text(ct_own_reader *reader, const own_include *at, const char *text,
                         ct_text *out)
{
    bool comment = false;
    for (int line = 1; *text; line++) {
        const size_t end = strcspn(text, "\n"), whole = end + (text[end] == '\n');
        size_t length = 0;
        const char *name = comment ? NULL : included(text, &length);
        comment = comment_after(text, end, comment);
        if (name)
            include_file(reader, at, ct_arena_print(reader->arena, "%.*s", (int)length, name), line,
                         out);
        else
            ct_text_add(out, "%.*s", (int)whole, text);
        text += whole;
        if (!*text && whole == end) ct_text_add(out, "\n");
    }
}

const char *ct_own_source(ct_own_reader *reader, const char *pointer, const char *name)
{
    int left = MOST;
    const own_include at = {name, pointer, 0, &left};
    const char *text = ct_own_file(reader, pointer, name);
    ct_text out = {0};
    if (!text) return NULL;
    include_text(reader, &at, text, &out);
    const char *copy = ct_arena_copy(reader->arena, out.data ? out.data : "");
    if (out.failed) ct_arena_lacks(reader->arena, out.lacks);
    ct_text_free(&out);
    return copy;
}

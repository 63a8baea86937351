/* layout_pattern.c: the orders that a port accepts: "*", "*C", "T*", "T*C", "CTSP".
 *
 * Room: layouts. Knows letters. Does not know ports ("=X" is resolved before) or costs. */
#include <assert.h>
#include <string.h>

#include "layout.h"

/* A pattern with the absent letters left out: `head`, then anything (where open), then `tail`. */
typedef struct ct_frame {
    char head[CT_DIMS + 1], tail[CT_DIMS + 1];
    bool open;
} ct_frame;

static void append(char *word, char letter)
{
    const size_t length = strlen(word);
    assert(length < CT_DIMS);
    word[length] = letter;
    word[length + 1] = '\0';
}

static ct_frame frame_of(const char *pattern, const char *present)
{
    ct_frame frame = {0};
    for (; *pattern; pattern++) {
        if (*pattern == '*')
            frame.open = true;
        else if (strchr(present, *pattern))
            append(frame.open ? frame.tail : frame.head, *pattern);
    }
    return frame;
}

bool ct_layout_matches(const ct_layout *layout, const char *pattern)
{
    const ct_frame frame = frame_of(pattern, layout->dim);
    const size_t head = strlen(frame.head), tail = strlen(frame.tail);
    const size_t rank = (size_t)layout->rank;
    if (!frame.open) return strcmp(layout->dim, frame.head) == 0;
    return head + tail <= rank && strncmp(layout->dim, frame.head, head) == 0 &&
           strcmp(layout->dim + rank - tail, frame.tail) == 0;
}

/* Appends the letters of `from` that `array` has and `word` and `but` lack. */
static void append_new(char *word, const char *from, const ct_array *array, const char *but)
{
    for (; *from; from++)
        if (ct_array_find(array, *from) >= 0 && !strchr(word, *from) && !strchr(but, *from))
            append(word, *from);
}

ct_layout ct_layout_fit(const ct_array *array, const char *pattern, const ct_layout *wish)
{
    const ct_frame frame = frame_of(pattern, array->dim);
    ct_layout layout = {0};
    append_new(layout.dim, frame.head, array, "");
    append_new(layout.dim, wish->dim, array, frame.tail);
    append_new(layout.dim, array->dim, array, frame.tail);
    append_new(layout.dim, frame.tail, array, "");
    layout.rank = (int)strlen(layout.dim);
    assert(ct_layout_covers(&layout, array));
    return layout;
}

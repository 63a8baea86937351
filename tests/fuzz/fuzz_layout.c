/* fuzz_layout.c: layouts and patterns of them as text: the first line is a layout, the second one a
 * pattern, the third one a wish.
 * Room: tests/fuzz. Knows layouts/layout.h. */
#include "fuzz.h"

#include "layout.h"

#include <stdlib.h>
#include <string.h>

void fuzz_begin(void)
{
}

/* An array of a layout has its dimensions, and as many elements as its extents say. */
static void check_array(const ct_layout *layout)
{
    ct_array array = {.type = CT_F32};
    int64_t count = 1;
    for (int i = 0; i < layout->rank; i++, count *= i + 1)
        if (!ct_array_add(&array, layout->dim[layout->rank - 1 - i], i + 2))
            fuzz_fail("a layout with a dimension that an array cannot have");
    if (!ct_layout_covers(layout, &array) || !ct_array_dense(&array, layout))
        fuzz_fail("a layout that does not cover its own dimensions");
    if (ct_array_span(&array) != ct_array_count(&array) || !ct_layout_equal(layout, &array.layout))
        fuzz_fail("a dense array with gaps");
}

static void check_fit(const ct_layout *layout, const char *pattern, const char *wish_text)
{
    ct_array array = {.type = CT_F32};
    ct_layout wish = {0};
    if (layout->rank > 6) return; /* all orders are looked through */
    for (int i = 0; i < layout->rank; i++)
        ct_array_add(&array, layout->dim[i], 2);
    if (wish_text) (void)ct_layout_parse(&wish, wish_text, NULL);
    if (!ct_layout_covers(&wish, &array)) wish.rank = 0;
    const ct_layout fit = ct_layout_fit(&array, pattern, &wish);
    (void)ct_layout_matches(layout, pattern);
    if (!ct_layout_covers(&fit, &array)) fuzz_fail("a layout that fits has other dimensions");
}

/* Patterns come from stages, whose descriptors are checked: stars, and letters once. */
static bool is_pattern(const char *text)
{
    for (const char *at = text; *at; at++)
        if (*at != '*' && (*at < 'A' || *at > 'Z' || strchr(at + 1, *at))) return false;
    return *text != 0;
}

void fuzz_one(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *pattern = strchr(text, '\n'), *wish = NULL;
    ct_layout layout = {0};
    ct_error err = {0};
    if (pattern) *pattern++ = 0;
    if (pattern && (wish = strchr(pattern, '\n'))) *wish++ = 0;
    const ct_status status = ct_layout_parse(&layout, text, &err);
    fuzz_said(status, &err);
    if (status == CT_OK) check_array(&layout);
    if (status == CT_OK && pattern && is_pattern(pattern)) check_fit(&layout, pattern, wish);
    free(text);
}

/* layout.c: reading, comparing and counting orders of dimensions.
 *
 * Room: layouts. Knows letters and names. Does not know patterns (layout_pattern.c), memory, JSON.
 */
#include "layout.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "text.h"

static ct_status fail_word(const char *text, const char *word, ct_error *err)
{
    const char *near = ct_dim_nearest(word);
    return ct_error_add(
        err, CT_INVALID,
        "layout \"%s\": \"%s\" is no dimension; expected a capital letter or a name "
        "such as \"station\"%s%s%s",
        text, word, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

static ct_status fail_split(const char *text, const char *where, ct_error *err)
{
    return ct_error_add(
        err, CT_INVALID,
        "layout \"%s\": a '|' stands %s; expected it once behind a dimension that is "
        "split over ranks, as in \"S|PTC\"",
        text, where);
}

/* The dimension that was added last is split over ranks. */
static ct_status add_split(ct_layout *layout, const char *text, ct_error *err)
{
    if (layout->rank == 0) return fail_split(text, "at its beginning", err);
    const unsigned bit = 1u << (layout->rank - 1);
    if (layout->split & bit) return fail_split(text, "twice", err);
    layout->split = (uint8_t)(layout->split | bit);
    return CT_OK;
}

static ct_status add_letter(ct_layout *layout, char letter, const char *text, ct_error *err)
{
    if (strchr(layout->dim, letter)) {
        const char *name = ct_dim_name(letter);
        return ct_error_add(err, CT_INVALID,
                            "layout \"%s\": dimension %c%s%s%s stands twice; expected each once",
                            text, letter, name ? " (" : "", name ? name : "", name ? ")" : "");
    }
    if (layout->rank == CT_DIMS)
        return ct_error_add(err, CT_INVALID, "layout \"%s\": expected at most %d dimensions", text,
                            CT_DIMS);
    layout->dim[layout->rank++] = letter;
    layout->dim[layout->rank] = '\0';
    return CT_OK;
}

static const char *trim(char *word)
{
    while (isspace((unsigned char)*word))
        word++;
    for (size_t n = strlen(word); n > 0 && isspace((unsigned char)word[n - 1]); n--)
        word[n - 1] = '\0';
    return word;
}

/* One name of a list that ends at `end`. */
static ct_status add_word(ct_layout *layout, const char *start, const char *end, const char *text,
                          ct_error *err)
{
    char buffer[64] = {0};
    const size_t length = (size_t)(end - start);
    memcpy(buffer, start, length < sizeof buffer ? length : sizeof buffer - 1);
    char *bar = strchr(buffer, '|');
    const bool split = bar && bar[1 + strspn(bar + 1, " \t\r\n\v\f")] == 0;
    if (split) *bar = '\0';
    const char *word = trim(buffer);
    const char letter = ct_dim_letter(word);
    if (!letter) return fail_word(text, word, err);
    const ct_status status = add_letter(layout, letter, text, err);
    return status == CT_OK && split ? add_split(layout, text, err) : status;
}

static ct_status parse_words(ct_layout *layout, const char *text, ct_error *err)
{
    const char *start = text;
    for (;;) {
        const char *end = start + strcspn(start, ",");
        const ct_status status = add_word(layout, start, end, text, err);
        if (status != CT_OK || *end == '\0') return status;
        start = end + 1;
    }
}

static ct_status parse_letters(ct_layout *layout, const char *text, ct_error *err)
{
    ct_status status = CT_OK;
    for (const char *letter = text; *letter; letter++)
        CT_TRY(*letter == '|' ? add_split(layout, text, err)
                              : add_letter(layout, *letter, text, err));
out:
    return status;
}

static int is_of_letters(int c)
{
    return isupper(c) || c == '|';
}

static bool all_of(const char *text, int (*is)(int))
{
    for (; *text; text++)
        if (!is((unsigned char)*text)) return false;
    return true;
}

/* "stpc" is most likely "STPC". */
static ct_status fail_lower_case(const char *text, ct_error *err)
{
    char capitals[CT_DIMS + 1] = {0};
    for (size_t k = 0; text[k]; k++)
        capitals[k] = (char)toupper((unsigned char)text[k]);
    return ct_error_add(err, CT_INVALID,
                        "layout \"%s\": expected capital letters or names; did you mean \"%s\"?",
                        text, capitals);
}

static bool known_letters(const char *text)
{
    const size_t length = strlen(text);
    if (length == 0 || length > CT_DIMS || !all_of(text, isalpha)) return false;
    for (; *text; text++)
        if (!ct_dim_name((char)toupper((unsigned char)*text))) return false;
    return true;
}

ct_status ct_layout_parse(ct_layout *out, const char *text, ct_error *err)
{
    CT_GIVEN(err, out, text);
    ct_status status = CT_OK;
    ct_layout layout = {0};
    if (*text == '\0')
        CT_TRY(ct_error_add(err, CT_INVALID,
                            "a layout is empty; expected letters such as \"STPC\" or names such as "
                            "\"station,time,pol,channel\""));
    if (all_of(text, is_of_letters)) {
        CT_TRY(parse_letters(&layout, text, err));
    } else if (!ct_dim_letter(text) && known_letters(text)) {
        CT_TRY(fail_lower_case(text, err));
    } else {
        CT_TRY(parse_words(&layout, text, err));
    }
out:
    *out = status == CT_OK ? layout : (ct_layout){0};
    return status;
}

bool ct_layout_equal(const ct_layout *a, const ct_layout *b)
{
    return a->rank == b->rank && strcmp(a->dim, b->dim) == 0 && a->split == b->split;
}

const char *ct_layout_print(char out[CT_LAYOUT_TEXT], const ct_layout *layout)
{
    if (!out || !layout) return NULL;
    char *at = out;
    for (int k = 0; k < layout->rank; k++) {
        *at++ = layout->dim[k];
        if (layout->split >> k & 1) *at++ = '|';
    }
    *at = '\0';
    return out;
}

ct_layout ct_layout_natural(const ct_array *array)
{
    ct_layout layout = {.rank = array->rank};
    memcpy(layout.dim, array->dim, sizeof layout.dim);
    return layout;
}

int64_t ct_layout_permutations(int rank)
{
    int64_t count = 1;
    for (int k = 2; k <= rank; k++)
        count *= k;
    return count;
}

ct_layout ct_layout_permutation(const char *dims, int64_t n)
{
    char left[CT_DIMS + 1] = {0};
    assert(strlen(dims) <= CT_DIMS);
    snprintf(left, sizeof left, "%s", dims);
    ct_layout layout = {.rank = (int)strlen(dims)};
    assert(n >= 0 && n < ct_layout_permutations(layout.rank));

    for (int k = 0; k < layout.rank; k++) {
        const int64_t rest = ct_layout_permutations(layout.rank - 1 - k);
        char *taken = left + n / rest;
        layout.dim[k] = *taken;
        memmove(taken, taken + 1, strlen(taken));
        n %= rest;
    }
    return layout;
}

bool ct_layout_covers(const ct_layout *layout, const ct_array *array)
{
    if (layout->rank != array->rank) return false;
    for (int k = 0; k < layout->rank; k++)
        if (ct_array_find(array, layout->dim[k]) < 0) return false;
    return true;
}

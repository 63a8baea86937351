/* product.c: what the indices along Q are: the one table of their names, and lists of them.
 * Room: layouts. Knows names. Does not know what is computed from products, or files. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "fail.h"
#include "layout.h"

static const ct_product table[] = {
    {"I", "Stokes", 1, 1},     {"Q", "Stokes", 2, 2},     {"U", "Stokes", 3, 3},
    {"V", "Stokes", 4, 4},     {"XX", "linear", -5, 9},   {"XY", "linear", -7, 10},
    {"YX", "linear", -8, 11},  {"YY", "linear", -6, 12},  {"RR", "circular", -1, 5},
    {"RL", "circular", -3, 6}, {"LR", "circular", -4, 7}, {"LL", "circular", -2, 8},
    {"AA", "receptors", 0, 0}, {"BB", "receptors", 0, 0}, {"CR", "receptors", 0, 0},
    {"CI", "receptors", 0, 0},
};
enum { NAMES = sizeof table / sizeof *table, LONGEST = 2 };

static const char *const feeds[CT_FEEDS] = {"", "linear", "circular"};

const ct_product *ct_product_at(size_t index)
{
    return index < NAMES ? &table[index] : NULL;
}

static const ct_product *product_of(const char *name, size_t length)
{
    for (size_t k = 0; k < NAMES; k++)
        if (strlen(table[k].name) == length && strncasecmp(table[k].name, name, length) == 0)
            return &table[k];
    return NULL;
}

const ct_product *ct_product_find(const char *name)
{
    return name ? product_of(name, strlen(name)) : NULL;
}

const char *ct_product_feed(ct_feed feed)
{
    return feeds[(int)feed >= 0 && feed < CT_FEEDS ? feed : CT_FEED_UNKNOWN];
}

/* ---- lists */

static ct_status products_fail(const char *word, ct_error *err)
{
    const size_t length = strcspn(word, " ,\t");
    return ct_error_add(err, CT_INVALID,
                        "expected names of I Q U V, XX XY YX YY, RR RL LR LL or AA BB CR CI, found "
                        "\"%.*s\"",
                        (int)(length < 40 ? length : 40), word);
}

/* The longest name that a word begins with. */
static const ct_product *products_next(const char *at)
{
    const size_t left = strcspn(at, " ,\t");
    for (size_t length = left < LONGEST ? left : LONGEST; length > 0; length--) {
        const ct_product *found = product_of(at, length);
        if (found) return found;
    }
    return NULL;
}

ct_status ct_products_parse(ct_products *out, const char *text, ct_error *err)
{
    CT_GIVEN(err, out, text);
    const char *at = text + strspn(text, " ,\t");
    out->count = 0;
    if (!*at) return products_fail("", err);
    while (*at) {
        const ct_product *found = products_next(at);
        if (!found) return products_fail(at, err);
        if (out->count == CT_PRODUCTS)
            return ct_error_add(err, CT_INVALID, "expected at most %d names, found \"%.40s\"",
                                CT_PRODUCTS, text);
        out->of[out->count++] = found;
        at += strlen(found->name);
        at += strspn(at, " ,\t");
    }
    return CT_OK;
}

static bool products_need_feed(const ct_products *products)
{
    for (int64_t q = 0; q < products->count; q++)
        if (strcmp(products->of[q]->kind, "receptors") != 0) return false;
    return products->feed != CT_FEED_UNKNOWN;
}

const char *ct_products_print(char text[CT_PRODUCTS_TEXT], const ct_products *products)
{
    size_t length = 0;
    if (!text) return "";
    text[0] = 0;
    for (int64_t q = 0; products && q < products->count && q < CT_PRODUCTS; q++)
        length += (size_t)snprintf(text + length, CT_PRODUCTS_TEXT - length, "%s%s", q ? " " : "",
                                   products->of[q]->name);
    if (products && products_need_feed(products))
        snprintf(text + length, CT_PRODUCTS_TEXT - length, "%s%s receptors", length ? " of " : "",
                 ct_product_feed(products->feed));
    return text;
}

/* products_solve.c: the sums that make Stokes parameters of products of two receptors, by their
 * names. Room: stages/products. Knows the definitions. Does not know arrays beyond their type, or
 * kernels. */
#include "products.h"

#include <string.h>

typedef struct formula_term {
    const char *name;
    double re, im;
} formula_term;

/* The first whose terms are all there is taken. "receptors" of a feed that is not known have I
 * only. With x and y of a linear feed, r = (x + iy) / sqrt(2), l = (x - iy) / sqrt(2): V of XY ..
 * and RL .. is 2 Im(x conj(y)), as stage detect's; that of AA .. is PSRFITS's, 2 Im(conj(A) B), of
 * the other sign. */
static const struct formula {
    const char *product;
    ct_feed feed; /* of the receptors A and B; CT_FEED_UNKNOWN: whatever it is */
    formula_term term[CT_PRODUCTS_TERMS];
} formulas[] = {
    {"I", CT_FEED_UNKNOWN, {{"AA", 1, 0}, {"BB", 1, 0}}},
    {"Q", CT_FEED_LINEAR, {{"AA", 1, 0}, {"BB", -1, 0}}},
    {"U", CT_FEED_LINEAR, {{"CR", 2, 0}}},
    {"V", CT_FEED_LINEAR, {{"CI", 2, 0}}},
    {"Q", CT_FEED_CIRCULAR, {{"CR", 2, 0}}},
    {"U", CT_FEED_CIRCULAR, {{"CI", 2, 0}}},
    {"V", CT_FEED_CIRCULAR, {{"AA", 1, 0}, {"BB", -1, 0}}},
    {"I", CT_FEED_UNKNOWN, {{"XX", 1, 0}, {"YY", 1, 0}}},
    {"Q", CT_FEED_UNKNOWN, {{"XX", 1, 0}, {"YY", -1, 0}}},
    {"U", CT_FEED_UNKNOWN, {{"XY", 1, 0}, {"YX", 1, 0}}},
    {"V", CT_FEED_UNKNOWN, {{"XY", 0, 1}, {"YX", 0, -1}}},
    {"I", CT_FEED_UNKNOWN, {{"RR", 1, 0}, {"LL", 1, 0}}},
    {"Q", CT_FEED_UNKNOWN, {{"RL", 1, 0}, {"LR", 1, 0}}},
    {"U", CT_FEED_UNKNOWN, {{"RL", 0, 1}, {"LR", 0, -1}}},
    {"V", CT_FEED_UNKNOWN, {{"RR", 1, 0}, {"LL", -1, 0}}},
};
enum { FORMULAS = sizeof formulas / sizeof formulas[0] };

static int64_t place_of(const ct_products *from, const char *name)
{
    for (int64_t q = 0; q < from->count; q++)
        if (strcmp(from->of[q]->name, name) == 0) return q;
    return -1;
}

static bool apply(const struct formula *one, const ct_products *from, ct_products_sum *out)
{
    *out = (ct_products_sum){0};
    for (int k = 0; k < CT_PRODUCTS_TERMS && one->term[k].name; k++) {
        const int64_t q = place_of(from, one->term[k].name);
        if (q < 0) return false;
        out->term[out->terms++] = (ct_products_term){q, {one->term[k].re, one->term[k].im}};
    }
    return true;
}

static bool make(const ct_products *from, const char *name, ct_products_sum *out)
{
    const int64_t q = place_of(from, name);
    *out = (ct_products_sum){.terms = 1, .term = {{q, {1, 0}}}};
    if (q >= 0) return true;
    for (int i = 0; i < FORMULAS; i++)
        if (strcmp(formulas[i].product, name) == 0 &&
            (formulas[i].feed == CT_FEED_UNKNOWN || formulas[i].feed == from->feed) &&
            apply(&formulas[i], from, out))
            return true;
    return false;
}

/* The feed would do it. */
static bool feed_lacks(const ct_products *from, const char *name)
{
    ct_products_sum sum;
    ct_products known = *from;
    known.feed = CT_FEED_LINEAR;
    return from->feed == CT_FEED_UNKNOWN && make(&known, name, &sum);
}

static ct_status fail(const ct_step *step, const ct_products *from, const char *name, ct_error *err)
{
    char found[CT_PRODUCTS_TEXT];
    ct_products_print(found, from);
    if (feed_lacks(from, name))
        return ct_step_fail(
            step, "products", err,
            "%s can be made of %s if it is known what A and B are: expected \"feed\": "
            "\"linear\" (X and Y) or \"circular\" (L and R), here or of the source",
            name, found);
    return ct_step_fail(step, "products", err, "%s cannot be made of what is along Q: %s", name,
                        found);
}

/* XY, YX, RL, LR have no meaning as real numbers. */
static bool needs_complex(const ct_products *from, const ct_products_sum *sum)
{
    static const char *const crossed[] = {"XY", "YX", "RL", "LR"};
    for (int k = 0; k < sum->terms && sum->terms > 1; k++)
        for (size_t i = 0; i < sizeof crossed / sizeof crossed[0]; i++)
            if (strcmp(from->of[sum->term[k].q]->name, crossed[i]) == 0) return true;
    return false;
}

ct_status ct_products_solve(const ct_step *step, ct_products_matrix *matrix, ct_error *err)
{
    const ct_type type = step->port[CT_PRODUCTS_X].type;
    for (int64_t q = 0; q < matrix->to.count; q++) {
        const char *name = matrix->to.of[q]->name;
        if (!make(&matrix->from, name, &matrix->sum[q]))
            return fail(step, &matrix->from, name, err);
        if (!ct_type_complex(type) && needs_complex(&matrix->from, &matrix->sum[q]))
            return ct_step_fail(step, "products", err,
                                "%s is made of complex products, the input is %s", name,
                                ct_type_name(type));
    }
    return CT_OK;
}

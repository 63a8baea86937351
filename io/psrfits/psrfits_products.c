/* psrfits_products.c: what is along Q: POL_TYPE, as PSRCHIVE and others write it, and FD_POLN.
 * Room: io/psrfits. Knows the names in headers. Does not know FITS. */
#include "psrfits.h"
#include "psrfits_print.h"
#include "sidecar.h"
#include <stdio.h>
#include <string.h>

/* Names that are no list of products; the first two letters of FD_POLN are enough. */
static const struct {
    const char *pol_type, *names;
    ct_feed feed;
} pol_types[] = {
    {"AA+BB", "I", CT_FEED_UNKNOWN},          {"INTEN", "I", CT_FEED_UNKNOWN},
    {"STOKE", "IQUV", CT_FEED_UNKNOWN},       {"STOKES", "IQUV", CT_FEED_UNKNOWN},
    {"XXYYCRCI", "AABBCRCI", CT_FEED_LINEAR}, {"LLRRCRCI", "AABBCRCI", CT_FEED_CIRCULAR},
    {"XXYY", "AABB", CT_FEED_LINEAR},         {"LLRR", "AABB", CT_FEED_CIRCULAR}};

static bool products_named(ct_products *out, const ct_psrfits *file)
{
    const char *names = file->pol_type;
    for (size_t i = 0; i < sizeof pol_types / sizeof pol_types[0]; i++)
        if (strcmp(pol_types[i].pol_type, file->pol_type) == 0) {
            names = pol_types[i].names;
            if (out->feed == CT_FEED_UNKNOWN) out->feed = pol_types[i].feed;
        }
    return ct_products_parse(out, names, NULL) == CT_OK;
}

static ct_feed products_feed(const ct_psrfits *file)
{
    if (strncmp(file->fd_poln, "LI", 2) == 0) return CT_FEED_LINEAR;
    return strncmp(file->fd_poln, "CI", 2) == 0 ? CT_FEED_CIRCULAR : CT_FEED_UNKNOWN;
}

static void products_warn(ct_step *step, const ct_psrfits *file, const ct_products *found)
{
    static const char hint[] = "the node's \"products\" says it, as in \"AABBCRCI\"";
    if (found)
        ct_step_warn(
            step,
            "%s: POL_TYPE '%s' is %lld products, but NPOL is %lld, so it is not known what "
            "they are; %s",
            file->file, file->pol_type, (long long)found->count, (long long)file->pols, hint);
    else
        ct_step_warn(step,
                     "%s: what the %lld polarizations are is not known from POL_TYPE '%s'; %s",
                     file->file, (long long)file->pols, file->pol_type, hint);
}

ct_status ct_psrfits_products(ct_step *step, const ct_psrfits *file, ct_array *out, ct_error *err)
{
    const ct_sidecar given = {.step = step};
    ct_products *products = ct_step_alloc(step, sizeof *products);
    if (!products) return CT_FAILED;
    products->feed = products_feed(file);
    const bool named = products_named(products, file), fits = products->count == file->pols;
    if (!ct_step_value(step, "products") && (named ? !fits : file->pols > 1))
        products_warn(step, file, named ? products : NULL);
    if (!named || !fits) products->count = 0;
    out->meta.products = products;
    return ct_sidecar_products(&given, out, err);
}

/* ---- what is written */

/* What the definition knows. */
static const struct {
    const char *names, *pol_type;
} written_types[] = {
    {"I", "AA+BB"},   {"AA", "AA"},     {"BB", "BB"},     {"AABB", "AABB"},
    {"XXYY", "AABB"}, {"RRLL", "AABB"}, {"IQUV", "IQUV"}, {"AABBCRCI", "AABBCRCI"}};

/* Names without blanks; "" where they are not known. */
static void products_join(char out[CT_PRODUCTS_TEXT], const ct_array *in)
{
    size_t used = 0;
    out[0] = '\0';
    for (int64_t q = 0; q < ct_array_extent(in, 'Q') && ct_array_product(in, q); q++)
        used += (size_t)snprintf(out + used, CT_PRODUCTS_TEXT - used, "%s",
                                 ct_array_product(in, q)->name);
}

static const char *products_written(const char *names)
{
    for (size_t i = 0; i < sizeof written_types / sizeof written_types[0]; i++)
        if (strcmp(written_types[i].names, names) == 0) return written_types[i].pol_type;
    return NULL;
}

/* XX and YY are AA and BB of linear receptors. */
static const char *products_receptors(const ct_array *in)
{
    static const char *const names[CT_FEEDS] = {NULL, "LIN", "CIRC"};
    const ct_product *first = ct_array_product(in, 0);
    if (first && strcmp(first->kind, "linear") == 0) return names[CT_FEED_LINEAR];
    if (first && strcmp(first->kind, "circular") == 0) return names[CT_FEED_CIRCULAR];
    return in->meta.products ? names[in->meta.products->feed] : NULL;
}

void ct_psrfits_pol_type(ct_psrfits_look *look, const ct_array *in)
{
    products_join(look->pol_type, in);
    const char *written = products_written(look->pol_type);
    if (written) snprintf(look->pol_type, sizeof look->pol_type, "%s", written);
    look->feed = products_receptors(in);
}

void ct_psrfits_pol_type_warn(ct_step *step)
{
    char names[CT_PRODUCTS_TEXT];
    const ct_array *in = &step->port[0];
    products_join(names, in);
    if (products_written(names) || (!names[0] && ct_array_extent(in, 'Q') == 1)) return;
    if (names[0])
        ct_step_warn(step,
                     "PSRFITS has no POL_TYPE for %s: readers will not know what they are; AABB, "
                     "AABBCRCI and IQUV it has",
                     names);
    else
        ct_step_warn(step,
                     "what the %lld along Q are is not known, so POL_TYPE will be empty; the "
                     "source's \"products\" says it, as in \"IQUV\"",
                     (long long)ct_array_extent(in, 'Q'));
}

/* psrfits_products.c: what is along Q: POL_TYPE, as PSRCHIVE and others write it, and FD_POLN.
 * Room: io/psrfits. Knows the names in headers. Does not know FITS. */
#include "psrfits.h"
#include "sidecar.h"
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

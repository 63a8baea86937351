/* sidecar_products.c: what the indices along Q are: from a node's "products" and "feed", or the
 * JSON file beside the data, and written there; see sidecar.h. Room: io/shared. Knows JSON's
 * syntax. Does not know formats. */
#include "sidecar.h"
#include "sidecar_put.h"
#include <string.h>

/* Texts of a list, or one text. */
static ct_status products_names(const ct_sidecar *sidecar, ct_products *out, ct_error *err)
{
    const ct_value *value = ct_sidecar_find(sidecar, "products");
    const bool list = ct_value_kind(value) == CT_LIST;
    char names[CT_PRODUCTS_TEXT * 2] = "";
    size_t length = 0;
    ct_error why = {0};
    for (size_t i = 0; i < (list ? ct_value_count(value) : 1); i++) {
        const ct_value *one = list ? ct_value_at(value, i) : value;
        const char *name = ct_value_text(one, NULL);
        if (!name)
            return ct_sidecar_fail(sidecar, "products", err,
                                   "expected names such as [\"I\", \"Q\", \"U\", \"V\"] or "
                                   "\"IQUV\", found %s",
                                   list ? "something else among them" : "no text and no list");
        if (length + strlen(name) + 2 > sizeof names)
            return ct_sidecar_fail(sidecar, "products", err,
                                   "expected at most %d names, found more", CT_PRODUCTS);
        length += (size_t)ct_number_print(names + length, sizeof names - length, "%s ", name);
    }
    if (ct_products_parse(out, names, &why) == CT_OK) return CT_OK;
    return ct_sidecar_fail(sidecar, "products", err, "%s", why.text);
}

static ct_status products_feed(const ct_sidecar *sidecar, ct_products *out, ct_error *err)
{
    const char *name = ct_value_text(ct_sidecar_find(sidecar, "feed"), NULL);
    if (!ct_sidecar_find(sidecar, "feed")) return CT_OK;
    for (int feed = CT_FEED_UNKNOWN + 1; feed < CT_FEEDS; feed++)
        if (name && strcmp(name, ct_product_feed((ct_feed)feed)) == 0) out->feed = (ct_feed)feed;
    if (name && strcmp(name, ct_product_feed(out->feed)) == 0) return CT_OK;
    return ct_sidecar_fail(sidecar, "feed", err,
                           "expected \"linear\" or \"circular\" receptors, found %s%s%s",
                           name ? "\"" : "", name ? name : "no text", name ? "\"" : "");
}

ct_status ct_sidecar_products(const ct_sidecar *sidecar, ct_array *array, ct_error *err)
{
    const bool named = ct_sidecar_find(sidecar, "products");
    if (!named && !ct_sidecar_find(sidecar, "feed")) return CT_OK;
    ct_products *out = ct_step_alloc(sidecar->step, sizeof *out);
    if (!out) return CT_FAILED;
    if (array->meta.products) *out = *array->meta.products;
    ct_status status = named ? products_names(sidecar, out, err) : CT_OK;
    if (status == CT_OK) status = products_feed(sidecar, out, err);
    if (status != CT_OK) return status;
    array->meta.products = out;
    if (!named || out->count == ct_array_extent(array, 'Q')) return CT_OK;
    return ct_sidecar_fail(
        sidecar, "products", err, "expected a name for each of %lld along Q%s, found %lld",
        (long long)ct_array_extent(array, 'Q'),
        ct_array_find(array, 'Q') < 0 ? ", which is not there" : "", (long long)out->count);
}

ct_status ct_sidecar_put_products(ct_output *out, const ct_array *array, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_feed feed = ct_array_feed(array);
    for (int64_t q = 0; status == CT_OK && ct_array_product(array, q); q++)
        status = ct_output_print(out, err, "%s\"%s\"", q ? ", " : ",\n \"products\": [",
                                 ct_array_product(array, q)->name);
    if (status == CT_OK && ct_array_product(array, 0)) status = ct_output_print(out, err, "]");
    if (status == CT_OK && feed != CT_FEED_UNKNOWN)
        status = ct_output_print(out, err, ",\n \"feed\": \"%s\"", ct_product_feed(feed));
    return status;
}

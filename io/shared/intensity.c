/* intensity.c: see intensity.h.
 * Room: io/shared. Knows names of products. Does not know formats. */
#include "intensity.h"
#include <string.h>

void ct_intensity_warn(ct_step *step, const char *what)
{
    char names[CT_PRODUCTS_TEXT];
    const ct_array *in = &step->port[0];
    const ct_product *first = ct_array_product(in, 0);
    if (!first || in->meta.products->count < 2 || strcmp(first->kind, "Stokes") == 0) return;
    ct_step_warn(
        step,
        "%s: along Q are %s; total intensity is made of them by a node before: {\"stage\": "
        "\"products\", \"products\": \"I\"}",
        what, ct_products_print(names, in->meta.products));
}

/* step_products.c: what an output holds along Q, kept as long as its step.
 * Room: core/step. Does not know names: layouts has them. */
#include "step_inner.h"

const ct_products *ct_step_products(ct_step *step, const char *names, ct_feed feed)
{
    if (!step || !names) return NULL;
    ct_products *out = ct_step_alloc(step, sizeof *out);
    const bool fine = out && ct_products_parse(out, names, NULL) == CT_OK;
    if (fine) out->feed = feed;
    return fine ? out : NULL;
}

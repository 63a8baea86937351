/* products_emit.c: the sums as text, before the kernel.
 * Room: stages/products. Knows how numbers are written in OpenCL. */
#include "products.h"

/* "+ a[n]", "- 2.0f * a[BOX + n]", "+ ROTATED(a[BOX + n])": the sign is left out of a first one
 * that is +. */
static void emit_term(ct_text *text, const ct_products_term *term, bool first)
{
    const double factor = term->factor.re != 0 ? term->factor.re : term->factor.im;
    const double size = factor < 0 ? -factor : factor;
    ct_text_add(text, "%s", factor < 0 ? " - " : first ? " " : " + ");
    if (size != 1) ct_text_add(text, "%.1ff * ", size);
    ct_text_add(text, term->factor.re != 0 ? "a[%lld * BOX + (n)]" : "ROTATED(a[%lld * BOX + (n)])",
                (long long)term->q);
}

ct_status ct_products_emit(const ct_step *step, ct_text *text, ct_error *err)
{
    const ct_products_matrix *matrix = step->state;
    (void)err;
    ct_text_add(text, "#define SUMS(n)");
    for (int64_t q = 0; q < matrix->to.count; q++) {
        ct_text_add(text, "%s \\\n    r[%lld * BOX + (n)] =", q ? ";" : "", (long long)q);
        for (int k = 0; k < matrix->sum[q].terms; k++)
            emit_term(text, &matrix->sum[q].term[k], k == 0);
    }
    ct_text_add(text, "\n");
    return CT_OK;
}

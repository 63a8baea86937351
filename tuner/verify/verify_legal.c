/* verify_legal.c: which tunables a variant can have.
 * Room: tuner/verify. Knows `where` and legal() through steps. Does not know how a variant is run.
 */
#include <string.h>

#include "fail.h"
#include "text.h"
#include "verify_inner.h"

enum { LEGAL_TRIES = 4096 }; /* pairs of layouts that are looked at for a case's own tunables */

/* The case's step in the variant's layouts, with its gaps and tunables. */
static bool legal_step(ct_step *out, const verify_call *call, const verify_variant *variant)
{
    *out = *call->one.step;
    for (int i = 0; i < CT_PORTS && call->stage->ports[i].name; i++) {
        if (!call->count[i]) continue;
        if (ct_step_set_layout(out, i, &variant->layout[i], NULL) != CT_OK) return false;
        if (call->stage->ports[i].direction != CT_TABLE) ct_verify_pad(&out->port[i], variant->pad);
    }
    memcpy(out->tunable, variant->tunable, sizeof out->tunable);
    return true;
}

ct_status ct_verify_make_legal(const verify_call *call, verify_variant *variant, ct_text *why)
{
    ct_step step;
    if (!legal_step(&step, call, variant)) {
        if (why) ct_text_add(why, ": the ports cannot have these layouts together");
        return CT_INVALID;
    }
    if (!ct_step_is_legal(&step)) ct_step_default_tunables(&step);
    memcpy(variant->tunable, step.tunable, sizeof step.tunable);
    if (ct_step_is_legal(&step)) return CT_OK;
    if (why) ct_step_say_illegal(&step, why);
    return CT_INVALID;
}

/* On a device of this kind. False once so many have been tried: then nothing is known. */
static bool legal_nowhere(const verify_call *call, bool gpu)
{
    const int64_t reads = ct_verify_layouts(call, call->read);
    const int64_t writes = ct_verify_layouts(call, call->write);
    verify_variant variant;
    ct_step step;
    if (reads * writes > LEGAL_TRIES) return false;
    for (int64_t n = 0; n < reads * writes; n++) {
        ct_verify_start(call, &variant, n / writes, n % writes);
        ct_verify_follow(call, &variant);
        const bool stands = legal_step(&step, call, &variant);
        step.gpu = gpu;
        if (stands && ct_step_is_legal(&step)) return false;
    }
    return true;
}

/* Our own cases name tunables that differ from the defaults of CPUs, a few those of kernels that
 * only GPUs have. On the other kind of device, where they do not go together, only its defaults are
 * tried. */
ct_status ct_verify_legal(const verify_call *call)
{
    ct_step step;
    verify_variant variant;
    ct_text why = {0};
    const char *given = call->one.given->tunables;
    const bool gpu = call->one.step->gpu;
    if (!given || !*given || !legal_nowhere(call, gpu)) return CT_OK;
    if (!call->page && (gpu || !legal_nowhere(call, true))) {
        ct_step_default_tunables(call->one.step);
        return CT_OK;
    }
    ct_verify_start(call, &variant, 0, 0);
    ct_verify_follow(call, &variant);
    if (legal_step(&step, call, &variant)) ct_step_say_illegal(&step, &why);
    (void)ct_step_fail(call->one.step, "tunables", call->err,
                       "they are legal in none of the case's layouts%s", why.data ? why.data : "");
    ct_text_free(&why);
    return CT_INVALID;
}

/* step_digest.c: see step_digest.h.
 * Room: tuner/store. */
#include "step_digest.h"
#include "layout.h"

#include <inttypes.h>
#include <string.h>

#include "emit.h"
#include "fail.h"
#include "reaching_params.h"
#include "text.h"

static void digest_of(char out[CT_DIGEST_SIZE], ct_text *text)
{
    ct_digest_text(out, text->data ? text->data : "", text->length);
    ct_text_free(text);
}

static void digest_add_tunables(ct_text *text, const ct_step *step)
{
    char word[32];
    ct_text_add(text, "%s %u", step->stage->name, (unsigned)step->stage->version);
    if (step->stage->digest) ct_text_add(text, " %s", step->stage->digest);
    for (int t = 0; t < ct_step_tunables(step); t++)
        ct_text_add(text, " %s=%s", step->stage->tuning.tunables[t].name,
                    ct_step_tunable_word(step, t, word));
}

/* Strides of extents of 1 are left out: they have no effect. */
static void digest_add_arrays(ct_text *text, const ct_step *step)
{
    for (int p = 0; p < ct_step_ports(step); p++) {
        const ct_array *array = &step->port[p];
        if (array->type == CT_NONE) continue;
        ct_text_add(text, " %s %s %" PRId64, step->stage->ports[p].name, ct_type_name(array->type),
                    array->offset);
        for (int k = 0; k < array->rank; k++)
            if (array->extent[k] > 1)
                ct_text_add(text, " %c %" PRId64 " %" PRId64, array->dim[k], array->extent[k],
                            array->stride[k]);
    }
}

/* ---------------------------------------------------------------- a transpose */

/* The strided copy in its canonical form: what it is called, and how dimensions that move together
 * are called, is left out. */
static void digest_add_copy(ct_text *text, const ct_step *step)
{
    ct_copy copy = ct_copy_make(&step->port[1], &step->port[0]);
    ct_copy_sort(&copy, true);
    ct_copy_merge(&copy);
    ct_copy_widen(&copy, 16);
    ct_text_add(text, " copy %d %" PRId64 " %" PRId64, copy.word, copy.from, copy.to);
    for (int k = 0; k < copy.rank; k++)
        ct_text_add(text, " %" PRId64 " %" PRId64 " %" PRId64, copy.dim[k].extent, copy.dim[k].from,
                    copy.dim[k].to);
}

/* ---------------------------------------------------------------- generated text */

/* Everything after the first comment, which has the step's name and its layouts' words. */
static const char *digest_skip_heading(const char *text)
{
    const char *end = strstr(text, "*/");
    return end ? end + strlen("*/") : text;
}

/* Gives extents of 1 the stride of a slowest dimension. */
static void digest_plain_strides(ct_step *step)
{
    for (int p = 0; p < ct_step_ports(step); p++) {
        ct_array *array = &step->port[p];
        int64_t most = 1;
        for (int k = 0; k < array->rank; k++)
            if (array->extent[k] > 1 && array->stride[k] * array->extent[k] > most)
                most = array->stride[k] * array->extent[k];
        for (int k = 0; k < array->rank; k++)
            if (array->extent[k] == 1) array->stride[k] = most;
    }
}

static ct_status digest_add_launches(ct_text *text, const ct_step *step, ct_error *err)
{
    ct_launch launch[CT_LAUNCHES] = {0};
    const int launches = ct_emit_launches(step, launch, err);
    if (launches < 0) return CT_INVALID;
    for (int i = 0; i < launches; i++) {
        ct_text_add(text, " %s", launch[i].entry ? launch[i].entry : "");
        for (int axis = 0; axis < 3; axis++)
            ct_text_add(text, " %zu %zu", launch[i].global[axis], launch[i].local[axis]);
    }
    return CT_OK;
}

static ct_status digest_add_text(ct_text *text, const ct_step *step, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text source = {0};
    ct_step *plain = NULL;
    CT_TRY(ct_step_copy(&plain, step, err));
    digest_plain_strides(plain);
    CT_TRY(ct_emit_source(&source, plain, err));
    CT_TRY(digest_add_launches(text, plain, err));
    ct_text_add(text, "%s", digest_skip_heading(source.data));
out:
    ct_step_free(plain);
    ct_text_end(&source, text);
    return status;
}

ct_status ct_step_digest_same(char out[CT_DIGEST_SIZE], const ct_plan_step *at, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text text = {0};
    const ct_step *step = at->step;
    digest_add_tunables(&text, step);
    if (at->node < 0)
        digest_add_copy(&text, step);
    else if (!step->stage->kernel.text || step->stage->engine.prepare)
        digest_add_arrays(&text, step);
    if (at->node >= 0 && step->stage->kernel.text) CT_TRY(digest_add_text(&text, step, err));
    CT_TRY(ct_text_check(&text, err));
out:
    digest_of(out, &text);
    return status;
}

ct_status ct_step_digest_source(char out[CT_DIGEST_SIZE], const ct_plan_step *at, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text text = {0}, source = {0};
    CT_TRY(ct_emit_source(&source, at->step, err));
    if (source.length)
        ct_reaching_params_text(&text, digest_skip_heading(source.data));
    else
        digest_add_tunables(&text, at->step);
    if (!source.length) digest_add_arrays(&text, at->step);
    CT_TRY(ct_text_check(&text, err));
out:
    ct_text_free(&source);
    digest_of(out, &text);
    return status;
}

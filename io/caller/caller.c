/* caller.c: source.caller and sink.caller: samples that a program brings, and results that it
 * takes, with ct_run_bind. Neither can read or write by itself.
 * Room: io/caller. Knows what a node says of an array. Does not know runs, or who binds. */
#include "format.h"
#include "params.h"
#include "sizes.h"

static const ct_param source_params[] = {
    CT_PARAMS_SIZES,
    {"samples", CT_PARAM_INT, NULL, NULL, 1, 1e18,
     "along T in all; left out: until read() gives less than a block"},
    CT_PARAMS_META,
    {0}};

/* Samples in all, which "sizes" may say as well: -1 if neither does. */
static ct_status caller_total(const ct_step *step, int64_t sized, int64_t *total, ct_error *err)
{
    const bool given = ct_step_value(step, "samples") != NULL;
    *total = given ? ct_step_int(step, "samples") : sized > 0 ? sized : -1;
    if (sized == 0 || *total == sized) return CT_OK;
    return ct_step_fail(step, "samples", err, "found %lld, but \"sizes\" says %lld along T",
                        (long long)*total, (long long)sized);
}

static ct_status caller_describe(ct_step *step, ct_array *natural, ct_error *err)
{
    const ct_sidecar node = {.step = step}; /* nothing lies beside it */
    ct_layout dims = {0};
    ct_status status = ct_sidecar_dims(&node, &dims, err);
    if (status == CT_OK) status = ct_sidecar_type(&node, &natural->type, err);
    if (status == CT_OK && natural->type == CT_NONE)
        status = ct_sidecar_lacks(&node, "a \"type\" such as \"ci8\"", "it", err);
    if (status == CT_OK) status = ct_sizes_read(&node, &dims, natural, err);
    if (status == CT_OK) status = ct_sidecar_meta(&node, natural, err);
    return status;
}

/* No layout is set: if none is pinned, the block has the one that suits the next stage best. */
static ct_status source_infer(ct_step *step, ct_error *err)
{
    ct_array natural = {0}, *out = &step->port[0];
    const int64_t block = ct_array_find(out, 'T') >= 0 ? ct_array_extent(out, 'T') : 0;
    ct_status status = caller_describe(step, &natural, err);
    if (status == CT_OK)
        status = caller_total(step, ct_array_extent(&natural, 'T'), &natural.meta.total, err);
    if (status != CT_OK) return status;
    natural.extent[ct_array_find(&natural, 'T')] = block > 0 ? block : 1;
    *out = natural;
    return CT_OK;
}

const ct_stage ct_stage_source_caller = {
    .api = CT_API,
    .version = 1,
    .name = "source.caller",
    .summary = "samples that a program brings with ct_run_bind",
    .ports = {{"Y", CT_OUT, 0, "*", CT_TYPES_ARRAY, "*", NULL, "what the program's read() fills"}},
    .params = source_params,
    .infer = source_infer,
};

const ct_stage ct_stage_sink_caller = {
    .api = CT_API,
    .version = 1,
    .name = "sink.caller",
    .summary = "gives an array to a program, which binds a write() with ct_run_bind",
    .ports = {{"X", CT_IN, 0, "*", CT_TYPES_ARRAY, "*", NULL, "any array"}},
};

const ct_format ct_format_caller = {.source = &ct_stage_source_caller,
                                    .sink = &ct_stage_sink_caller};

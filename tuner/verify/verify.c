/* verify.c: the conformance call: what is tried, in which order, and what is reported.
 * Room: tuner/verify. Knows cases, layouts and tunables as lists. Does not know how a variant is
 * run. For each case: pairs of layouts, the tables' layouts, padding and accumulation, then
 * tunables. */
#include "fail.h"
#include "sized.h"
#include "text.h"
#include "verify_inner.h"
#include <string.h>

#define VERIFY_WRONG 8   /* after so many wrong variants the rest is not tried */
#define VERIFY_SAMPLE 12 /* tunables of a quick call */
#define VERIFY_PAIRS 4   /* random pairs of a quick call */
#define VERIFY_SHARE 6   /* a quick call tries such a part of both in a case like one before */

typedef struct verify_call {
    const ct_stage *stage;
    ct_device *device;
    const ct_verify_options *options;
    ct_verify_report *report;
    ct_error *err;
    verify_case one;
    ct_layout *layouts[CT_PORTS];
    int64_t count[CT_PORTS]; /* 0: not connected */
    int read, write;         /* the ports whose layouts are paired; -1 none */
    int64_t variants;        /* tried so far: makes the other ports' layouts rotate */
    int64_t serial;          /* variants so far over all cases, tried here or by another part */
    verify_likes likes;
    int64_t before; /* cases before this one that were like it */
} verify_call;

/* The other ports' layouts rotate with `variants`; tables stay in their first one. */
static void verify_start(const verify_call *call, verify_variant *variant, int64_t read,
                         int64_t write)
{
    memset(variant, 0, sizeof *variant);
    memcpy(variant->tunable, call->one.step->tunable, sizeof variant->tunable);
    for (int i = 0; i < CT_PORTS && call->stage->ports[i].name; i++) {
        bool table = call->stage->ports[i].direction == CT_TABLE;
        int64_t n = i == call->read ? read : i == call->write ? write : table ? 0 : call->variants;
        if (call->count[i]) variant->layout[i] = call->layouts[i][n % call->count[i]];
    }
}

/* Ports with "=X" follow X. */
static void verify_follow(const verify_call *call, verify_variant *variant)
{
    for (int i = 0; i < CT_PORTS && call->stage->ports[i].name; i++) {
        const char *pattern = call->stage->ports[i].layout;
        int other = pattern[0] == '=' ? ct_step_find_port(call->one.step, pattern + 1) : -1;
        if (other >= 0 && call->count[i]) variant->layout[i] = variant->layout[other];
    }
}

/* A combination that this layout forbids is replaced by the nearest legal one. */
static bool verify_mend(const verify_call *call, verify_variant *variant)
{
    ct_step step = *call->one.step;
    for (int i = 0; i < CT_PORTS && call->stage->ports[i].name; i++)
        if (call->count[i] && ct_step_set_layout(&step, i, &variant->layout[i], NULL) != CT_OK)
            return false;
    memcpy(step.tunable, variant->tunable, sizeof step.tunable);
    if (!ct_step_is_legal(&step)) ct_step_default_tunables(&step);
    memcpy(variant->tunable, step.tunable, sizeof step.tunable);
    return ct_step_is_legal(&step);
}

static bool verify_is_mine(verify_call *call)
{
    const ct_verify_options *options = call->options;
    int64_t serial = call->serial++;
    return options->parts < 2 || serial % options->parts == options->part;
}

/* Wrong results are gathered; anything else that fails ends the call. */
static ct_status verify_try(verify_call *call, verify_variant *variant, int64_t *counter)
{
    ct_status status;
    char what[512];
    call->variants++;
    if (!verify_is_mine(call)) return CT_OK;
    verify_follow(call, variant);
    ct_verify_describe(what, sizeof what, &call->one, variant);
    if (!verify_mend(call, variant))
        return ct_error_add(call->err, CT_MISMATCH, "%s: no tunables are legal in this layout",
                            what);
    ct_verify_describe(what, sizeof what, &call->one, variant);
    if (call->options->progress) call->options->progress(call->options->state, what);
    status = ct_verify_run(&call->one, variant, call->device, &call->report->worst, call->err);
    ++*counter;
    if (status != CT_MISMATCH) return status;
    return ++call->report->wrong < VERIFY_WRONG ? CT_OK : CT_MISMATCH;
}

/* ---- layouts */

/* Of a quick call: all of it in the first case of its kind, a share in those like it. */
static int64_t verify_share(const verify_call *call)
{
    return call->options->quick && call->before > 0 ? VERIFY_SHARE : 1;
}

static bool verify_has(const verify_call *call, unsigned flag, ct_direction direction)
{
    for (int i = 0; i < CT_PORTS && call->stage->ports[i].name; i++)
        if (call->stage->ports[i].direction == direction && call->count[i] &&
            (call->stage->ports[i].flags & flag))
            return true;
    return false;
}

static void verify_pad(verify_variant *variant, int64_t pad)
{
    variant->pad = pad;
    variant->offset = pad == 3 ? 5 : 0;
}

/* What verify_others tries for itself, one after another. */
static void verify_mix(const verify_call *call, verify_variant *variant)
{
    static const int64_t pads[] = {0, 3, 16};
    verify_pad(variant, pads[call->variants % 3]);
    variant->add = call->variants % 2 && verify_has(call, CT_PORT_ACCUMULATE, CT_OUT);
    variant->bare = call->variants % 4 == 3 && verify_has(call, CT_PORT_OPTIONAL, CT_OUT);
}

static ct_status verify_pair(verify_call *call, int64_t read, int64_t write)
{
    verify_variant variant;
    verify_start(call, &variant, read, write);
    if (verify_share(call) > 1) verify_mix(call, &variant);
    return verify_try(call, &variant, &call->report->layouts);
}

static int64_t verify_count(const verify_call *call, int port)
{
    return port < 0 ? 1 : call->count[port];
}

static ct_status verify_all_pairs(verify_call *call)
{
    ct_status status = CT_OK;
    for (int64_t read = 0; read < verify_count(call, call->read); read++)
        for (int64_t write = 0; write < verify_count(call, call->write); write++)
            CT_TRY(verify_pair(call, read, write));
out:
    return status;
}

/* Each layout at least once, or each `step`-th, against a changing partner, then random pairs. */
static ct_status verify_some_pairs(verify_call *call, int64_t step, int64_t random)
{
    ct_status status = CT_OK;
    int64_t reads = verify_count(call, call->read), writes = verify_count(call, call->write);
    int64_t sides = reads > writes ? reads : writes;
    uint64_t seed = (uint64_t)call->one.number, n = 0;
    for (int64_t side = call->before % step; side < sides; side += step)
        CT_TRY(verify_pair(call, side % reads, (side + (int64_t)(seed * 5)) % writes));
    for (; random > 0; random--, n++)
        CT_TRY(verify_pair(call, (int64_t)(ct_verify_hash(3, seed, n) % (uint64_t)reads),
                           (int64_t)(ct_verify_hash(4, seed, n) % (uint64_t)writes)));
out:
    return status;
}

static ct_status verify_pairs(verify_call *call)
{
    int64_t reads = verify_count(call, call->read), writes = verify_count(call, call->write);
    int64_t sides = reads > writes ? reads : writes, most = call->options->most_layouts;
    const int64_t share = verify_share(call);
    if (call->options->quick && (sides + VERIFY_PAIRS) / share < reads * writes)
        return verify_some_pairs(call, share, ct_divide_up(VERIFY_PAIRS, share));
    if (most && most < reads * writes) return verify_some_pairs(call, 1, most - sides);
    return verify_all_pairs(call);
}

/* A pseudo-random pair, and where there is a choice not the natural order. */
static void verify_other(const verify_call *call, verify_variant *variant)
{
    int64_t reads = verify_count(call, call->read), writes = verify_count(call, call->write);
    uint64_t number = (uint64_t)call->one.number;
    int64_t read =
        reads < 2 ? 0 : 1 + (int64_t)(ct_verify_hash(5, number, 0) % (uint64_t)(reads - 1));
    int64_t write =
        writes < 2 ? 0 : 1 + (int64_t)(ct_verify_hash(6, number, 0) % (uint64_t)(writes - 1));
    verify_start(call, variant, read, write);
}

static ct_status verify_tables(verify_call *call)
{
    ct_status status = CT_OK;
    verify_variant variant;
    for (int i = 0; i < CT_PORTS && call->stage->ports[i].name; i++) {
        if (call->stage->ports[i].direction != CT_TABLE || verify_share(call) > 1) continue;
        for (int64_t n = 1; n < call->count[i]; n++) {
            verify_other(call, &variant);
            variant.layout[i] = call->layouts[i][n];
            CT_TRY(verify_try(call, &variant, &call->report->others));
        }
    }
out:
    return status;
}

/* ---- gaps between rows, odd beginnings, accumulation, ports left out */

static ct_status verify_others(verify_call *call)
{
    ct_status status = CT_OK;
    verify_variant variant;
    if (verify_share(call) > 1) return CT_OK;
    for (int64_t pad = 3; pad <= 16; pad += 13) { /* rows that are aligned nowhere, and aligned */
        verify_other(call, &variant);
        verify_pad(&variant, pad);
        CT_TRY(verify_try(call, &variant, &call->report->others));
    }
    verify_other(call, &variant);
    variant.add = true;
    if (verify_has(call, CT_PORT_ACCUMULATE, CT_OUT))
        CT_TRY(verify_try(call, &variant, &call->report->others));
    verify_other(call, &variant);
    variant.bare = true;
    if (verify_has(call, CT_PORT_OPTIONAL, CT_OUT))
        CT_TRY(verify_try(call, &variant, &call->report->others));
out:
    return status;
}

/* ---- tunables */

static ct_status verify_layout_step(const verify_call *call, ct_step *step,
                                    const verify_variant *variant)
{
    ct_status status = CT_OK;
    for (int i = 0; i < ct_step_ports(step); i++)
        if (call->count[i]) CT_TRY(ct_step_set_layout(step, i, &variant->layout[i], call->err));
out:
    return status;
}

/* A random pair of layouts where the combination is legal there, else the pair that it was chosen
 * for. */
static ct_status verify_place(const verify_call *call, verify_variant *variant, ct_step *step,
                              int64_t n)
{
    const verify_variant chosen = *variant;
    uint64_t reads = (uint64_t)verify_count(call, call->read);
    uint64_t writes = (uint64_t)verify_count(call, call->write);
    ct_status status = CT_OK;
    verify_start(call, variant, (int64_t)(ct_verify_hash(7, (uint64_t)n, 1) % reads),
                 (int64_t)(ct_verify_hash(8, (uint64_t)n, 1) % writes));
    verify_follow(call, variant);
    CT_TRY(verify_layout_step(call, step, variant));
    if (!ct_verify_combination(step, n))
        memcpy(variant->layout, chosen.layout, sizeof chosen.layout);
    memcpy(variant->tunable, step->tunable, sizeof variant->tunable);
out:
    return status;
}

static ct_status verify_all_tunables(verify_call *call)
{
    ct_status status = CT_OK;
    verify_variant variant, placed;
    ct_step step = *call->one.step;
    int64_t *list = NULL, count;
    int64_t most =
        call->options->quick ? VERIFY_SAMPLE / verify_share(call) : call->options->most_tunables;
    verify_other(call, &variant);
    verify_follow(call, &variant);
    CT_TRY(verify_layout_step(call, &step, &variant));
    count = ct_verify_tunables(&list, &step, most, (uint64_t)call->before);
    if (count < 0) CT_TRY(ct_memory_fail(0, call->err));
    for (int64_t i = 0; i < count; i++) {
        placed = variant;
        CT_TRY(verify_place(call, &placed, &step, list[i]));
        CT_TRY(verify_try(call, &placed, &call->report->tunables));
    }
out:
    ct_memory_free(list);
    return status;
}

/* ---- cases */

static ct_status verify_ports(verify_call *call)
{
    const ct_step *step = call->one.step;
    call->read = call->write = -1;
    call->variants = 0;
    for (int i = 0; i < ct_step_ports(step); i++) {
        ct_direction direction = step->stage->ports[i].direction;
        const char *only = NULL;
        if (step->port[i].type == CT_NONE || step->port[i].rank == 0) continue;
        if (direction == CT_IN && call->read < 0) {
            call->read = i;
            only = call->options->read;
        } else if (direction == CT_OUT && call->write < 0) {
            call->write = i;
            only = call->options->write;
        }
        call->count[i] = ct_step_layouts(&call->layouts[i], step, i, only);
        if (call->count[i] < 0) return ct_memory_fail(0, call->err);
        if (!call->count[i])
            return ct_error_add(call->err, CT_USAGE, "stage %s: port %s cannot have layout %s",
                                step->stage->name, step->stage->ports[i].name,
                                only ? only : step->stage->ports[i].layout);
    }
    return CT_OK;
}

static void verify_end_case(verify_call *call)
{
    ct_verify_case_free(&call->one);
    for (int i = 0; i < CT_PORTS; i++) {
        ct_memory_free(call->layouts[i]);
        call->layouts[i] = NULL;
        call->count[i] = 0;
    }
}

/* Without flags one variant is enough: all else was tried with them. A quick call leaves them out
 * of every other case instead. */
static ct_status verify_unflagged(verify_call *call, int number)
{
    ct_status status = CT_OK;
    verify_variant variant;
    CT_TRY(ct_verify_case_new(&call->one, call->stage, number, false, call->device, call->err));
    CT_TRY(verify_ports(call));
    verify_other(call, &variant);
    CT_TRY(verify_try(call, &variant, &call->report->others));
out:
    verify_end_case(call);
    return status;
}

static ct_status verify_one_case(verify_call *call, int number)
{
    ct_status status = CT_OK;
    const bool flags = !call->options->quick || number % 2;
    CT_TRY(ct_verify_case_new(&call->one, call->stage, number, flags, call->device, call->err));
    CT_TRY(verify_ports(call));
    call->before = ct_verify_before(&call->likes, verify_count(call, call->read),
                                    verify_count(call, call->write));
    CT_TRY(verify_pairs(call));
    CT_TRY(verify_tables(call));
    CT_TRY(verify_others(call));
    CT_TRY(verify_all_tunables(call));
    const bool again = flags && verify_share(call) == 1 && verify_has(call, CT_PORT_FLAGS, CT_IN);
    verify_end_case(call);
    if (again) CT_TRY(verify_unflagged(call, number));
out:
    verify_end_case(call);
    return status;
}

static ct_status verify_check_stage(const ct_stage *stage, ct_error *err)
{
    if (!stage->reference || !stage->cases || !stage->cases[0].extents)
        return ct_error_add(err, CT_USAGE, "stage %s cannot be verified: it has no %s", stage->name,
                            stage->reference ? "cases" : "reference");
    return CT_OK;
}

static ct_status verify_fail_name(const ct_context *context, const char *name, ct_error *err)
{
    const char *names[128] = {NULL}, *nearest;
    const ct_stage *stage;
    for (size_t i = 0; i < 127 && (stage = ct_context_stage_at(context, i)); i++)
        names[i] = stage->name;
    nearest = ct_suggest_nearest(name, names);
    return ct_error_add(err, CT_USAGE, "there is no stage \"%s\"%s%s%s", name,
                        nearest ? "; did you mean \"" : "", nearest ? nearest : "",
                        nearest ? "\"?" : "");
}

ct_status ct_tune_verify(ct_context *context, ct_device *device, const char *stage,
                         const ct_verify_options *options, ct_verify_report *report, ct_error *err)
{
    static const ct_sized how = CT_SIZED(ct_verify_options, quick);
    static const ct_sized what = CT_SIZED(ct_verify_report, wrong);
    ct_verify_options own = {.size = sizeof own};
    ct_verify_report told = {0};
    verify_call call = {.device = device, .options = &own, .report = &told, .err = err};
    ct_status status = options ? ct_sized_take(&own, &how, options, err) : CT_OK;
    if (status == CT_OK && report) status = ct_sized_give(report, &what, &told, err);
    if (status != CT_OK) return status;
    call.stage = ct_context_stage(context, stage);
    if (!call.stage) return verify_fail_name(context, stage, err);
    CT_TRY(verify_check_stage(call.stage, err));
    for (int i = 0; call.stage->cases[i].extents; i++) {
        told.cases++;
        CT_TRY(verify_one_case(&call, i + 1));
    }
    if (told.wrong) status = CT_MISMATCH;
out:
    if (report) (void)ct_sized_give(report, &what, &told, NULL);
    return status;
}

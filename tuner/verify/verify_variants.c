/* verify_variants.c: what is tried of one case, and in which order: pairs of layouts, the tables'
 * layouts, padding and accumulation, then tunables.
 * Room: tuner/verify. Knows layouts and tunables as lists. Does not know how a variant is run. */
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "fail.h"
#include "program.h"
#include "text.h"
#include "verify_inner.h"
#include <string.h>

#define VERIFY_WRONG 8   /* after so many wrong variants the rest is not tried */
#define VERIFY_SAMPLE 12 /* tunables of a quick call */
#define VERIFY_PAIRS 4   /* random pairs of a quick call */
#define VERIFY_ALL 6     /* layouts of a port, up to which a quick call takes each */
#define VERIFY_SHARE 6   /* a quick call tries such a part of both in a case like one before */

void ct_verify_start(const verify_call *call, verify_variant *variant, int64_t read, int64_t write)
{
    memset(variant, 0, sizeof *variant);
    memcpy(variant->tunable, call->one.step->tunable, sizeof variant->tunable);
    for (int i = 0; i < CT_PORTS && call->stage->ports[i].name; i++) {
        bool table = call->stage->ports[i].direction == CT_TABLE;
        int64_t n = i == call->read ? read : i == call->write ? write : table ? 0 : call->variants;
        if (call->count[i]) variant->layout[i] = call->layouts[i][n % call->count[i]];
    }
}

void ct_verify_follow(const verify_call *call, verify_variant *variant)
{
    for (int i = 0; i < CT_PORTS && call->stage->ports[i].name; i++) {
        const char *pattern = call->stage->ports[i].layout;
        int other = pattern[0] == '=' ? ct_step_find_port(call->one.step, pattern + 1) : -1;
        if (other >= 0 && call->count[i]) variant->layout[i] = variant->layout[other];
    }
}

bool ct_verify_is_in_part(verify_call *call)
{
    const ct_verify_options *options = call->options;
    int64_t serial = call->serial++;
    return options->parts < 2 || serial % options->parts == options->part;
}

static ct_status verify_make_legal(const verify_call *call, verify_variant *variant)
{
    char what[512];
    ct_text why = {0};
    const ct_status status = ct_verify_make_legal(call, variant, &why);
    ct_verify_describe(what, sizeof what, &call->one, variant);
    if (status != CT_OK)
        (void)ct_step_fail(call->one.step, NULL, call->err,
                           "%s: no tunables are legal in this layout%s", what, why.data);
    ct_text_free(&why);
    return status;
}

/* Wrong results are counted; any other failure ends the call. Tunables that the device has not
 * enough for are none of its: what a kernel takes of registers and of local memory only its
 * compiler says. */
static ct_status verify_run(verify_call *call, const verify_variant *variant, int64_t *counter)
{
    ct_error why = {0};
    ct_status status = ct_verify_run(&call->one, variant, call->device, &call->report->worst, &why);
    if (status == CT_FAILED && counter == &call->report->tunables && ct_program_is_too_large(&why))
        return CT_OK;
    ++*counter;
    if (status != CT_OK) (void)ct_error_pass(call->err, status, &why);
    if (status != CT_MISMATCH) return status;
    return ++call->report->wrong < VERIFY_WRONG ? CT_OK : CT_MISMATCH;
}

static ct_status verify_try(verify_call *call, verify_variant *variant, int64_t *counter)
{
    char what[512];
    call->variants++;
    if (!ct_verify_is_in_part(call)) return CT_OK;
    ct_verify_pieces_give(call, variant);
    ct_verify_follow(call, variant);
    ct_status status = verify_make_legal(call, variant);
    if (status != CT_OK) return status;
    ct_verify_describe(what, sizeof what, &call->one, variant);
    if (call->options->progress) call->options->progress(call->options->state, what);
    return verify_run(call, variant, counter);
}

/* ---- layouts */

/* Of a quick call: all of it in the first case of its kind, a share in those like it. */
static int64_t verify_share(const verify_call *call)
{
    return call->options->quick && call->before > 0 ? VERIFY_SHARE : 1;
}

bool ct_verify_has(const verify_call *call, unsigned flag, ct_direction direction)
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

/* What verify_others tries one after another, all in one variant. */
static void verify_mix(const verify_call *call, verify_variant *variant)
{
    static const int64_t pads[] = {0, 3, 16};
    verify_pad(variant, pads[call->variants % 3]);
    variant->add = call->variants % 2 && ct_verify_has(call, CT_PORT_ACCUMULATE, CT_OUT);
    variant->bare = call->variants % 4 == 3 && ct_verify_has(call, CT_PORT_OPTIONAL, CT_OUT);
}

static ct_status verify_pair(verify_call *call, int64_t read, int64_t write)
{
    verify_variant variant;
    ct_verify_start(call, &variant, read, write);
    if (verify_share(call) > 1) verify_mix(call, &variant);
    return verify_try(call, &variant, &call->report->layouts);
}

int64_t ct_verify_layouts(const verify_call *call, int port)
{
    return port < 0 ? 1 : call->count[port];
}

static ct_status verify_all_pairs(verify_call *call)
{
    ct_status status = CT_OK;
    for (int64_t read = 0; read < ct_verify_layouts(call, call->read); read++)
        for (int64_t write = 0; write < ct_verify_layouts(call, call->write); write++)
            CT_TRY(verify_pair(call, read, write));
out:
    return status;
}

/* Each of the first `reads` and `writes` layouts at least once, or each `step`-th, against a
 * changing partner, then random pairs of any. */
static ct_status verify_some_pairs(verify_call *call, int64_t reads, int64_t writes, int64_t step,
                                   int64_t random)
{
    ct_status status = CT_OK;
    const uint64_t all_reads = (uint64_t)ct_verify_layouts(call, call->read),
                   all_writes = (uint64_t)ct_verify_layouts(call, call->write);
    int64_t sides = reads > writes ? reads : writes;
    uint64_t seed = (uint64_t)call->one.number, n = 0;
    for (int64_t side = call->before % step; side < sides; side += step)
        CT_TRY(verify_pair(call, side % reads, (side + (int64_t)(seed * 5)) % writes));
    for (; random > 0; random--, n++)
        CT_TRY(verify_pair(call, (int64_t)(ct_verify_hash(3, seed, n) % all_reads),
                           (int64_t)(ct_verify_hash(4, seed, n) % all_writes)));
out:
    return status;
}

/* How many layouts a quick call takes of a port; where these are not all, they become the first. */
static int64_t verify_quick_layouts(const verify_call *call, int port)
{
    const int64_t count = ct_verify_layouts(call, port);
    if (count <= VERIFY_ALL || verify_share(call) > 1) return count;
    return ct_verify_cover(call->layouts[port], count);
}

static ct_status verify_pairs(verify_call *call)
{
    int64_t reads = ct_verify_layouts(call, call->read),
            writes = ct_verify_layouts(call, call->write);
    int64_t sides = reads > writes ? reads : writes, most = call->options->most_layouts;
    const int64_t share = verify_share(call);
    if (call->options->quick && (sides + VERIFY_PAIRS) / share < reads * writes)
        return verify_some_pairs(call, verify_quick_layouts(call, call->read),
                                 verify_quick_layouts(call, call->write), share,
                                 ct_divide_up(VERIFY_PAIRS, share));
    if (most && most < reads * writes)
        return verify_some_pairs(call, reads, writes, 1, most - sides);
    return verify_all_pairs(call);
}

/* A pseudo-random pair, and where there is a choice not the natural order. */
static void verify_other(const verify_call *call, verify_variant *variant)
{
    int64_t reads = ct_verify_layouts(call, call->read),
            writes = ct_verify_layouts(call, call->write);
    uint64_t number = (uint64_t)call->one.number;
    int64_t read =
        reads < 2 ? 0 : 1 + (int64_t)(ct_verify_hash(5, number, 0) % (uint64_t)(reads - 1));
    int64_t write =
        writes < 2 ? 0 : 1 + (int64_t)(ct_verify_hash(6, number, 0) % (uint64_t)(writes - 1));
    ct_verify_start(call, variant, read, write);
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
    if (ct_verify_has(call, CT_PORT_ACCUMULATE, CT_OUT))
        CT_TRY(verify_try(call, &variant, &call->report->others));
    verify_other(call, &variant);
    variant.bare = true;
    if (ct_verify_has(call, CT_PORT_OPTIONAL, CT_OUT))
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
    uint64_t reads = (uint64_t)ct_verify_layouts(call, call->read);
    uint64_t writes = (uint64_t)ct_verify_layouts(call, call->write);
    ct_status status = CT_OK;
    ct_verify_start(call, variant, (int64_t)(ct_verify_hash(7, (uint64_t)n, 1) % reads),
                    (int64_t)(ct_verify_hash(8, (uint64_t)n, 1) % writes));
    ct_verify_follow(call, variant);
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
    ct_verify_follow(call, &variant);
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

/* ---- what verify_stage.c calls */

ct_status ct_verify_variants(verify_call *call)
{
    ct_status status = CT_OK;
    CT_TRY(verify_pairs(call));
    CT_TRY(verify_tables(call));
    CT_TRY(verify_others(call));
    CT_TRY(verify_all_tunables(call));
out:
    return status;
}

ct_status ct_verify_one_variant(verify_call *call)
{
    verify_variant variant;
    verify_other(call, &variant);
    return verify_try(call, &variant, &call->report->others);
}

bool ct_verify_in_full(const verify_call *call)
{
    return verify_share(call) == 1;
}

void ct_verify_plain(const verify_call *call, verify_variant *variant, int64_t read, int64_t write)
{
    ct_verify_start(call, variant, read, write);
    for (int i = 0; i < CT_PORTS && call->stage->ports[i].name; i++)
        if (call->count[i] && i != call->read && i != call->write)
            variant->layout[i] = call->layouts[i][0];
    ct_verify_follow(call, variant);
    (void)ct_verify_make_legal(call, variant, NULL);
}

/* verify_pieces.c: where sums may begin and end inside a firing (CT_PORT_CARRY): parts of a case's
 * samples that a launch adds by itself, and what they should give: what the reference makes of a
 * case that has no others.
 * Room: tuner/verify. Knows cases. Does not know how a variant is run, or compared. */
#include "fail.h"
#include "oneshot.h"
#include "verify_inner.h"
#include <string.h>

/* The case's step for these samples only. */
static ct_status pieces_step(ct_step **out, const ct_step *step, int64_t samples, ct_error *err)
{
    ct_status status = CT_OK;
    ct_step *cut = NULL;
    CT_TRY(ct_step_copy(&cut, step, err));
    for (int p = 0; p < ct_step_ports(cut); p++)
        if (step->stage->ports[p].direction == CT_IN && ct_array_find(&cut->port[p], 'T') >= 0)
            ct_array_set(&cut->port[p], 'T', samples);
    CT_TRY(ct_step_infer(cut, err));
    ct_step_extend(cut);
out:
    *out = cut;
    return status;
}

/* Inputs are those samples of the case's, with the history before them; outputs are new. */
static ct_status pieces_port(ct_array *out, const verify_case *one, const ct_step *cut, int p,
                             int64_t first, ct_error *err)
{
    const ct_direction direction = cut->stage->ports[p].direction;
    ct_array from = one->port[p];
    *out = from;
    if (from.type == CT_NONE || direction == CT_TABLE || direction == CT_SCRATCH) return CT_OK;
    out->data = NULL;
    if (direction == CT_IN && ct_array_find(&from, 'T') >= 0) {
        const int64_t count = ct_array_extent(&cut->port[p], 'T');
        from = ct_array_part(&from, 'T', first, count);
        ct_array_set(out, 'T', count);
    }
    ct_array_dense(out, NULL);
    out->data = ct_memory_get(ct_array_bytes(out));
    if (!out->data) return ct_memory_fail(ct_array_bytes(out), err);
    if (direction == CT_IN) ct_copy_array(out, &from);
    return CT_OK;
}

static void pieces_free_ports(const ct_stage *stage, ct_array port[CT_PORTS], bool outputs)
{
    for (int p = 0; p < CT_PORTS && stage->ports[p].name; p++) {
        const ct_direction direction = stage->ports[p].direction;
        if (direction == CT_IN || (outputs && direction == CT_OUT)) {
            ct_memory_free(port[p].data);
            port[p].data = NULL;
        }
    }
}

static ct_status pieces_add(verify_call *call, int64_t first, int64_t end)
{
    ct_status status = CT_OK;
    const verify_case *one = &call->one;
    ct_step *cut = NULL;
    verify_piece *piece = &call->piece[call->pieces++];
    const uint64_t random = ct_verify_hash(9, (uint64_t)one->number, (uint64_t)call->pieces);
    *piece = (verify_piece){.first = first, .end = end};
    piece->start = (int64_t)(random % 100000) * one->step->grain;
    CT_TRY(pieces_step(&cut, one->step, end - first, call->err));
    for (int p = 0; p < ct_step_ports(cut); p++)
        CT_TRY(pieces_port(&piece->port[p], one, cut, p, first, call->err));
    CT_TRY(ct_oneshot_run_reference(cut, call->device, piece->port, call->err));
out:
    pieces_free_ports(call->stage, piece->port, false);
    ct_step_free(cut);
    return status;
}

static bool pieces_can_be(const verify_case *one)
{
    for (int p = 0; p < CT_PORTS; p++)
        if (one->given_output[p]) return false;
    return ct_step_carries(one->step) && one->step->accumulate > 1 && !one->unreferenced &&
           ct_step_firing(one->step) >= 3;
}

/* One at either end, and one in between. */
ct_status ct_verify_pieces_make(verify_call *call)
{
    ct_status status = CT_OK;
    const int64_t samples = ct_step_firing(call->one.step);
    const uint64_t number = (uint64_t)call->one.number;
    if (!pieces_can_be(&call->one)) return CT_OK;
    const int64_t first = 1 + (int64_t)(ct_verify_hash(10, number, 0) % (uint64_t)(samples - 2));
    const int64_t rest = samples - 1 - first;
    const int64_t end = first + 1 + (int64_t)(ct_verify_hash(11, number, 0) % (uint64_t)rest);
    CT_TRY(pieces_add(call, 0, first));
    CT_TRY(pieces_add(call, first, end));
    CT_TRY(pieces_add(call, end, samples));
out:
    return status;
}

void ct_verify_pieces_free(verify_call *call)
{
    for (int i = 0; i < call->pieces; i++)
        pieces_free_ports(call->stage, call->piece[i].port, true);
    call->pieces = 0;
}

/* Variants have all samples, or one of the pieces, in turn, which is added or not. */
void ct_verify_pieces_give(const verify_call *call, verify_variant *variant)
{
    const int64_t n = call->variants % (VERIFY_PIECES + 1);
    if (n >= call->pieces) return;
    variant->piece = &call->piece[n];
    variant->add = variant->add || call->variants / (VERIFY_PIECES + 1) % 2;
}

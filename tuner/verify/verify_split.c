/* verify_split.c: is each part of what a stage declares in `split` true? A part is computed by a
 * step that is cut, on a part of the inputs, and compared with that part of what is right; parts
 * that are to be added are added. Once per letter, in the first case that has two or more along it.
 * Room: tuner/verify. Knows cut steps. Does not know ranks. */
#include "fail.h"
#include "step_range.h"
#include "verify_inner.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct split_trial {
    verify_call *call;
    char dim;    /* of the case's arrays */
    int64_t cut; /* the first part has the indices before it */
    verify_variant variant;
    verify_case part;
} split_trial;

/* The part of an array of the case that belongs to the step, in natural order and dense. */
static ct_status split_take(split_trial *trial, int port, ct_error *err)
{
    const verify_case *one = &trial->call->one;
    const ct_step *step = trial->part.step;
    ct_array *to = &trial->part.port[port], from = one->port[port];
    *to = from;
    if (from.type == CT_NONE || !from.data) return CT_OK;
    to->data = NULL;
    for (int k = 0; k < to->rank; k++) {
        const int64_t count = ct_array_extent(&step->port[port], to->dim[k]);
        if (count == to->extent[k]) continue;
        from = ct_array_part(&from, to->dim[k], ct_step_port_first(step, port, to->dim[k]), count);
        to->extent[k] = count;
    }
    ct_array_dense(to, NULL);
    to->data = ct_memory_get(ct_array_bytes(to));
    if (!to->data) return ct_memory_fail(ct_array_bytes(to), err);
    ct_copy_array(to, &from);
    return CT_OK;
}

static ct_status split_part(split_trial *trial, int64_t first, int64_t count, ct_error *err)
{
    ct_status status = CT_OK;
    const verify_case *one = &trial->call->one;
    verify_case *part = &trial->part;
    *part = *one;
    part->step = NULL;
    memset(part->port, 0, sizeof part->port);
    CT_TRY(ct_step_copy(&part->step, one->step, err));
    ct_step_set_range(part->step, trial->dim, first, count);
    CT_TRY(ct_step_plain(part->step, err));
    for (int p = 0; p < ct_step_ports(part->step); p++) {
        CT_TRY(split_take(trial, p, err));
        trial->variant.layout[p] = part->step->port[p].layout;
    }
    memcpy(trial->variant.tunable, part->step->tunable, sizeof trial->variant.tunable);
    snprintf(part->input, sizeof part->input, "%.80s, %lld along %c from %lld on of", one->input,
             (long long)count, trial->dim, (long long)first);
out:
    return status;
}

static void split_end_part(split_trial *trial)
{
    for (int p = 0; p < CT_PORTS; p++)
        ct_memory_free(trial->part.port[p].data);
    ct_step_free(trial->part.step);
    memset(&trial->part, 0, sizeof trial->part);
}

/* The last part by itself. */
static ct_status split_free(split_trial *trial)
{
    ct_status status = CT_OK;
    verify_call *call = trial->call;
    const int64_t all = ct_step_split_extent(call->one.step, trial->dim);
    CT_TRY(split_part(trial, trial->cut, all - trial->cut, call->err));
    status =
        ct_verify_run(&trial->part, &trial->variant, call->device, &call->report->worst, call->err);
out:
    split_end_part(trial);
    return status;
}

static void split_add(ct_array *sum, const ct_array *part, double sign)
{
    for (int64_t i = 0, count = ct_array_count(sum); i < count; i++) {
        const ct_complex a = ct_array_load(sum, i), b = ct_array_load(part, i);
        ct_array_save(sum, i, a.re + sign * b.re, a.im + sign * b.im);
    }
}

static ct_status split_compare(split_trial *trial, int port, const ct_array *rest)
{
    const verify_case *one = &trial->call->one;
    const ct_port *declared = &one->step->stage->ports[port];
    const bool exact = ct_port_is_exact(declared) && ct_type_integer(one->step->port[port].type);
    const double allowed = exact ? 0 : one->step->stage->verify.tolerance * one->rms[port];
    double worst = 0;
    for (int64_t i = 0, count = ct_array_count(rest); i < count; i++) {
        const ct_complex off = ct_array_load(rest, i);
        worst = fmax(worst, hypot(off.re, off.im));
    }
    if (worst <= allowed) return CT_OK;
    return ct_error_add(trial->call->err, CT_MISMATCH,
                        "%s case %d: port %s: the parts along %c do not add up: %.3g off, %.3g "
                        "allowed",
                        one->step->stage->name, one->number, declared->name, trial->dim, worst,
                        allowed);
}

/* Both parts, subtracted from what is right. */
static ct_status split_sum(split_trial *trial)
{
    ct_status status = CT_OK;
    verify_call *call = trial->call;
    const ct_step *step = call->one.step;
    const int64_t all = ct_step_split_extent(step, trial->dim);
    ct_array rest[CT_PORTS] = {0};
    for (int part = 0; part < 2; part++) {
        CT_TRY(split_part(trial, part ? trial->cut : 0, part ? all - trial->cut : trial->cut,
                          call->err));
        CT_TRY(ct_verify_expect_natural(&trial->part, call->device, call->err));
        for (int p = 0; p < ct_step_ports(step); p++) {
            if (step->stage->ports[p].direction != CT_OUT || step->port[p].type == CT_NONE)
                continue;
            if (part == 0) {
                rest[p] = call->one.port[p];
                rest[p].data = ct_memory_get(ct_array_bytes(&rest[p]));
                CT_NEED(rest[p].data, ct_array_bytes(&rest[p]), call->err);
                ct_copy_array(&rest[p], &call->one.port[p]);
            }
            split_add(&rest[p], &trial->part.port[p], -1);
            if (part == 1) CT_TRY(split_compare(trial, p, &rest[p]));
        }
        split_end_part(trial);
    }
out:
    split_end_part(trial);
    for (int p = 0; p < CT_PORTS; p++)
        ct_memory_free(rest[p].data);
    return status;
}

static ct_status split_try(verify_call *call, char dim, ct_split how)
{
    char what[96];
    split_trial trial = {.call = call, .dim = dim};
    trial.cut = ct_step_split_extent(call->one.step, dim) / 2;
    snprintf(what, sizeof what, "%s case %d: split along %c", call->stage->name, call->one.number,
             dim);
    if (call->options->progress) call->options->progress(call->options->state, what);
    call->report->others++;
    const ct_status status = how == CT_SPLIT_SUM ? split_sum(&trial) : split_free(&trial);
    if (status != CT_MISMATCH) return status;
    call->report->wrong++;
    (void)ct_error_add(call->err, CT_MISMATCH,
                       "stage %s declares that it can be split along %c%s: part %lld.. by itself "
                       "gives something else",
                       call->stage->name, dim, how == CT_SPLIT_SUM ? " by adding" : "",
                       (long long)trial.cut);
    return CT_OK;
}

ct_status ct_verify_splits(verify_call *call)
{
    ct_status status = CT_OK;
    const ct_step *step = call->one.step;
    for (int p = 0; call->stage->split && p < ct_step_ports(step); p++)
        for (int k = 0; step->port[p].type != CT_NONE && k < step->port[p].rank; k++) {
            const char dim = step->port[p].dim[k];
            const ct_split how = ct_step_split(step, dim, NULL);
            if (how == CT_SPLIT_NOT || strchr(call->split, dim)) continue;
            if (ct_step_split_extent(step, dim) < 2) continue;
            call->split[strlen(call->split)] = dim;
            if (ct_verify_is_in_part(call)) CT_TRY(split_try(call, dim, how));
        }
out:
    return status;
}

/* A letter counts as tried under any of the names that arrays have for it. */
static bool split_is_tried(const verify_call *call, const char *dims, char letter)
{
    const char *at = strchr(dims, letter);
    if (!at) return false;
    const char *open = at > dims && at[-1] == '[' ? at : NULL;
    for (size_t k = 0; open && open[k] != ']'; k++)
        if (strchr(call->split, open[k])) return true;
    return strchr(call->split, letter) != NULL;
}

ct_status ct_verify_splits_done(verify_call *call)
{
    char letter;
    for (int n = 0; ct_step_split_letter(call->stage->split, n, &letter) != CT_SPLIT_NOT; n++) {
        bool tried = false;
        for (int p = 0; p < CT_PORTS && call->stage->ports[p].name; p++)
            tried = tried || split_is_tried(call, call->stage->ports[p].dims, letter);
        if (tried) continue;
        call->report->wrong++;
        (void)ct_error_add(call->err, CT_MISMATCH,
                           "stage %s declares that it can be split along %c, and no case has two "
                           "or more along it that can be",
                           call->stage->name, letter);
    }
    return CT_OK;
}

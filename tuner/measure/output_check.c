/* output_check.c: see output_check.h.
 * Room: tuner/measure. Knows steps that are ready to be timed, and their buffers. Does not know any
 * stage. */
#include "output_check.h"

#include <math.h>
#include <string.h>

#include "device_values.h"
#include "fail.h"
#include "layout.h"
#include "text.h"

/* The sums of both sides are rounded, in orders of their own, and over more terms than where the
 * stage was verified. */
#define TIMES 10.0
#define LEAST 1e-4
/* Integers of so many bits are rounded sums; of each so many one may be rounded the other way. */
enum { ROUNDED_BITS = 16, MANY_ROUNDED = 10000 };

static bool check_writes(const ct_timed_step *timed, int port, bool scratch)
{
    const ct_direction direction = timed->step->stage->ports[port].direction;
    if (timed->step->port[port].type == CT_NONE) return false;
    return direction == CT_OUT || (scratch && direction == CT_SCRATCH);
}

static ct_status check_spoil(ct_timed_step *timed, ct_error *err)
{
    ct_status status = CT_OK;
    for (int i = 0; i < ct_step_ports(timed->step); i++)
        if (check_writes(timed, i, true))
            CT_TRY(ct_buffer_fill(ct_timed_step_buffer(timed, i), timed->device,
                                  ct_array_bytes(&timed->step->port[i]), CT_EXPECTED_POISON, err));
out:
    return status;
}

static ct_status check_fire(ct_timed_step *timed, double *seconds, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_timed timing = ct_timed_step_timing(timed);
    CT_TRY(check_spoil(timed, err));
    CT_TRY(timing.run(timing.of, seconds, err));
out:
    return status;
}

/* How many of the output's units, or of its numbers' rms. */
static double check_allowed(const ct_step *step, int port)
{
    const bool exact = ct_port_is_exact(&step->stage->ports[port]);
    if (step->stage->verify.tolerance == 0) return 0;
    if (ct_type_integer(step->port[port].type)) return exact ? 0 : 1;
    return fmax(TIMES * step->stage->verify.tolerance, LEAST);
}

/* In the output's own unit. */
static double check_most(const ct_check *check, const ct_timed_step *timed, int port)
{
    const bool integer = ct_type_integer(timed->step->port[port].type);
    return check_allowed(timed->step, port) * (integer ? 1 : check->rms[port]);
}

/* What is done with an output once it is in the host's memory. */
typedef ct_status check_visit(ct_check *check, const ct_timed_step *timed, int port,
                              const ct_array *array, ct_error *err);

static ct_status check_keep(ct_check *check, const ct_timed_step *timed, int port,
                            const ct_array *array, ct_error *err)
{
    ct_status status = CT_OK;
    ct_expected *expected = &check->port[port];
    CT_TRY(ct_expected_scan(array, timed->step->stage->ports[port].name, err));
    CT_TRY(ct_expected_take(expected, array, err));
    check->rms[port] = ct_expected_rms(&expected->array);
    (void)ct_buffer_over(&check->known[port], timed->device, expected->array.data, expected->bytes,
                         NULL);
out:
    return status;
}

static ct_status check_fail(const ct_expected *expected, const ct_array *array,
                            const ct_difference *found, const char *name, ct_error *err)
{
    ct_text text = {0};
    char place[CT_ARRAY_COORDINATE];
    const int64_t wrong = found->wrong + found->unwritten;
    const bool unwritten =
        !found->wrong || (found->unwritten && found->first_unwritten < found->first_wrong);
    const int64_t first = unwritten ? found->first_unwritten : found->first_wrong;
    ct_array_coordinate(place, array, first);
    ct_expected_say(&text, expected, array, first);
    const ct_status status =
        ct_error_add(err, CT_MISMATCH, "%s %s at %s: %s (%lld wrong of %lld compared)", name,
                     found->wrong ? "is wrong" : "is partly unwritten:", place, text.data,
                     (long long)wrong, (long long)expected->count);
    ct_text_free(&text);
    return status;
}

/* Rounded sums: added up in another order, those next to the middle of two integers may become the
 * other one. */
static bool check_rounds(const ct_step *step, const ct_expected *expected, const ct_array *array,
                         const ct_difference *found)
{
    const bool rounded = ct_type_integer(array->type) && ct_type_bits(array->type) <= ROUNDED_BITS;
    if (step->stage->verify.tolerance == 0 || !rounded || found->unwritten > 0) return false;
    if (found->wrong > expected->count / MANY_ROUNDED) return false;
    const ct_difference away = ct_expected_compare(expected, array, CT_EXPECTED_NEAR, 1, NULL);
    return away.wrong + away.unwritten == 0;
}

/* A value that is near a finite number is finite and was written: only where it is not near, the
 * array is scanned for the reason. */
static ct_status check_compare(ct_check *check, const ct_timed_step *timed, int port,
                               const ct_array *array, ct_error *err)
{
    ct_status status = CT_OK;
    const char *name = timed->step->stage->ports[port].name;
    const ct_expected *expected = &check->port[port];
    const double most = check_most(check, timed, port);
    const ct_difference found = ct_expected_compare(
        expected, array, most > 0 ? CT_EXPECTED_NEAR : CT_EXPECTED_BITS, most, NULL);
    if (found.wrong + found.unwritten == 0) return CT_OK;
    if (check_rounds(timed->step, expected, array, &found)) return CT_OK;
    CT_TRY(ct_expected_scan(array, name, err));
    CT_TRY(check_fail(expected, array, &found, name, err));
out:
    return status;
}

/* `port` is the expectation's, `from` the one whose memory is compared. */
static ct_status check_port(ct_check *check, ct_timed_step *timed, int port, int from,
                            check_visit *visit, ct_error *err)
{
    ct_status status = CT_OK;
    ct_array array = timed->step->port[from];
    const ct_buffer *buffer = ct_timed_step_buffer(timed, from);
    array.data = NULL;
    CT_TRY(ct_buffer_map(&array.data, buffer, timed->device, err));
    CT_TRY(visit(check, timed, port, &array, err));
out:
    if (array.data && ct_buffer_unmap(buffer, timed->device, array.data, status ? NULL : err))
        status = status ? status : CT_FAILED;
    return status;
}

static ct_status check_each(ct_check *check, ct_timed_step *timed, check_visit *visit,
                            ct_error *err)
{
    ct_status status = CT_OK;
    for (int i = 0; i < ct_step_ports(timed->step); i++)
        if (check_writes(timed, i, false)) CT_TRY(check_port(check, timed, i, i, visit, err));
out:
    return status;
}

ct_status ct_check_take(ct_check *out, ct_timed_step *timed, double *seconds, ct_error *err)
{
    ct_status status = CT_OK;
    *out = (ct_check){0};
    CT_TRY(check_fire(timed, seconds, err));
    CT_TRY(check_each(out, timed, check_keep, err));
out:
    if (status != CT_OK) ct_check_free(out);
    return status;
}

/* Whether the device has no doubt that the port holds what it should. */
static ct_status check_is_sure(bool *sure, const ct_buffer *known, const ct_array *array,
                               double most, const ct_timed_step *timed, int port, ct_error *err)
{
    ct_device_values *values = ct_inputs_values(timed->pool->inputs);
    *sure = false;
    if (!values || !known->mem) return CT_OK;
    return ct_device_values_compare(sure, values, ct_timed_step_buffer(timed, port),
                                    &timed->step->port[port], known, array, most, err);
}

static ct_status check_output(ct_check *check, ct_timed_step *timed, int port, ct_error *err)
{
    ct_status status = CT_OK;
    bool sure;
    const ct_expected *expected = &check->port[port];
    if (!expected->array.data) return CT_OK;
    CT_TRY(check_is_sure(&sure, &check->known[port], &expected->array,
                         check_most(check, timed, port), timed, port, err));
    if (!sure) CT_TRY(check_port(check, timed, port, port, check_compare, err));
out:
    return status;
}

ct_status ct_check_run(const ct_check *check, ct_timed_step *timed, double *seconds, ct_error *err)
{
    ct_status status = CT_OK;
    ct_check expected = *check; /* the same data */
    CT_TRY(check_fire(timed, seconds, err));
    for (int i = 0; i < ct_step_ports(timed->step); i++)
        if (check_writes(timed, i, false)) CT_TRY(check_output(&expected, timed, i, err));
out:
    return status;
}

ct_status ct_check_run_copy(ct_timed_step *timed, double *seconds, ct_error *err)
{
    ct_status status = CT_OK;
    bool sure;
    ct_check expected = {0};
    const int to = ct_step_first_output(timed->step);
    CT_TRY(check_fire(timed, seconds, err));
    CT_TRY(check_is_sure(&sure, ct_timed_step_buffer(timed, 0), &timed->step->port[0], 0, timed, to,
                         err));
    if (sure) goto out;
    CT_TRY(check_port(&expected, timed, to, 0, check_keep, err));
    CT_TRY(check_port(&expected, timed, to, to, check_compare, err));
out:
    ct_check_free(&expected);
    return status;
}

void ct_check_free(ct_check *check)
{
    for (int i = 0; i < CT_PORTS; i++) {
        ct_buffer_free(&check->known[i]);
        ct_expected_free(&check->port[i]);
    }
}

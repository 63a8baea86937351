/* output_check.c: see output_check.h.
 * Room: tuner/measure. Knows steps that are ready to be timed, and their buffers. Does not know any
 * stage. */
#include "output_check.h"

#include <math.h>
#include <string.h>

#include "fail.h"
#include "layout.h"
#include "text.h"

/* The sums of both sides are rounded, in orders of their own, and over more terms than where the
 * stage was verified. */
#define TIMES 10.0
#define LEAST 1e-4

static bool check_writes(const ct_timed_step *timed, int port, bool scratch)
{
    const ct_direction direction = timed->step->stage->ports[port].direction;
    if (timed->step->port[port].type == CT_NONE) return false;
    return direction == CT_OUT || (scratch && direction == CT_SCRATCH);
}

static ct_status check_spoil(ct_timed_step *timed, ct_error *err)
{
    ct_status status = CT_OK;
    for (int i = 0; i < ct_step_ports(timed->step); i++) {
        void *data;
        const ct_buffer *buffer = ct_timed_step_buffer(timed, i);
        if (!check_writes(timed, i, true)) continue;
        CT_TRY(ct_buffer_map(&data, buffer, timed->device, err));
        memset(data, CT_EXPECTED_POISON, ct_array_bytes(&timed->step->port[i]));
        CT_TRY(ct_buffer_unmap(buffer, timed->device, data, err));
    }
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

/* A value that is near a finite number is finite and was written: only where it is not near, the
 * array is scanned for the reason. */
static ct_status check_compare(ct_check *check, const ct_timed_step *timed, int port,
                               const ct_array *array, ct_error *err)
{
    ct_status status = CT_OK;
    const char *name = timed->step->stage->ports[port].name;
    const ct_expected *expected = &check->port[port];
    const double allowed = check_allowed(timed->step, port);
    const double unit = ct_type_integer(array->type) ? 1 : check->rms[port];
    if (!expected->array.data) return CT_OK;
    const ct_difference found = ct_expected_compare(
        expected, array, allowed > 0 ? CT_EXPECTED_NEAR : CT_EXPECTED_BITS, allowed * unit, NULL);
    if (found.wrong + found.unwritten == 0) return CT_OK;
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

ct_status ct_check_take_copy(ct_check *out, ct_timed_step *timed, ct_error *err)
{
    const int to = ct_step_first_output(timed->step);
    *out = (ct_check){0};
    return check_port(out, timed, to, 0, check_keep, err);
}

ct_status ct_check_run(const ct_check *check, ct_timed_step *timed, double *seconds, ct_error *err)
{
    ct_status status = CT_OK;
    ct_check expected = *check; /* the same data */
    CT_TRY(check_fire(timed, seconds, err));
    CT_TRY(check_each(&expected, timed, check_compare, err));
out:
    return status;
}

void ct_check_free(ct_check *check)
{
    for (int i = 0; i < CT_PORTS; i++)
        ct_expected_free(&check->port[i]);
}

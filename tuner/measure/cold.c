/* cold.c: see cold.h.
 * Room: tuner/measure. Knows works, and the copy that measures a device. Does not know any stage.
 */
#include "cold.h"

#include "device.h"
#include "fail.h"
#include "limits.h"

#define WHOLE ((size_t)16384)   /* bytes, of which ct_limits_copy takes a multiple */
#define MOST ((size_t)32 << 20) /* what is larger has pushed itself out */

void ct_cold_free(ct_cold *cold)
{
    for (int i = 0; i < CT_COLD_SIZES; i++)
        ct_work_free(cold->copy[i]);
    *cold = (ct_cold){0};
}

/* The copy of so many bytes. */
static ct_status cold_copy(ct_work **out, ct_cold *cold, ct_device *device, size_t bytes,
                           ct_error *err)
{
    ct_status status = CT_OK;
    int at = 0;
    while (at < CT_COLD_SIZES && cold->bytes[at] != bytes)
        at++;
    if (at == CT_COLD_SIZES) {
        at = cold->next;
        cold->next = (at + 1) % CT_COLD_SIZES;
        ct_work_free(cold->copy[at]);
        cold->copy[at] = NULL;
        cold->bytes[at] = 0;
        CT_TRY(ct_limits_copy(&cold->copy[at], device, (int64_t)bytes, &cold->pool, err));
        cold->bytes[at] = bytes;
    }
    *out = cold->copy[at];
out:
    return status;
}

static ct_status cold_put(ct_cold *cold, const ct_work *work, int port, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t bytes = ct_array_bytes(&work->step->port[port]) / WHOLE * WHOLE;
    ct_work *copy;
    double aside;
    if (bytes == 0 || bytes > MOST) return CT_OK;
    cold->pool.mem[0] = cold->pool.mem[1] = *ct_work_buffer(work, port);
    CT_TRY(cold_copy(&copy, cold, work->device, bytes, err));
    const ct_timed timed = ct_work_timed(copy);
    CT_TRY(timed.run(timed.of, &aside, err));
out:
    return status;
}

static ct_status cold_run(void *of, double *seconds, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_cold_work *cold = of;
    const ct_step *step = cold->work->step;
    for (int p = 0; p < ct_step_ports(step) && !cold->work->device->gpu; p++) {
        const int direction = step->stage->ports[p].direction;
        if (step->port[p].type != CT_NONE && (direction == CT_IN || direction == CT_OUT))
            CT_TRY(cold_put(cold->cold, cold->work, p, err));
    }
    const ct_timed timed = ct_work_timed(cold->work);
    CT_TRY(timed.run(timed.of, seconds, err));
out:
    return status;
}

ct_timed ct_cold_timed(ct_cold_work *work)
{
    return (ct_timed){cold_run, work};
}

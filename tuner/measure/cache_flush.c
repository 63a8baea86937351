/* cache_flush.c: see cache_flush.h.
 * Room: tuner/measure. Knows steps that are ready to be timed, and the copy that measures a device.
 * Does not know any stage. */
#include "cache_flush.h"

#include "device.h"
#include "fail.h"
#include "limits.h"

#define WHOLE ((size_t)16384)   /* bytes, of which ct_limits_copy takes a multiple */
#define MOST ((size_t)32 << 20) /* larger arrays do not stay in caches anyway */

void ct_cache_flush_free(ct_cache_flush *flush)
{
    for (int i = 0; i < CT_CACHE_FLUSH_SIZES; i++)
        ct_timed_step_free(flush->copy[i]);
    *flush = (ct_cache_flush){0};
}

/* The copy of so many bytes. */
static ct_status flush_copy(ct_timed_step **out, ct_cache_flush *flush, ct_device *device,
                            size_t bytes, ct_error *err)
{
    ct_status status = CT_OK;
    int at = 0;
    while (at < CT_CACHE_FLUSH_SIZES && flush->bytes[at] != bytes)
        at++;
    if (at == CT_CACHE_FLUSH_SIZES) {
        at = flush->next;
        flush->next = (at + 1) % CT_CACHE_FLUSH_SIZES;
        ct_timed_step_free(flush->copy[at]);
        flush->copy[at] = NULL;
        flush->bytes[at] = 0;
        CT_TRY(ct_limits_copy(&flush->copy[at], device, (int64_t)bytes, &flush->pool, err));
        flush->bytes[at] = bytes;
    }
    *out = flush->copy[at];
out:
    return status;
}

static ct_status flush_port(ct_cache_flush *flush, const ct_timed_step *timed, int port,
                            ct_error *err)
{
    ct_status status = CT_OK;
    const size_t bytes = ct_array_bytes(&timed->step->port[port]) / WHOLE * WHOLE;
    ct_timed_step *copy;
    double aside;
    if (bytes == 0 || bytes > MOST) return CT_OK;
    flush->pool.mem[0] = flush->pool.mem[1] = *ct_timed_step_buffer(timed, port);
    CT_TRY(flush_copy(&copy, flush, timed->device, bytes, err));
    const ct_timed timing = ct_timed_step_timing(copy);
    CT_TRY(timing.run(timing.of, &aside, err));
out:
    return status;
}

static ct_status flush_run(void *of, double *seconds, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_flushed_step *flush = of;
    const ct_step *step = flush->timed->step;
    for (int p = 0; p < ct_step_ports(step) && !flush->timed->device->gpu; p++) {
        const int direction = step->stage->ports[p].direction;
        if (step->port[p].type != CT_NONE && (direction == CT_IN || direction == CT_OUT))
            CT_TRY(flush_port(flush->flush, flush->timed, p, err));
    }
    const ct_timed timing = ct_timed_step_timing(flush->timed);
    CT_TRY(timing.run(timing.of, seconds, err));
out:
    return status;
}

ct_timed ct_cache_flush_timed(ct_flushed_step *timed)
{
    return (ct_timed){flush_run, timed};
}

/* dada_ring_sink.c: see dada_ring.h: samples into a ring's blocks, which end where they like: as
 * many as a block has room for go there at once, one that lies in two by way of memory of its own.
 * Room: io/dada. Knows strides and blocks of a ring. Does not know PSRDADA's library. */
#include "dada_ring.h"
#include <stdio.h>
#include <string.h>

struct ct_dada_ring_sink {
    ct_dada_ring of;
    ct_layout layout; /* of a sample, T first */
    size_t sample_bytes;
    uint8_t *at;       /* the ring's block */
    size_t room, used; /* bytes of it */
    uint8_t *torn;     /* a sample that will lie in two blocks */
    bool begun;        /* its header is in the ring */
    double written;
    ct_counter counter[2];
};

static ct_status sink_stalls(const ct_dada_ring_sink *sink, ct_error *err)
{
    return ct_error_add(err, CT_INTERRUPTED, "%s: interrupted: nobody reads what is written to it",
                        sink->of.name);
}

static ct_status sink_put_header(ct_dada_ring_sink *sink, const char header[CT_DADA_HEADER],
                                 ct_error *err)
{
    char why[CT_RING_WHY];
    const ct_dada_ring *of = &sink->of;
    ct_ring_answer answer;
    while ((answer = of->calls->put_header(of->ring, header, CT_DADA_HEADER, why)) == CT_RING_WAIT)
        if (!ct_dada_ring_wait(of)) return sink_stalls(sink, err);
    sink->begun = answer == CT_RING_DONE;
    return sink->begun ? CT_OK : ct_dada_ring_fail(of, why, err);
}

ct_status ct_dada_ring_sink_open(ct_dada_ring_sink **out, ct_step *step, const ct_dada_ring *of,
                                 const char *order, const char header[CT_DADA_HEADER],
                                 ct_error *err)
{
    const ct_array *in = &step->port[0];
    ct_dada_ring_sink *sink = *out = ct_step_alloc(step, sizeof *sink);
    if (!sink) return CT_FAILED;
    *sink = (ct_dada_ring_sink){.of = *of, .sample_bytes = ct_type_bits(in->type) / 8};
    sink->of.step = step; /* which is not infer()'s, as a rule */
    for (; *order; order++) {
        if (ct_array_find(in, *order) < 0) continue;
        sink->layout.dim[sink->layout.rank++] = *order;
        if (*order != 'T') sink->sample_bytes *= (size_t)ct_array_extent(in, *order);
    }
    sink->torn = ct_step_alloc(step, sink->sample_bytes);
    if (!sink->torn) return CT_FAILED;
    ct_status status = ct_dada_ring_attach(&sink->of, true, err);
    if (status == CT_OK) status = sink_put_header(sink, header, err);
    if (status != CT_OK) ct_dada_ring_release(&sink->of);
    return status;
}

/* ---- writing */

/* Waits for the slowest reader. */
static ct_status sink_more(ct_dada_ring_sink *sink, ct_error *err)
{
    char why[CT_RING_WHY];
    const ct_dada_ring *of = &sink->of;
    ct_ring_answer answer;
    while ((answer = of->calls->room(of->ring, &sink->at, &sink->room, why)) == CT_RING_WAIT)
        if (!ct_dada_ring_wait(of)) return sink_stalls(sink, err);
    sink->used = 0;
    return answer == CT_RING_DONE ? CT_OK : ct_dada_ring_fail(of, why, err);
}

static void sink_take(const ct_dada_ring_sink *sink, const ct_array *block, int64_t first,
                      int64_t count, uint8_t *to)
{
    const ct_order order = ct_region_order_dense(&sink->layout, block, count);
    const ct_copy copy = ct_region_make(block, &order, first, 0, count);
    ct_copy_run(&copy, to, block->data);
}

static ct_status sink_put_torn(ct_dada_ring_sink *sink, ct_error *err)
{
    ct_status status = CT_OK;
    for (size_t done = 0, now; status == CT_OK && done < sink->sample_bytes; done += now) {
        now = sink->sample_bytes - done;
        if (sink->used == sink->room) status = sink_more(sink, err);
        if (status != CT_OK) break;
        if (now > sink->room - sink->used) now = sink->room - sink->used;
        memcpy(sink->at + sink->used, sink->torn + done, now);
        sink->used += now;
    }
    return status;
}

ct_status ct_dada_ring_sink_write(ct_dada_ring_sink *sink, const ct_array *block, int64_t first,
                                  int64_t count, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t sample = sink->sample_bytes;
    while (status == CT_OK && count > 0) {
        if (sink->used == sink->room) status = sink_more(sink, err);
        if (status != CT_OK) break;
        int64_t now = (int64_t)((sink->room - sink->used) / sample);
        if (now > count) now = count;
        if (now > 0) {
            sink_take(sink, block, first, now, sink->at + sink->used);
            sink->used += (size_t)now * sample;
        } else {
            now = 1;
            sink_take(sink, block, first, 1, sink->torn);
            status = sink_put_torn(sink, err);
        }
        first += now;
        count -= now;
        sink->written += (double)((size_t)now * sample);
    }
    return status;
}

const ct_counter *ct_dada_ring_sink_count(ct_dada_ring_sink *sink)
{
    sink->counter[0] = (ct_counter){.name = "written",
                                    .unit = "bytes",
                                    .help = "Bytes that were written.",
                                    .value = sink->written};
    return sink->counter;
}

/* Readers are told that the observation has ended, whatever has ended it. */
ct_status ct_dada_ring_sink_close(ct_dada_ring_sink *sink, bool complete, ct_error *err)
{
    char why[CT_RING_WHY];
    const ct_dada_ring *of = &sink->of;
    ct_ring_answer answer = CT_RING_DONE;
    bool stopped = false;
    while (sink->begun && of->ring && !stopped &&
           (answer = of->calls->end(of->ring, sink->used, why)) == CT_RING_WAIT)
        stopped = !ct_dada_ring_wait(of);
    ct_dada_ring_release(&sink->of);
    if (!complete || (answer == CT_RING_DONE && !stopped)) return CT_OK;
    return stopped ? sink_stalls(sink, err) : ct_dada_ring_fail(of, why, err);
}

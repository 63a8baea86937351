/* dada_ring_source.c: see dada_ring.h: samples out of a ring's blocks, which end where they like:
 * those that lie in one block go to their places at once, one that lies in two is put together
 * first. Room: io/dada. Knows strides and blocks of a ring. Does not know PSRDADA's library. */
#include "array_source.h"
#include "dada_ring.h"
#include <stdio.h>
#include <string.h>

enum { SOURCE_LEFT_TICKS = 2000 }; /* until a ring that nobody writes to counts as left */

struct ct_dada_ring_source {
    ct_dada_ring of;
    const ct_dada_ring_plan *plan;
    const char *node;
    double rate;       /* bytes a second; 0 unknown */
    const uint8_t *at; /* in the ring's block */
    size_t left;       /* bytes there */
    uint8_t *torn;     /* a sample that lies in two blocks */
    size_t have;       /* bytes of it */
    bool ended, left_alone;
    double read, most_behind;
    ct_counter counter[6];
};

/* The same text: what is behind its end may be anything. */
static ct_status source_take_header(ct_dada_ring_source *source, ct_error *err)
{
    char why[CT_RING_WHY];
    const char *text = NULL;
    size_t bytes = 0;
    const ct_dada_ring_plan *plan = source->plan;
    ct_status status = ct_dada_ring_look(&source->of, &text, &bytes, err);
    if (status != CT_OK) return status;
    if (bytes < plan->header_bytes || memcmp(text, plan->header, plan->header_bytes) != 0)
        return ct_dada_ring_fail(&source->of,
                                 "another program has taken the observation whose header was "
                                 "looked at: a run needs a reader's place of its own (dada_db -r)",
                                 err);
    if (source->of.calls->begin(source->of.ring, why) == CT_RING_DONE) return CT_OK;
    return ct_dada_ring_fail(&source->of, why, err);
}

ct_status ct_dada_ring_source_open(ct_dada_ring_source **out, ct_step *step,
                                   const ct_dada_ring_plan *plan, ct_error *err)
{
    ct_dada_ring_source *source = *out = ct_step_alloc(step, sizeof *source);
    const double spacing = step->port[0].meta.sample_time_s;
    if (!source) return CT_FAILED;
    *source = (ct_dada_ring_source){.of = plan->of, .plan = plan, .node = step->name};
    source->of.step = step; /* which is not infer()'s, as a rule */
    source->rate = spacing > 0 ? (double)plan->sample_bytes / spacing : 0;
    source->torn = ct_step_alloc(step, plan->sample_bytes);
    if (!source->torn) return CT_FAILED;
    ct_status status = ct_dada_ring_attach(&source->of, false, err);
    if (status == CT_OK) status = source_take_header(source, err);
    if (status != CT_OK) ct_dada_ring_release(&source->of);
    return status;
}

/* ---- reading */

static double source_behind(const ct_dada_ring_source *source, const ct_ring_sizes *sizes)
{
    return source->rate > 0 ? (double)sizes->full * (double)sizes->bytes / source->rate : 0;
}

static ct_ring_answer source_ask(ct_dada_ring_source *source, char why[CT_RING_WHY])
{
    ct_ring_sizes sizes;
    source->of.calls->sizes(source->of.ring, &sizes);
    const double behind = source_behind(source, &sizes);
    if (behind > source->most_behind) source->most_behind = behind;
    source->left = 0;
    return source->of.calls->next(source->of.ring, &source->at, &source->left, why);
}

/* The next block of the ring. A writer that has ended without saying so has ended the stream. */
static ct_status source_more(ct_dada_ring_source *source, ct_error *err)
{
    char why[CT_RING_WHY];
    int alone = 0;
    ct_ring_answer answer;
    while ((answer = source_ask(source, why)) == CT_RING_WAIT || answer == CT_RING_LEFT) {
        alone = answer == CT_RING_LEFT ? alone + 1 : 0;
        source->left_alone = alone > SOURCE_LEFT_TICKS;
        if (source->left_alone) break;
        if (!ct_dada_ring_wait(&source->of)) return CT_INTERRUPTED;
    }
    source->ended = source->left_alone || answer == CT_RING_END;
    source->read += (double)source->left;
    return answer == CT_RING_FAILED ? ct_dada_ring_fail(&source->of, why, err) : CT_OK;
}

static void source_put(const ct_dada_ring_source *source, ct_array *block, int64_t at,
                       const uint8_t *data, int64_t samples)
{
    ct_copy copy = ct_region_make(block, &source->plan->order, at, 0, samples);
    const int64_t memory = copy.from;
    copy.from = copy.to;
    copy.to = memory;
    for (int i = 0; i < copy.rank; i++) {
        const int64_t stride = copy.dim[i].from;
        copy.dim[i].from = copy.dim[i].to;
        copy.dim[i].to = stride;
    }
    ct_copy_sort(&copy, true);
    ct_copy_merge(&copy);
    ct_copy_run(&copy, block->data, data);
}

/* Of a sample that lies in two blocks or more what there is; true: that is all of it. */
static bool source_gather(ct_dada_ring_source *source)
{
    const size_t lacks = source->plan->sample_bytes - source->have;
    const size_t now = source->left < lacks ? source->left : lacks;
    if (now > 0) memcpy(source->torn + source->have, source->at, now);
    source->have += now;
    source->at += now;
    source->left -= now;
    return source->have == source->plan->sample_bytes;
}

/* What is there of `wanted` samples; 0: nothing of the ring's block is left. */
static int64_t source_some(ct_dada_ring_source *source, ct_array *block, int64_t at, int64_t wanted)
{
    const size_t sample = source->plan->sample_bytes;
    int64_t now = (int64_t)(source->left / sample);
    if (source->have > 0 || now == 0) {
        if (!source_gather(source)) return 0;
        source_put(source, block, at, source->torn, 1);
        source->have = 0;
        return 1;
    }
    if (now > wanted) now = wanted;
    source_put(source, block, at, source->at, now);
    source->at += (size_t)now * sample;
    source->left -= (size_t)now * sample;
    return now;
}

ct_status ct_dada_ring_source_read(ct_dada_ring_source *source, ct_array *block, uint8_t *flags,
                                   int64_t *got, ct_error *err)
{
    const int64_t samples = ct_array_extent(block, 'T');
    ct_status status = CT_OK;
    *got = 0;
    while (status == CT_OK && *got < samples && !source->ended) {
        const int64_t now = source_some(source, block, *got, samples - *got);
        *got += now;
        if (now == 0) status = source_more(source, err);
    }
    ct_array_source_end(block, flags, *got);
    return status;
}

/* ---- what is said of it */

const ct_counter *ct_dada_ring_source_count(ct_dada_ring_source *source)
{
    ct_ring_sizes sizes = {0};
    if (source->of.ring) source->of.calls->sizes(source->of.ring, &sizes);
    const ct_counter rows[] = {
        {.name = "read", .unit = "bytes", .help = "Bytes of the ring.", .value = source->read},
        {.name = "buffer",
         .unit = "bytes",
         .help = "Bytes that are in the ring and were not looked at yet.",
         .value = (double)(sizes.full * sizes.bytes),
         .level = true},
        {.name = "buffer_room",
         .unit = "bytes",
         .help = "How many of these there may be.",
         .value = (double)(sizes.blocks * sizes.bytes),
         .level = true},
        {.name = "behind",
         .unit = "seconds",
         .help = "How many seconds of samples are in the ring and were not looked at yet.",
         .value = source_behind(source, &sizes),
         .level = true},
        {.name = "most_behind",
         .unit = "seconds",
         .help = "The most of it so far.",
         .value = source->most_behind,
         .level = true},
    };
    memcpy(source->counter, rows, sizeof rows);
    return source->counter;
}

void ct_dada_ring_source_close(ct_dada_ring_source *source, bool complete)
{
    if (complete && source->left_alone)
        fprintf(stderr,
                "%s: %s: its writer has ended without an end of data: the stream ends there\n",
                source->node, source->of.name);
    if (complete && source->have > 0)
        fprintf(stderr, "%s: %s: ends within a sample: its last %zu bytes are left out\n",
                source->node, source->of.name, source->have);
    ct_dada_ring_release(&source->of);
}

/* lofar_block.c: see lofar_block.h. Packets are moved directly from the input buffer to their place
 * in the block, or its tile, a batch at a time, so that neighbours are written together.
 * Room: io/lofar. Knows blocks of arrays, lanes and which beamlets are read. Does not know
 * graphs. */
#include "lofar_block.h"
#include <string.h>

enum { BATCH = 128, ZEROS = 64 /* samples */, PASS = 1024 /* likewise */ };

static const uint8_t block_zeros[ZEROS * 2 * 4];

typedef struct block_batch {
    ct_lofar_window window;
    const ct_array *array; /* where to */
    int64_t next;          /* number of its first sample */
    int64_t blocks;        /* samples of a packet */
    int64_t row_bytes;     /* of a beamlet */
    int64_t count;
    int64_t sample[BATCH];
    const uint8_t *from[BATCH]; /* after the header; of zeros, each row the same */
} block_batch;

static void block_add_pick(ct_lofar_block *to, const ct_lofar_pick *pick, int64_t c)
{
    ct_lofar_row *row = to->rows > 0 ? &to->row[to->rows - 1] : NULL;
    if (row && row->lane == pick->lane && row->beamlet + row->count == pick->beamlet)
        row->count++;
    else
        to->row[to->rows++] = (ct_lofar_row){pick->lane, pick->beamlet, c, 1};
}

ct_status ct_lofar_block_open(ct_lofar_block *to, ct_step *step)
{
    const ct_lofar_plan *plan = step->state;
    const ct_packet *form = &plan->lane[0].extent.form;
    const size_t unit = ct_type_bits(step->port[0].type) / 8;
    to->row = ct_step_alloc(step, (size_t)plan->picks * sizeof *to->row);
    if (!to->row) return CT_FAILED;
    for (int64_t i = 0; i < plan->picks; i++)
        block_add_pick(to, &plan->pick[i], i);
    to->change = (ct_unpack_change){form->bits, (unsigned)unit * 4, plan->clamp, (int)plan->scale};
    const ct_status status = ct_lofar_tile_open(&to->tile, step);
    if (status != CT_OK || (!plan->clamp && plan->scale == 1)) return status;
    to->converted = ct_step_alloc(step, (size_t)255 * 255 * 2 * unit);
    return to->converted ? CT_OK : CT_FAILED;
}

void ct_lofar_block_begin(ct_lofar_block *to, ct_array *block, int64_t next)
{
    to->block = block;
    to->next = next;
    if (block) ct_lofar_tile_shape(&to->tile, block);
}

static block_batch block_batch_of(const ct_lofar_block *to, const ct_lane *lane, ct_lofar_window at)
{
    return (block_batch){.window = at,
                         .array = to->block,
                         .next = to->next,
                         .blocks = lane->form.blocks,
                         .row_bytes = (int64_t)lane->form.blocks * lane->form.bits / 2};
}

/* Converts one packet's numbers, of these beamlets. */
static const uint8_t *block_convert(const ct_lofar_block *to, const block_batch *batch,
                                    const uint8_t *from, int64_t rows)
{
    if (!to->converted || batch->row_bytes == 0) return from;
    ct_unpack_convert(&to->change, to->converted, from, (size_t)(rows * batch->blocks * 4));
    return to->converted;
}

/* The part of a packet that the window wants, of these beamlets. */
static ct_unpack_piece block_piece(const ct_lofar_block *to, const block_batch *batch,
                                   const ct_lofar_row *row, int64_t i)
{
    const ct_array *array = batch->array;
    const ct_lofar_window *at = &batch->window;
    const int64_t unit = ct_type_bits(array->type) / 8, first = batch->sample[i];
    const int64_t from = first > at->from ? first : at->from, end = first + batch->blocks;
    const uint8_t *payload = batch->from[i] + row->beamlet * batch->row_bytes;
    const int64_t place = array->offset + at->station * ct_array_stride(array, 'S') +
                          (from - batch->next) * ct_array_stride(array, 'T') +
                          row->c * ct_array_stride(array, 'C');
    payload = block_convert(to, batch, payload, row->count);
    return (ct_unpack_piece){payload + (from - first) * 2 * unit,
                             (uint8_t *)array->data + place * unit,
                             (end < at->to ? end : at->to) - from};
}

static void block_flush(ct_lofar_block *to, block_batch *batch)
{
    const ct_array *array = batch->array;
    const int64_t unit = array ? ct_type_bits(array->type) / 8 : 0;
    const int64_t most = to->converted ? 1 : BATCH; /* there is room for one converted */
    const int64_t row = batch->row_bytes ? batch->blocks * 2 * unit : 0;
    ct_unpack unpack = {.unit = (int)unit};
    if (array)
        unpack = (ct_unpack){(int)unit, ct_array_stride(array, 'T'), ct_array_stride(array, 'P'),
                             ct_array_stride(array, 'C'), to->tile.past && !to->tile.used};
    for (int64_t r = 0; array && r < to->rows; r++) {
        if (to->row[r].lane != batch->window.lane) continue;
        for (int64_t i = 0; i < batch->count;) {
            ct_unpack_piece piece[BATCH];
            int64_t count = 0;
            for (; count < most && i < batch->count; i++)
                piece[count++] = block_piece(to, batch, &to->row[r], i);
            ct_unpack_run(&unpack, piece, count, to->row[r].count, row);
        }
    }
    batch->count = 0;
}

/* Returns how many of the packet's samples the window has. */
static int64_t block_add(ct_lofar_block *to, block_batch *batch, int64_t sample,
                         const uint8_t *payload)
{
    const ct_lofar_window *at = &batch->window;
    const int64_t from = sample > at->from ? sample : at->from, end = sample + batch->blocks;
    const int64_t count = (end < at->to ? end : at->to) - from;
    if (count <= 0) return 0;
    batch->sample[batch->count] = sample;
    batch->from[batch->count++] = payload;
    if (batch->count == BATCH) block_flush(to, batch);
    return count;
}

/* What was looked at before. */
static ct_status block_take_known(ct_lofar_block *to, ct_lane *lane, block_batch *batch,
                                  int64_t *taken, ct_error *err)
{
    const ct_lofar_window *at = &batch->window;
    const int64_t blocks = batch->blocks;
    for (int64_t r = ct_lane_find(lane, at->from); r < lane->spans; r++) {
        const ct_lane_span *span = &lane->span[r];
        if (span->sample >= at->to) break;
        int64_t skip = at->from > span->sample ? (at->from - span->sample) / blocks : 0;
        while (skip < span->packets && span->sample + skip * blocks < at->to) {
            int64_t count;
            const uint8_t *packet;
            const ct_status status = ct_lane_packets(lane, span, skip, &count, &packet, err);
            if (status != CT_OK) return status;
            for (int64_t i = 0; i < count; i++)
                *taken += block_add(to, batch, span->sample + (skip + i) * blocks,
                                    packet + i * lane->bytes + CT_PACKET_HEADER);
            block_flush(to, batch); /* before the next ones take their place */
            skip += count;
        }
    }
    return CT_OK;
}

/* Makes room for the next packet, if there is none: nothing waits in the buffer then. */
static ct_status block_make_room(ct_lofar_block *to, ct_lane *lane, block_batch *batch, int64_t at,
                                 int64_t bytes, ct_error *err)
{
    if (ct_lofar_input_holds(&lane->input, at, bytes)) return CT_OK;
    block_flush(to, batch);
    return ct_lofar_input_load(&lane->input, at, err);
}

/* What comes next, into the batch; `late`: where to with what belongs before its window. */
static ct_status block_step(ct_lofar_block *to, ct_lane *lane, block_batch *batch,
                            block_batch *late, int64_t *taken, bool *ended, ct_error *err)
{
    bool more = true;
    ct_lane_packet packet = {.at = -1};
    ct_status status =
        block_make_room(to, lane, batch, lane->at, 2 * lane->bytes + CT_PACKET_HEADER, err);
    if (status == CT_OK) status = ct_lane_step(lane, &packet, &more, err);
    *ended = !more;
    if (status != CT_OK || packet.at < 0 || !to->block) return status;
    status = block_make_room(to, lane, batch, packet.at, lane->bytes, err);
    if (status != CT_OK) return status;
    const uint8_t *payload = ct_lofar_input_at(&lane->input, packet.at) + CT_PACKET_HEADER;
    *taken += block_add(to, batch, packet.sample, payload);
    if (!late || packet.sample >= late->window.to) return CT_OK;
    *taken += block_add(to, late, packet.sample, payload);
    block_flush(to, late);
    return CT_OK;
}

ct_status ct_lofar_block_take(ct_lofar_block *to, ct_lane *lane, ct_lofar_window at, int64_t *taken,
                              bool *ended, ct_error *err)
{
    const ct_lofar_window before = {to->next, at.from, at.station, at.lane};
    block_batch batch = block_batch_of(to, lane, at), late = block_batch_of(to, lane, before);
    if (to->tile.used) {
        batch.array = &to->tile.array;
        batch.next = at.from;
    }
    lane->wanted = at.to;
    lane->input.ahead = (size_t)(((at.to - at.from) / batch.blocks + 4) * lane->bytes);
    ct_status status = block_take_known(to, lane, &batch, taken, err);
    while (status == CT_OK && !*ended && lane->highest < at.to)
        status = block_step(to, lane, &batch, &late, taken, ended, err);
    block_flush(to, &batch);
    return status;
}

ct_status ct_lofar_block_pass(ct_lofar_block *to, ct_lane *lane, int64_t sample, bool *ended,
                              ct_error *err)
{
    const ct_lofar_window none = {to->next, to->next, 0, 0};
    block_batch batch = block_batch_of(to, lane, none);
    const int64_t end = sample < to->next - PASS ? sample + PASS : to->next;
    int64_t taken = 0;
    ct_status status = CT_OK;
    ct_lane_forget(lane, to->next);
    lane->wanted = to->next;
    while (status == CT_OK && !*ended && lane->highest < end)
        status = block_step(to, lane, &batch, NULL, &taken, ended, err);
    return status;
}

void ct_lofar_block_store(ct_lofar_block *to, ct_lofar_window at)
{
    if (to->tile.used)
        ct_lofar_tile_store(&to->tile, to->block, at.station, at.from - to->next, at.to - at.from);
}

/* Until all samples are there, or those that are missing cannot come any more. */
ct_status ct_lofar_block_finish(ct_lofar_block *to, ct_lane *lane, ct_lofar_window at, bool last,
                                int64_t *taken, bool *ended, ct_error *err)
{
    block_batch batch = block_batch_of(to, lane, at);
    ct_status status = CT_OK;
    lane->wanted = at.to;
    while (status == CT_OK && !*ended && !ct_lane_knows(lane, at.to) &&
           (last || *taken < at.to - at.from))
        status = block_step(to, lane, &batch, NULL, taken, ended, err);
    block_flush(to, &batch);
    return status;
}

void ct_lofar_block_zero(ct_lofar_block *to, ct_lofar_window at)
{
    block_batch batch = {.window = at, .array = to->block, .next = to->next, .blocks = ZEROS};
    if (!to->block) return;
    for (int64_t sample = at.from; sample < at.to; sample += ZEROS)
        (void)block_add(to, &batch, sample, block_zeros);
    block_flush(to, &batch);
}

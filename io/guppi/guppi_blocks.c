/* guppi_blocks.c: see guppi_blocks.h.
 * Room: io/guppi. Knows PKTIDX. Does not know samples' places in a block. */
#include "guppi_blocks.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* While blocks are found: the one before. */
typedef struct guppi_search {
    ct_guppi_blocks *out;
    ct_step *step;
    double max_gap_s;
    int64_t index; /* PKTIDX of the block before */
    int64_t early; /* blocks that do not come after the one before */
} guppi_search;

/* ---- all blocks are alike */

static ct_status guppi_compare(const guppi_search *search, const ct_guppi *block,
                               const ct_input *in, int64_t at, ct_error *err)
{
    const ct_guppi *first = &search->out->first;
    const struct {
        const char *keyword;
        double first, found;
    } rows[] = {{"BLOCSIZE", (double)first->bytes, (double)block->bytes},
                {"OBSNCHAN", (double)first->channels, (double)block->channels},
                {"NPOL", (double)first->components, (double)block->components},
                {"NBITS", (double)first->bits, (double)block->bits},
                {"OVERLAP", (double)first->overlap, (double)block->overlap},
                {"TBIN", first->sample_time_s, block->sample_time_s},
                {"OBSFREQ", first->freq_mhz, block->freq_mhz},
                {"OBSBW", first->bw_mhz, block->bw_mhz},
                {"STT_IMJD", (double)first->day, (double)block->day},
                {"STT_SMJD", (double)first->second, (double)block->second}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].first != rows[i].found)
            return ct_error_add(err, CT_DATA,
                                "%s: %s: expected %.15g as in the first block of %s, found %.15g "
                                "in the block at byte %" PRId64,
                                in->file, rows[i].keyword, rows[i].first, search->out->file[0],
                                rows[i].found, at);
    return CT_OK;
}

/* ---- a block after those before it */

/* Twice as many each time; what was before stays with the step. */
static ct_guppi_block *guppi_add(guppi_search *search)
{
    ct_guppi_blocks *out = search->out;
    if (out->count == out->room) {
        const int64_t room = out->room > 0 ? 2 * out->room : 64;
        ct_guppi_block *more = ct_step_alloc(search->step, (size_t)room * sizeof *more);
        if (!more) return NULL;
        if (out->count > 0) memcpy(more, out->block, (size_t)out->count * sizeof *more);
        out->block = more;
        out->room = room;
    }
    return &out->block[out->count++];
}

/* Samples from the beginning of the block before to this one's. */
static ct_status guppi_step(guppi_search *search, const ct_guppi *block, const ct_input *in,
                            int64_t at, int64_t *out, ct_error *err)
{
    const int64_t usual = ct_guppi_new(block);
    *out = usual;
    if (block->per_index <= 0 || block->index < 0 || search->index < 0) return CT_OK;
    const double found = round((double)(block->index - search->index) * block->per_index);
    const double gap_s = (found - (double)usual) * block->sample_time_s;
    if (found < (double)usual) search->early++;
    if (gap_s > search->max_gap_s)
        return ct_error_add(err, CT_DATA,
                            "%s: PKTIDX: a hole of %.6g s before the block at byte %" PRId64
                            ", expected at most %g (\"max_gap_s\")",
                            in->file, gap_s, at, search->max_gap_s);
    if (found > (double)usual) *out = (int64_t)found;
    return CT_OK;
}

static ct_status guppi_place(guppi_search *search, const ct_guppi *block, const ct_input *in,
                             int64_t file, int64_t at, ct_error *err)
{
    ct_guppi_blocks *out = search->out;
    ct_guppi_block place = {.file = file, .data_at = block->data_at, .samples = block->samples};
    if (out->count > 0) {
        ct_guppi_block *before = &out->block[out->count - 1];
        int64_t step;
        ct_status status = guppi_step(search, block, in, at, &step, err);
        if (status != CT_OK) return status;
        place.begin = before->begin + step;
        out->holes += step > before->samples;
        if (step > before->samples) out->missing += step - before->samples;
        if (step < before->samples) before->samples = step;
    }
    ct_guppi_block *one = guppi_add(search);
    if (!one) return CT_FAILED;
    *one = place;
    out->total = place.begin + place.samples;
    search->index = block->index;
    return CT_OK;
}

/* ---- files */

static ct_status guppi_walk(guppi_search *search, ct_input *in, int64_t file, ct_error *err)
{
    ct_guppi block;
    int64_t at = 0;
    ct_status status = CT_OK;
    for (; status == CT_OK && at < in->size; at = ct_guppi_end(&block)) {
        status = ct_guppi_read(&block, in, at, err);
        if (status != CT_OK || !block.whole) break;
        if (search->out->count == 0) search->out->first = block;
        status = guppi_compare(search, &block, in, at, err);
        if (status == CT_OK) status = guppi_place(search, &block, in, file, at, err);
    }
    if (status == CT_OK && at < in->size && at > 0)
        ct_step_warn(search->step,
                     "%s: ends within a block: its last %" PRId64 " bytes are left out", in->file,
                     in->size - at);
    if (status == CT_OK && search->out->count == 0)
        return ct_error_add(err, CT_DATA,
                            "%s: expected a whole block after its header, found %" PRId64
                            " bytes in all",
                            in->file, in->size);
    return status;
}

static void guppi_warn(const guppi_search *search)
{
    const ct_guppi_blocks *out = search->out;
    if (out->holes > 0)
        ct_step_warn(search->step,
                     "%s: %" PRId64 " holes between blocks (PKTIDX), of %" PRId64
                     " samples: these are 0, and flagged",
                     out->file[0], out->holes, out->missing);
    if (search->early > 0)
        ct_step_warn(search->step,
                     "%s: PKTIDX: %" PRId64 " blocks begin before the block before them ends; they "
                     "are joined all the same, and times after them are wrong",
                     out->file[0], search->early);
    if (out->count > 1 && (out->first.per_index <= 0 || out->first.index < 0))
        ct_step_warn(search->step,
                     "%s: no PKTIDX, or neither PKTSIZE nor PIPERBLK: a lost block is not noticed",
                     out->file[0]);
    if (out->first.components == 2)
        ct_step_warn(search->step,
                     "%s: NPOL 2 is taken as real and imaginary part of one polarization",
                     out->file[0]);
}

static ct_status guppi_file(guppi_search *search, int64_t file, const char *name, ct_error *err)
{
    ct_input in;
    search->out->file[file] = ct_step_resolve(search->step, name);
    ct_step_reads(search->step, "files", search->out->file[file]);
    ct_status status = ct_input_open(&in, search->out->file[file], err);
    if (status != CT_OK) return status;
    status = guppi_walk(search, &in, file, err);
    ct_input_close(&in);
    return status;
}

ct_status ct_guppi_blocks_find(ct_guppi_blocks *out, ct_step *step, ct_error *err)
{
    guppi_search search = {
        .out = out, .step = step, .max_gap_s = ct_step_real(step, "max_gap_s"), .index = -1};
    const ct_value *files = ct_step_value(step, "files");
    const bool list = ct_value_kind(files) == CT_LIST;
    *out = (ct_guppi_blocks){.files = list ? (int64_t)ct_value_count(files) : 1};
    out->file = ct_step_alloc(step, (size_t)(out->files + 1) * sizeof *out->file);
    if (!out->file) return CT_FAILED;
    ct_status status = CT_OK;
    for (int64_t i = 0; status == CT_OK && i < out->files; i++) {
        const char *name = ct_value_text(list ? ct_value_at(files, (size_t)i) : files, NULL);
        if (!name) return ct_step_fail(step, "files", err, "expected names of files");
        status = guppi_file(&search, i, name, err);
    }
    if (status == CT_OK && out->files == 0)
        return ct_step_fail(step, "files", err, "expected at least one file");
    if (status == CT_OK) guppi_warn(&search);
    return status;
}

const ct_guppi_block *ct_guppi_blocks_at(const ct_guppi_blocks *blocks, int64_t sample)
{
    int64_t low = 0, high = blocks->count;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        *(blocks->block[middle].begin <= sample ? &low : &high) = middle;
    }
    return &blocks->block[low];
}

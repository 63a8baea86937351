/* flags_mask.c: masks are arrays of flags that a stage takes or gives. They are added to the flags
 * of samples, and these to them. Room: core/flags. Knows rows and groups of channels. Does not know
 * when that happens. */
#include <string.h>

#include "flags.h"
#include "flags_find.h"
#include "step_range.h"

#define SPAN 256 /* samples taken of one channel after the other: what is written stays cached */

int ct_flags_mask_port(const ct_step *step, ct_direction direction)
{
    for (int p = 0; p < ct_step_ports(step); p++)
        if ((step->stage->ports[p].flags & CT_PORT_FLAGS) &&
            step->stage->ports[p].direction == direction)
            return p;
    return -1;
}

/* From the first element of the array on, so without the history before it. */
size_t ct_flags_mask_bytes(const ct_array *mask)
{
    return ct_array_bytes(mask) - (size_t)mask->offset;
}

/* Where a part of an array begins: first[] is in the order of its dimensions. */
static int64_t place_of(const ct_array *part, const int64_t *first, char dim)
{
    const int k = ct_array_find(part, dim);
    return k >= 0 ? first[k] : 0;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* A mask of one station, and where it begins in the flags; `channels` of it are about all groups
 * where it has none of its own. */
typedef struct mask_part {
    const uint8_t *data;
    int64_t channels, samples, along_c, along_t;
    int64_t s, c, t;
    bool apart;  /* it has channels */
    bool single; /* and each of these is a group */
} mask_part;

static bool has_single_groups(const ct_flags *flags, const mask_part *mask)
{
    for (int64_t c = 0; c < mask->channels; c++)
        if (!mask->apart || ct_array_group(flags->of, mask->c + c) != mask->c + c) return false;
    return flags->groups > 1;
}

/* The row that has the flags of a channel. */
static inline int64_t row_of(const ct_flags *flags, const mask_part *mask, int64_t c)
{
    int64_t group = 0;
    if (mask->single)
        group = mask->c + c;
    else if (flags->groups > 1)
        group = mask->apart ? ct_array_group(flags->of, mask->c + c) : c;
    return mask->s * flags->groups + group;
}

/* A sample of a channel, and those that follow it. */
static void join_samples(const ct_flags *flags, const mask_part *mask, int64_t c, int64_t t,
                         int64_t count)
{
    const int64_t row = row_of(flags, mask, c);
    uint8_t *at = ct_flags_row(flags, row) + mask->t + t;
    for (int64_t i = 0; i < count; i++)
        at[i] = (at[i] | CT_FLAGS_MISSING) & CT_FLAGS_OUTSIDE;
    ct_flags_mark(ct_flags_marks(flags, row), mask->t + t, mask->t + t + count);
}

/* Channels lie side by side: samples with the same flags, as there often are, are taken together.
 */
static bool join_spectra(const ct_flags *flags, const mask_part *mask)
{
    bool any = false;
    for (int64_t t = 0, count; t < mask->samples; t += count) {
        const uint8_t *row = mask->data + t * mask->along_t;
        for (count = 1; t + count < mask->samples; count++)
            if (memcmp(row, row + count * mask->along_t, (size_t)mask->channels) != 0) break;
        for (int64_t c = 0; (c = ct_flags_find(row, c, mask->channels)) < mask->channels; c++) {
            join_samples(flags, mask, c, t, count);
            any = true;
        }
    }
    return any;
}

static int64_t next_in(const uint8_t *row, int64_t from, int64_t count, int64_t apart)
{
    if (apart == 1) return ct_flags_find(row, from, count);
    while (from < count && !row[from * apart])
        from++;
    return from;
}

static bool join_channels(const ct_flags *flags, const mask_part *mask)
{
    bool any = false;
    for (int64_t c = 0; c < mask->channels; c++) {
        const uint8_t *row = mask->data + c * mask->along_c;
        const int64_t samples = mask->samples, apart = mask->along_t;
        for (int64_t t = 0, count; (t = next_in(row, t, samples, apart)) < samples; t += count) {
            for (count = 1; t + count < samples && row[(t + count) * apart];)
                count++;
            join_samples(flags, mask, c, t, count);
            any = true;
        }
    }
    return any;
}

/* A mask without stations is about all of them, one without channels about all groups of these. */
void ct_flags_mask_join(ct_flags *flags, const ct_array *mask, const int64_t first[CT_DIMS])
{
    const bool each = ct_array_find(mask, 'S') >= 0, apart = ct_array_find(mask, 'C') >= 0;
    const int64_t stations = each ? ct_array_extent(mask, 'S') : flags->stations;
    const int64_t t0 = place_of(mask, first, 'T');
    mask_part part = {.channels = apart ? ct_array_extent(mask, 'C') : flags->groups,
                      .samples = smaller(flags->samples - t0, ct_array_extent(mask, 'T')),
                      .along_c = ct_array_stride(mask, 'C'),
                      .along_t = ct_array_stride(mask, 'T'),
                      .c = place_of(mask, first, 'C'),
                      .t = t0,
                      .apart = apart};
    part.single = has_single_groups(flags, &part);
    for (int64_t s = 0; s < stations; s++) {
        part.data = (const uint8_t *)mask->data + s * ct_array_stride(mask, 'S');
        part.s = place_of(mask, first, 'S') + s;
        flags->any |= part.along_t != 1 && part.along_c == 1 ? join_spectra(flags, &part)
                                                             : join_channels(flags, &part);
    }
}

/* Of two flags the one that says more stays: outside the stream, missing, a part of a sum. */
static void add_row(uint8_t *to, int64_t along_t, const ct_flags *flags, int64_t row, int64_t first,
                    int64_t samples, bool parts)
{
    const uint8_t *from = ct_flags_row(flags, row);
    const int64_t end = first + samples;
    for (int64_t t = first; (t = ct_flags_next(flags, row, t, end)) < end; t++) {
        uint8_t *at = to + (t - first) * along_t;
        if (!parts && !(from[t] & CT_FLAGS_MISSING)) continue;
        if (!*at || (from[t] & CT_FLAGS_MISSING && *at != CT_FLAGS_OUTSIDE)) *at = from[t];
    }
}

/* The mask may have flags already. One without channels gets what any group lacks. In a mask of the
 * pipeline any number but 0 flags, so that sums of which a part is missing are left out there. */
void ct_flags_mask_add(const ct_step *step, int port, uint8_t *data, const ct_flags *flags)
{
    const ct_array *to = &step->port[port];
    const bool parts = !ct_step_brought(step, port);
    const bool each = ct_array_find(to, 'S') >= 0, apart = ct_array_find(to, 'C') >= 0;
    const int64_t s0 = ct_step_port_first(step, port, 'S'),
                  c0 = ct_step_port_first(step, port, 'C');
    const int64_t t0 = ct_step_port_first(step, port, 'T');
    const int64_t stations = each ? ct_array_extent(to, 'S') : flags->stations;
    const int64_t count = apart ? ct_array_extent(to, 'C') : flags->groups;
    const int64_t samples = smaller(flags->samples - t0, ct_array_extent(to, 'T'));
    const int64_t along_c = ct_array_stride(to, 'C'), along_t = ct_array_stride(to, 'T');
    for (int64_t s = 0; s < stations; s++)
        for (int64_t n = 0; n < samples / SPAN * count + count; n++) {
            const int64_t t = n / count * SPAN, i = n % count;
            const int64_t group = apart ? ct_array_group(flags->of, c0 + i) : i;
            const int64_t row = (s0 + s) * flags->groups + (flags->groups > 1 ? group : 0);
            add_row(data + s * ct_array_stride(to, 'S') + i * along_c + t * along_t, along_t, flags,
                    row, t0 + t, smaller(SPAN, samples - t), parts);
        }
}

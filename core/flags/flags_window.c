/* flags_window.c: the flags of a stage's window in time, and of its outputs.
 * Room: core/flags. Knows groups of channels and histories. Does not know where a mask comes from.
 */
#include "flags.h"

#include <string.h>

#include "flags_find.h"

void ct_flags_new(ct_flags *out, ct_arena *arena, const ct_array *of, int64_t before)
{
    *out = (ct_flags){.stations = ct_array_extent(of, 'S'),
                      .groups = ct_array_groups(of),
                      .samples = ct_array_extent(of, 'T') + before,
                      .of = of};
    out->data = ct_arena_get(arena, ct_flags_bytes(out) + 1);
}

void ct_flags_swap(ct_flags *a, ct_flags *b)
{
    uint8_t *const data = a->data;
    const bool any = a->any;
    a->data = b->data;
    a->any = b->any;
    b->data = data;
    b->any = any;
}

/* For as many channels in as out. -1: the channels of a group follow several groups. */
static void relate_channels(ct_flags *out, const ct_flags *in, int64_t channels)
{
    for (int64_t g = 0; g < out->groups; g++)
        out->from[g] = -2;
    for (int64_t c = 0; c < channels; c++) { /* a group may have none */
        int32_t *from = &out->from[ct_array_group(out->of, c)];
        const int32_t group = (int32_t)ct_array_group(in->of, c);
        *from = *from == -2 || *from == group ? group : -1;
    }
    for (int64_t g = 0; g < out->groups; g++)
        if (out->from[g] == -2) out->from[g] = 0;
}

/* With another number of channels a stage has kept the groups and divided their channels, or it has
 * summed them. */
void ct_flags_relate(ct_flags *out, ct_arena *arena, const ct_flags *in)
{
    if (!out->data) return;
    const int64_t channels = ct_flags_channels(out->of);
    out->from = ct_arena_get(arena, sizeof *out->from * (size_t)out->groups);
    if (!out->from) return;
    if (channels == ct_flags_channels(in->of) && out->groups > 1) {
        relate_channels(out, in, channels);
        return;
    }
    for (int64_t g = 0; g < out->groups; g++)
        out->from[g] = in->groups == 1 ? 0 : out->groups == in->groups ? (int32_t)g : -1;
}

/* Samples before the start of the stream are missing, and no part of it. */
void ct_flags_begin(ct_flags *window, int64_t overlap)
{
    for (int64_t r = 0; r < ct_flags_rows(window); r++)
        memset(window->data + r * window->samples, CT_FLAGS_OUTSIDE, (size_t)overlap);
    window->any = overlap > 0;
}

/* So are those after its end. */
void ct_flags_end(ct_flags *flags, int64_t got)
{
    for (int64_t r = 0; got < flags->samples && r < ct_flags_rows(flags); r++)
        memset(flags->data + r * flags->samples + got, CT_FLAGS_OUTSIDE,
               (size_t)(flags->samples - got));
    if (got < flags->samples) flags->any = true;
}

static bool any_flagged(const uint8_t *data, int64_t count)
{
    return ct_flags_find(data, 0, count) < count;
}

/* If nothing was flagged and nothing is, all of it is 0 already. */
void ct_flags_advance(ct_flags *window, const ct_flags *fresh, int64_t overlap, bool first)
{
    if (!window->any && !fresh->any) return;
    window->any = false;
    for (int64_t r = 0; r < ct_flags_rows(window); r++) {
        uint8_t *row = window->data + r * window->samples;
        const int64_t from = r / window->groups * fresh->groups + window->from[r % window->groups];
        if (!first) memmove(row, row + fresh->samples, (size_t)overlap);
        memcpy(row + overlap, fresh->data + from * fresh->samples, (size_t)fresh->samples);
        window->any = window->any || any_flagged(row, window->samples);
    }
}

/* The flags of all groups of a station as one row. */
static const uint8_t *join_groups(uint8_t *row, const ct_flags *in, int64_t s, bool leaves_out)
{
    const uint8_t *rows = in->data + s * in->groups * in->samples;
    memcpy(row, rows, (size_t)in->samples);
    for (int64_t g = 1; g < in->groups; g++)
        ct_flags_rule_join(row, rows + g * in->samples, in->samples, leaves_out);
    return row;
}

/* A sum is missing if all stations that were summed are. */
static void merge_stations(ct_flags *out, int64_t stations)
{
    const int64_t apart = out->groups * out->samples;
    for (int64_t s = 0; s < out->stations; s++)
        ct_flags_rule_stations(out->data + s * apart, out->each, apart, apart, stations);
}

static void clear(ct_flags *out, int64_t stations)
{
    memset(out->data, 0, ct_flags_bytes(out));
    if (out->each) memset(out->each, 0, (size_t)(stations * out->groups * out->samples));
    out->any = false;
}

void ct_flags_pass(ct_flags *out, const ct_flags *in, const ct_step *step, ct_flags_piece piece,
                   uint8_t *joined, bool more)
{
    const bool leaves_out = step->stage->traits & CT_STAGE_LEAVES_OUT;
    const bool gathers = step->accumulate > 1;
    const int64_t before = step->stage->traits & CT_STAGE_KEEPS_FLAGS ? step->overlap : 0;
    const ct_flags_rule rule = {gathers ? piece.count : step->decimate, step->overlap - before,
                                leaves_out};
    uint8_t *rows = out->each ? out->each : out->data;
    if (!more && !in->any && (out->any || out->each)) clear(out, in->stations);
    if (!in->any && !(more && leaves_out)) return;
    for (int64_t s = 0; s < in->stations; s++)
        for (int64_t g = 0; g < out->groups; g++) {
            const int64_t from = s * in->groups + out->from[g];
            const uint8_t *row = out->from[g] < 0 ? join_groups(joined, in, s, leaves_out)
                                                  : in->data + from * in->samples;
            ct_flags_rule_spread(rows + (s * out->groups + g) * out->samples, out->samples,
                                 row + (gathers ? piece.first : before), rule, more);
        }
    if (out->each) merge_stations(out, in->stations);
    out->any = any_flagged(out->data, ct_flags_rows(out) * out->samples);
}

int64_t ct_flags_count(ct_flags *flags, int64_t got)
{
    int64_t count = 0;
    const int64_t rows = ct_flags_rows(flags);
    flags->any = any_flagged(flags->data, rows * flags->samples);
    for (int64_t r = 0; flags->any && r < rows; r++) {
        const uint8_t *row = flags->data + r * flags->samples;
        for (int64_t t = 0; (t = ct_flags_find(row, t, got)) < got; t++)
            count++;
    }
    return count;
}

bool ct_flags_any_missing(const ct_flags *flags)
{
    const int64_t count = ct_flags_rows(flags) * flags->samples;
    for (int64_t i = 0; flags->any && (i = ct_flags_find(flags->data, i, count)) < count; i++)
        if ((flags->data[i] & CT_FLAGS_OUTSIDE) == CT_FLAGS_MISSING) return true;
    return false;
}

/* flags_window.c: the flags of a stage's window in time, and of its outputs.
 * Room: core/flags. Knows groups of channels and histories. Does not know where a mask comes from.
 */
#include "flags.h"

#include <string.h>

void ct_flags_new(ct_flags *out, ct_arena *arena, const ct_array *of, int64_t before)
{
    *out = (ct_flags){.stations = ct_array_extent(of, 'S'),
                      .groups = ct_array_groups(of),
                      .samples = ct_array_extent(of, 'T') + before,
                      .of = of};
    ct_flags_get(out, arena);
}

void ct_flags_swap(ct_flags *a, ct_flags *b)
{
    const ct_flags had = *a;
    a->data = b->data;
    a->marks = b->marks;
    a->any = b->any;
    b->data = had.data;
    b->marks = had.marks;
    b->any = had.any;
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

static void set_outside(ct_flags *flags, int64_t from, int64_t end)
{
    if (from >= end) return;
    for (int64_t r = 0; r < ct_flags_rows(flags); r++) {
        memset(ct_flags_row(flags, r) + from, CT_FLAGS_OUTSIDE, (size_t)(end - from));
        ct_flags_mark(ct_flags_marks(flags, r), from, end);
    }
    flags->any = true;
}

/* Samples before the start of the stream are missing, and no part of it. */
void ct_flags_begin(ct_flags *window, int64_t overlap)
{
    window->any = false;
    set_outside(window, 0, overlap);
}

/* So are those after its end. */
void ct_flags_end(ct_flags *flags, int64_t got)
{
    set_outside(flags, got, flags->samples);
}

/* The history of a row is the end of what it had. */
static void keep_history(ct_flags *window, int64_t r, int64_t samples, int64_t overlap)
{
    uint8_t *row = ct_flags_row(window, r), *marks = ct_flags_marks(window, r);
    const bool some = ct_flags_marked(marks, samples, samples + overlap);
    if (!some && !ct_flags_marked(marks, 0, overlap)) return;
    memmove(row, row + samples, (size_t)overlap);
    if (some) ct_flags_mark(marks, 0, overlap);
}

/* Then come new samples. */
static void take_fresh(ct_flags *window, int64_t r, const ct_flags *fresh, int64_t from,
                       int64_t overlap)
{
    const uint8_t *data = ct_flags_row(fresh, from), *marks = ct_flags_marks(fresh, from);
    for (int64_t t = 0, end; t < fresh->samples; t = end) {
        end = ct_flags_stretch_end(t, fresh->samples);
        if (!marks[t / CT_FLAGS_STRETCH]) {
            ct_flags_wipe(window, r, overlap + t, overlap + end);
            continue;
        }
        memcpy(ct_flags_row(window, r) + overlap + t, data + t, (size_t)(end - t));
        ct_flags_mark(ct_flags_marks(window, r), overlap + t, overlap + end);
    }
}

/* If nothing was flagged and nothing is, all of it is 0 already. */
void ct_flags_advance(ct_flags *window, const ct_flags *fresh, int64_t overlap, bool first)
{
    if (!window->any && !fresh->any) return;
    window->any = false;
    for (int64_t r = 0; r < ct_flags_rows(window); r++) {
        const int64_t from = r / window->groups * fresh->groups + window->from[r % window->groups];
        if (!first) keep_history(window, r, fresh->samples, overlap);
        take_fresh(window, r, fresh, from, overlap);
        window->any |= ct_flags_settle(window, r);
    }
}

/* A row of an input's flags, and its marks. */
typedef struct marked_row {
    const uint8_t *data, *marks;
} marked_row;

/* Once a stretch without flags has joined, others change nothing. */
enum { SOME = 1, JOINED_NONE = 2 };

static void join_row(uint8_t *to, uint8_t *marks, marked_row from, int64_t samples, bool leaves_out)
{
    for (int64_t k = 0, t = 0, end; t < samples; k++, t = end) {
        end = ct_flags_stretch_end(t, samples);
        if (!from.marks[k] && marks[k] != SOME) continue;
        ct_flags_rule_join(to + t, from.data + t, end - t, leaves_out);
        marks[k] |= from.marks[k] ? SOME : JOINED_NONE;
    }
}

/* The flags of all groups of a station as one row. */
static marked_row join_groups(uint8_t *room, const ct_flags *in, int64_t s, bool leaves_out)
{
    uint8_t *marks = room + in->samples;
    const int64_t first = s * in->groups, stretches = ct_flags_stretches(in);
    memcpy(room, ct_flags_row(in, first), (size_t)in->samples);
    memcpy(marks, ct_flags_marks(in, first), (size_t)stretches);
    for (int64_t r = first + 1; r < first + in->groups; r++)
        join_row(room, marks, (marked_row){ct_flags_row(in, r), ct_flags_marks(in, r)}, in->samples,
                 leaves_out);
    for (int64_t k = 0; k < stretches; k++)
        marks[k] = marks[k] != 0;
    return (marked_row){room, marks};
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
    for (int64_t r = 0; r < ct_flags_rows(out); r++) {
        ct_flags_wipe(out, r, 0, out->samples);
        memset(ct_flags_marks(out, r), 0, (size_t)ct_flags_stretches(out));
    }
    if (out->each) memset(out->each, 0, (size_t)(stations * out->groups * out->samples));
    out->any = false;
}

/* Where each output is made of one sample, by stretches. */
static void spread_stretches(ct_flags *out, int64_t r, marked_row in, int64_t first,
                             ct_flags_rule rule)
{
    uint8_t *marks = ct_flags_marks(out, r);
    for (int64_t k = 0, t = 0, end; t < out->samples; k++, t = end) {
        end = ct_flags_stretch_end(t, out->samples);
        const bool some = ct_flags_marked(in.marks, first + t, first + end);
        if (!some)
            ct_flags_wipe(out, r, t, end);
        else
            ct_flags_rule_spread(ct_flags_row(out, r) + t, end - t, in.data + first + t, rule,
                                 false);
        marks[k] = some;
    }
}

/* `first`: the sample of the input with which the first output begins. */
static void spread_row(ct_flags *out, int64_t r, marked_row in, int64_t first, ct_flags_rule rule,
                       bool more)
{
    const int64_t end = first + out->samples * rule.decimate + rule.overlap;
    if (rule.decimate == 1 && rule.overlap == 0 && !more) {
        spread_stretches(out, r, in, first, rule);
    } else if (ct_flags_marked(in.marks, first, end) || more) {
        ct_flags_rule_spread(ct_flags_row(out, r), out->samples, in.data + first, rule, more);
        ct_flags_mark(ct_flags_marks(out, r), 0, out->samples);
    } else {
        ct_flags_wipe(out, r, 0, out->samples);
    }
}

void ct_flags_pass(ct_flags *out, const ct_flags *in, const ct_step *step, ct_flags_piece piece,
                   uint8_t *room, bool more)
{
    const bool leaves_out = step->stage->traits & CT_STAGE_LEAVES_OUT;
    const bool gathers = step->accumulate > 1;
    const int64_t before = step->stage->traits & CT_STAGE_KEEPS_FLAGS ? step->overlap : 0;
    const ct_flags_rule rule = {gathers ? piece.count : step->decimate, step->overlap - before,
                                leaves_out};
    const int64_t first = gathers ? piece.first : before;
    if (!more && !in->any && (out->any || out->each)) clear(out, in->stations);
    if (!in->any && !(more && leaves_out)) return;
    for (int64_t s = 0; s < in->stations; s++)
        for (int64_t g = 0; g < out->groups; g++) {
            const int64_t from = s * in->groups + out->from[g], r = s * out->groups + g;
            const marked_row row =
                out->from[g] < 0 ? join_groups(room, in, s, leaves_out)
                                 : (marked_row){ct_flags_row(in, from), ct_flags_marks(in, from)};
            if (out->each)
                ct_flags_rule_spread(out->each + r * out->samples, out->samples, row.data + first,
                                     rule, more);
            else
                spread_row(out, r, row, first, rule, more);
        }
    if (out->each) merge_stations(out, in->stations);
    if (out->each) memset(out->marks, 1, (size_t)(ct_flags_rows(out) * ct_flags_stretches(out)));
    out->any = false;
    for (int64_t r = 0; r < ct_flags_rows(out); r++)
        out->any |= ct_flags_settle(out, r);
}

int64_t ct_flags_count(ct_flags *flags, int64_t got)
{
    int64_t count = 0;
    ct_flags_look(flags);
    for (int64_t r = 0; flags->any && r < ct_flags_rows(flags); r++)
        for (int64_t t = 0; (t = ct_flags_next(flags, r, t, got)) < got; t++)
            count++;
    return count;
}

bool ct_flags_any_missing(const ct_flags *flags)
{
    const int64_t samples = flags->samples;
    for (int64_t r = 0; flags->any && r < ct_flags_rows(flags); r++)
        for (int64_t t = 0; (t = ct_flags_next(flags, r, t, samples)) < samples; t++)
            if ((ct_flags_row(flags, r)[t] & CT_FLAGS_OUTSIDE) == CT_FLAGS_MISSING) return true;
    return false;
}

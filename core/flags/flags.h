/* flags.h: which samples are missing, one byte each: what becomes of that in a stage
 * (flags_rule.c, flags_window.c), in masks (flags_mask.c), and in the data (flags_clear.c); which
 * samples need not be looked at (flags_marks.c).
 * Room: core/flags. Knows groups of channels, and windows in time. Does not know runs. */
#ifndef CT_CORE_FLAGS_H
#define CT_CORE_FLAGS_H
#include "device.h"
#include "memory.h"
#include "step.h"

/* A sample is missing, or left out; it is no part of the stream, before its first valid one or
 * after its end; it is a sum, of which a part was left out. */
#define CT_FLAGS_MISSING 1
#define CT_FLAGS_OUTSIDE 3
#define CT_FLAGS_PARTLY 4

/* Samples of a row that have a mark together. */
enum { CT_FLAGS_STRETCH = 1024 };

/* Flags of one output or of one input window: u8 [stations][groups][samples], of groups of channels
 * that are flagged together. */
typedef struct ct_flags {
    int64_t stations, groups, samples;
    const ct_array *of; /* whose: it says which group a channel has */
    uint8_t *data;      /* NULL: nobody asks for them */
    uint8_t *marks;     /* [stations][groups][stretches]: 0 where all bytes of a stretch are 0 */
    uint8_t *each; /* of an output in which stations are summed: [the input's stations][groups]..*/
    int32_t *from; /* [groups]: the group of the input's flags that each follows; -1: all of them */
    bool any;      /* some byte is not 0 */
} ct_flags;

/* Rows of `samples` bytes. */
static inline int64_t ct_flags_rows(const ct_flags *flags)
{
    return flags->stations * flags->groups;
}
static inline size_t ct_flags_bytes(const ct_flags *flags)
{
    return (size_t)(ct_flags_rows(flags) * flags->samples);
}
static inline int64_t ct_flags_stretches(const ct_flags *flags)
{
    return ct_divide_up(flags->samples, CT_FLAGS_STRETCH);
}
/* Where the stretch that sample t is in ends, or before that `end`. */
static inline int64_t ct_flags_stretch_end(int64_t t, int64_t end)
{
    const int64_t next = (t / CT_FLAGS_STRETCH + 1) * CT_FLAGS_STRETCH;
    return next < end ? next : end;
}
static inline uint8_t *ct_flags_row(const ct_flags *flags, int64_t row)
{
    return flags->data + row * flags->samples;
}
static inline uint8_t *ct_flags_marks(const ct_flags *flags, int64_t row)
{
    return flags->marks + row * ct_flags_stretches(flags);
}
/* Of the arena, which is asked by ct_arena_check: zeroed data and marks for the shape that is
 * there. */
void ct_flags_get(ct_flags *flags, ct_arena *arena);
/* Of a row's marks: samples that may be set; whether some may be. */
void ct_flags_mark(uint8_t *marks, int64_t from, int64_t end);
bool ct_flags_marked(const uint8_t *marks, int64_t from, int64_t end);
/* Takes marks off a row where nothing is set; whether one is left. */
bool ct_flags_settle(const ct_flags *flags, int64_t row);
/* Finds marks, and whether any is set, after somebody has written to the data. */
void ct_flags_look(ct_flags *flags);
/* Samples of a row become 0; their marks stay. */
void ct_flags_wipe(ct_flags *flags, int64_t row, int64_t from, int64_t end);
/* The first sample from t on that is set; `end` where there is none. */
int64_t ct_flags_next(const ct_flags *flags, int64_t row, int64_t t, int64_t end);
/* Channels of an array, as its groups count them. */
static inline int64_t ct_flags_channels(const ct_array *array)
{
    return ct_array_extent(array, 'F') * ct_array_extent(array, 'C');
}
/* Memory is the arena's, which is asked by ct_arena_check. */
void ct_flags_new(ct_flags *out, ct_arena *arena, const ct_array *of, int64_t before);
/* Finds the groups of `in` that those of `out` follow. */
void ct_flags_relate(ct_flags *out, ct_arena *arena, const ct_flags *in);
/* Each has what the other one had. */
void ct_flags_swap(ct_flags *a, ct_flags *b);
/* Looks whether any is set, and counts those in the first `got` samples. */
int64_t ct_flags_count(ct_flags *flags, int64_t got);
bool ct_flags_any_missing(const ct_flags *flags);
/* The first samples, or those from `got` on, are no part of the stream. */
void ct_flags_begin(ct_flags *window, int64_t overlap);
void ct_flags_end(ct_flags *flags, int64_t got);
/* Shifts the window by one block and takes the producer's new flags in. first: there is no block
 * before. */
void ct_flags_advance(ct_flags *window, const ct_flags *fresh, int64_t overlap, bool first);
/* Bytes for a row and its marks. */
static inline size_t ct_flags_room(int64_t samples)
{
    return (size_t)(samples + ct_divide_up(samples, CT_FLAGS_STRETCH));
}
/* So many of a firing's new samples, from the first one on. */
typedef struct ct_flags_piece {
    int64_t first, count;
} ct_flags_piece;
/* The flags of a step's output from those of its input. piece: of a sum that takes several firings,
 * the samples that are added; more: some were added before. room: for a row of either,
 * ct_flags_room of its samples. */
void ct_flags_pass(ct_flags *out, const ct_flags *in, const ct_step *step, ct_flags_piece piece,
                   uint8_t *room, bool more);

/* What flags become of which samples. A stage that leaves out what is flagged (CT_STAGE_LEAVES_OUT)
 * has an output flagged where all was; any other one where any sample was that it needs. */
typedef struct ct_flags_rule {
    int64_t decimate, overlap; /* an output needs `decimate` input samples, and so many before */
    bool leaves_out;
} ct_flags_rule;
/* Joins a row of flags of other inputs of the same samples. */
void ct_flags_rule_join(uint8_t *to, const uint8_t *from, int64_t count, bool leaves_out);
/* A row of `count` outputs from one of inputs; `more`: joined with what stands there. */
void ct_flags_rule_spread(uint8_t *out, int64_t count, const uint8_t *in, ct_flags_rule rule,
                          bool more);
/* Where stations are summed: what is missing from all of them. `rows` lie `count` bytes each,
 * `apart` bytes from one another. */
void ct_flags_rule_stations(uint8_t *out, const uint8_t *rows, int64_t count, int64_t apart,
                            int64_t stations);

/* The step's port that takes flags (CT_IN) or gives them (CT_OUT); -1 none. */
int ct_flags_mask_port(const ct_step *step, ct_direction direction);
/* Bytes of a mask on the device from its first element on: the history before it is not read. */
size_t ct_flags_mask_bytes(const ct_array *mask);
/* What the mask flags joins the flags; it may be a part, and then begins at first[]. */
void ct_flags_mask_join(ct_flags *flags, const ct_array *mask, const int64_t first[CT_DIMS]);
/* Flags in `data`, the array of a step's port, what these flag of the part that the port has. */
void ct_flags_mask_add(const ct_step *step, int port, uint8_t *data, const ct_flags *flags);

/* By which data that are flagged become 0; built when it is needed first. */
typedef struct ct_flags_clearing ct_flags_clearing;
/* In what the step's port 0 reads, history included, or without it where `fresh`. *clearing NULL:
 * nothing was cleared yet. */
ct_status ct_flags_clear(ct_flags_clearing **clearing, ct_device *device, const ct_step *step,
                         const ct_buffer *buffer, const ct_flags *flags, bool fresh, ct_error *err);
/* Builds it now, and starts it once, since some drivers build a kernel only then. */
ct_status ct_flags_clear_build(ct_flags_clearing **clearing, ct_device *device, ct_error *err);
void ct_flags_clear_free(ct_flags_clearing *clearing); /* NULL is fine */

#endif

/* flags_marks.c: which stretches of rows have flags, so that what is about nothing is passed over:
 * flags are few as a rule, and rows are long.
 * Room: core/flags. Knows rows and stretches. Does not know what flags mean. */
#include <string.h>

#include "flags.h"
#include "flags_find.h"

void ct_flags_get(ct_flags *flags, ct_arena *arena)
{
    flags->data = ct_arena_get(arena, ct_flags_bytes(flags) + 1);
    flags->marks =
        ct_arena_get(arena, (size_t)(ct_flags_rows(flags) * ct_flags_stretches(flags)) + 1);
}

void ct_flags_mark(uint8_t *marks, int64_t from, int64_t end)
{
    if (from >= end) return;
    const int64_t first = from / CT_FLAGS_STRETCH, last = (end - 1) / CT_FLAGS_STRETCH;
    memset(marks + first, 1, (size_t)(last - first + 1));
}

bool ct_flags_marked(const uint8_t *marks, int64_t from, int64_t end)
{
    if (from >= end) return false;
    const int64_t first = from / CT_FLAGS_STRETCH, last = (end - 1) / CT_FLAGS_STRETCH;
    return memchr(marks + first, 1, (size_t)(last - first + 1)) != NULL;
}

bool ct_flags_settle(const ct_flags *flags, int64_t row)
{
    uint8_t *marks = ct_flags_marks(flags, row);
    const uint8_t *data = ct_flags_row(flags, row);
    bool any = false;
    for (int64_t k = 0; k < ct_flags_stretches(flags); k++) {
        const int64_t from = k * CT_FLAGS_STRETCH;
        const int64_t end = ct_flags_stretch_end(from, flags->samples);
        if (marks[k]) marks[k] = ct_flags_find(data, from, end) < end;
        any = any || marks[k];
    }
    return any;
}

void ct_flags_look(ct_flags *flags)
{
    const int64_t rows = ct_flags_rows(flags);
    memset(flags->marks, 1, (size_t)(rows * ct_flags_stretches(flags)));
    flags->any = false;
    for (int64_t r = 0; r < rows; r++)
        flags->any |= ct_flags_settle(flags, r);
}

void ct_flags_wipe(ct_flags *flags, int64_t row, int64_t from, int64_t end)
{
    if (ct_flags_marked(ct_flags_marks(flags, row), from, end))
        memset(ct_flags_row(flags, row) + from, 0, (size_t)(end - from));
}

int64_t ct_flags_next(const ct_flags *flags, int64_t row, int64_t t, int64_t end)
{
    const uint8_t *marks = ct_flags_marks(flags, row), *data = ct_flags_row(flags, row);
    while (t < end) {
        const int64_t stop = ct_flags_stretch_end(t, end);
        t = marks[t / CT_FLAGS_STRETCH] ? ct_flags_find(data, t, stop) : stop;
        if (t < stop) return t;
    }
    return end;
}

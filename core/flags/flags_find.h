/* flags_find.h: the next flag of a row. Flags are few as a rule, and rows long: 32 samples are
 * looked at together, and then eight. Room: core/flags. Knows bytes. Does not know what they mean.
 */
#ifndef CT_CORE_FLAGS_FIND_H
#define CT_CORE_FLAGS_FIND_H
#include <stdint.h>
#include <string.h>

/* The first sample from `from` on whose byte is not 0; count where there is none. */
static inline int64_t ct_flags_find(const uint8_t *row, int64_t from, int64_t count)
{
    uint64_t eight = 0, all[4];
    for (; from + 32 <= count; from += 32) {
        memcpy(all, row + from, sizeof all);
        if ((all[0] | all[1]) | (all[2] | all[3])) break;
    }
    for (; from + 8 <= count; from += 8) {
        memcpy(&eight, row + from, sizeof eight);
        if (eight) break;
    }
    while (from < count && !row[from])
        from++;
    return from;
}

#endif

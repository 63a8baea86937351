/* time_copy.cl: rows of words from one place of memory to another that they do not overlap: a work-item takes a word.
 * at: words to the first one there, words to the first one here, words of a row, words of all; count: rows along three
 * dimensions, the fastest first; there, here: words from one row to the next along each. */
#define MOVE(name, word)                                                                           \
    kernel void name(global word *to, global const word *from, const long4 at, const long4 count,  \
                     const long4 there, const long4 here)                                          \
    {                                                                                              \
        const long item = get_global_id(0), row = item / at.z;                                     \
        if (item >= at.w) return;                                                                  \
        const long x = row % count.x, y = row / count.x % count.y, z = row / count.x / count.y;    \
        to[at.x + item % at.z + x * there.x + y * there.y + z * there.z] =                         \
            from[at.y + item % at.z + x * here.x + y * here.y + z * here.z];                       \
    }

MOVE(move_1, uchar)
MOVE(move_4, uint)
MOVE(move_16, uint4)

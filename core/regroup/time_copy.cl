/* time_copy.cl: words from one place of memory to another that they do not overlap, a work-item one of them. at: the first
 * word there and here; count, there, here: of up to four dimensions, the fastest first, words and from one to the next. */
#define MOVE(name, word)                                                                           \
    kernel void name(global word *to, global const word *from, const long2 at, const long4 count,  \
                     const long4 there, const long4 here)                                          \
    {                                                                                              \
        const long item = get_global_id(0), row = item / count.x, plane = row / count.y;           \
        const long4 i = {item % count.x, row % count.y, plane % count.z, plane / count.z};         \
        if (i.w >= count.w) return;                                                                \
        to[at.x + i.x * there.x + i.y * there.y + i.z * there.z + i.w * there.w] =                 \
            from[at.y + i.x * here.x + i.y * here.y + i.z * here.z + i.w * here.w];                \
    }

MOVE(move_1, uchar)
MOVE(move_2, ushort)
MOVE(move_4, uint)
MOVE(move_8, ulong)
MOVE(move_16, ulong2)

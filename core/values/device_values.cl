// device_values.cl: arrays in device memory, whatever their strides, in tiles of their two fastest
// dimensions: g[0..2] extent, from, to of one; g[3..5] of the other; g[6], g[7] the first element on
// either side; g[8] how many further dimensions there are, then extent, from, to of each, slowest
// first. A group takes a tile.
#define SIDE 64

typedef struct place {
    long from, to, a, b;
} place;

place find(global const long *g, long group)
{
    const long tiles_b = (g[3] + SIDE - 1) / SIDE, tiles_a = (g[0] + SIDE - 1) / SIDE;
    const long b = group % tiles_b * SIDE, a = group / tiles_b % tiles_a * SIDE;
    place p;
    group /= tiles_a * tiles_b;
    p.a = min(g[0] - a, (long)SIDE);
    p.b = min(g[3] - b, (long)SIDE);
    p.from = g[6] + a * g[1] + b * g[4];
    p.to = g[7] + a * g[2] + b * g[5];
    for (long k = g[8] - 1; k >= 0; k--) {
        global const long *dim = &g[9 + 3 * k];
        const long i = group % dim[0];
        group /= dim[0];
        p.from += i * dim[1];
        p.to += i * dim[2];
    }
    return p;
}

#define EACH                                                                                       \
    for (long i = get_local_id(1); i < p.a; i += get_local_size(1))                                \
        for (long j = get_local_id(0); j < p.b; j += get_local_size(0))

// *doubt becomes 1 where numbers are not clearly equal, or near enough.
#define COMPARE(name, type, is_far)                                                                \
    kernel void name(global const type *found, global const type *wanted, global const long *g,   \
                     float limit, global int *doubt)                                              \
    {                                                                                              \
        const place p = find(g, get_group_id(0));                                                  \
        int any = 0;                                                                               \
        EACH                                                                                       \
        {                                                                                          \
            const type x = found[p.from + i * g[1] + j * g[4]];                                    \
            const type y = wanted[p.to + i * g[2] + j * g[5]];                                     \
            any |= is_far;                                                                         \
        }                                                                                          \
        if (any) *doubt = 1;                                                                       \
    }

// A NaN is near nothing, nor is what lies beyond the largest number.
#define FAR_F32(x, y) (!(fabs(x - y) <= limit))
// Neighbours among normal halves of one sign: that is what their last bit makes.
#define NORMAL(x) (((x) & 0x7c00) != 0 && ((x) & 0x7c00) != 0x7c00)
#define FAR_F16(x, y)                                                                              \
    ((x) != (y) && !(NORMAL(x) && NORMAL(y) && (ushort)((ushort)((x) - (y)) + 1) <= 2))

COMPARE(equal_1, uchar, x != y)
COMPARE(equal_2, ushort, x != y)
COMPARE(equal_4, uint, x != y)
COMPARE(equal_8, ulong, x != y)
COMPARE(equal_16, ulong2, x.x != y.x || x.y != y.y)
COMPARE(near_f32, float, FAR_F32(x, y))
COMPARE(near_cf32, float2, FAR_F32(x.x, y.x) || FAR_F32(x.y, y.y))
COMPARE(near_f16, ushort, FAR_F16(x, y))
COMPARE(near_cf16, ushort2, FAR_F16(x.x, y.x) || FAR_F16(x.y, y.y))

// The finaliser of MurmurHash3 (Appleby), as on the host.
ulong mix_word(ulong x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdUL;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53UL;
    return x ^ x >> 33;
}

ulong word_of(ulong n, ulong salt, ulong keep, ulong add)
{
    return (mix_word(n + salt) & keep) | add;
}

#define FILL(name, type, value)                                                                    \
    kernel void name(global type *out, global const long *g, ulong salt, ulong keep, ulong add)    \
    {                                                                                              \
        const place p = find(g, get_group_id(0));                                                  \
        EACH                                                                                       \
        {                                                                                          \
            const ulong n = (ulong)(p.to + i * g[2] + j * g[5]);                                   \
            out[p.from + i * g[1] + j * g[4]] = value;                                             \
        }                                                                                          \
    }

// The part of a word, all in natural order, that an element of so many bytes is.
#define PART(bytes)                                                                                \
    (word_of(n * bytes / 8, salt, keep, add) >> (n * bytes % 8 * 8))

FILL(fill_1, uchar, (uchar)PART(1))
FILL(fill_2, ushort, (ushort)PART(2))
FILL(fill_4, uint, (uint)PART(4))
FILL(fill_8, ulong, word_of(n, salt, keep, add))
FILL(fill_16, ulong2,
     (ulong2)(word_of(2 * n, salt, keep, add), word_of(2 * n + 1, salt, keep, add)))

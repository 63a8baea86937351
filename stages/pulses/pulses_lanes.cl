/* pulses_lanes.cl: vectors of the search for pulses: 16 neighbours in time, or one; sums and the
 * largest over the lanes of 16 vectors at once, or of one.
 * Room: stages/pulses. Knows VECTOR_T. Does not know samples. */
#define LANES VECTOR_T
#define ADD(a, b) ((a) + (b))
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define SMALLER(a, b) ((a) < (b) ? (a) : (b))

/* Before a loop that is seldom gone through, or that has a long body: copies of it would cost the compiler more than they
 * save; and before a short one that is worth it. */
#ifdef __clang__
#define AS_WRITTEN _Pragma("clang loop unroll(disable) vectorize(disable)")
#define UNROLL _Pragma("unroll")
#else
#define AS_WRITTEN
#define UNROLL
#endif

#if LANES == 16
typedef float16 vec;
typedef int16 ivec;
#define LOAD(from) vload16(0, from)
#define STORE(value, to) vstore16(value, 0, to)
#define ANY any_lane
#define TOTAL total
#define TO_INT convert_int16
#define TO_FLOAT convert_float16
#define PLACES ((vec)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))

/* What is -1 or 0 in each lane; some compilers' any() looks at one after the other. */
INLINE bool any_lane(const ivec x)
{
    const ulong8 a = as_ulong8(x);
    const ulong4 b = a.lo | a.hi;
    return ((b.x | b.y) | (b.z | b.w)) != 0;
}

INLINE float total(const vec x)
{
    const float8 a = x.lo + x.hi;
    const float4 b = a.lo + a.hi;
    return (b.x + b.z) + (b.y + b.w);
}

/* Halves, quarters, .. of two vectors side by side: the first of each pair, the second of each. */
#define SIDE __builtin_shufflevector
#define FIRST8(a, b) SIDE(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
#define OTHER8(a, b) SIDE(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31)
#define FIRST4(a, b) SIDE(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27)
#define OTHER4(a, b) SIDE(a, b, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31)
#define FIRST2(a, b) SIDE(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define OTHER2(a, b) SIDE(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#define FIRST1(a, b) SIDE(a, b, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30)
#define OTHER1(a, b) SIDE(a, b, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31)

/* What the lanes of vector k come to, in lane k. */
#define FOLD(name, JOIN)                                                                           \
    INLINE vec name(const vec a[LANES])                                                            \
    {                                                                                              \
        vec b[8], c[4], d[2];                                                                      \
        UNROLL for (int k = 0; k < 8; k++)                                                         \
            b[k] = JOIN(FIRST8(a[k], a[k + 8]), OTHER8(a[k], a[k + 8]));                           \
        UNROLL for (int k = 0; k < 4; k++)                                                         \
            c[k] = JOIN(FIRST4(b[k], b[k + 4]), OTHER4(b[k], b[k + 4]));                           \
        UNROLL for (int k = 0; k < 2; k++)                                                         \
            d[k] = JOIN(FIRST2(c[k], c[k + 2]), OTHER2(c[k], c[k + 2]));                           \
        return JOIN(FIRST1(d[0], d[1]), OTHER1(d[0], d[1]));                                       \
    }
#else
typedef float vec;
typedef int ivec;
#define LOAD(from) (*(from))
#define STORE(value, to) (*(to) = (value))
#define ANY(x) ((x) != 0)
#define TOTAL(x) (x)
#define TO_INT (int)
#define TO_FLOAT (float)
#define PLACES 0.0f
#define FOLD(name, JOIN)                                                                           \
    INLINE vec name(const vec a[LANES])                                                            \
    {                                                                                              \
        return a[0];                                                                               \
    }
#endif

/* Vectors in memory of one's own, and their lanes. */
#define HELD(at) (*(vec *)(at))
#define LANE(x, lane) (((float *)&(x))[lane])
#define ILANE(x, lane) (((const int *)&(x))[lane])
#define ALIGNED __attribute__((aligned(64)))

FOLD(fold_sums, ADD)
FOLD(fold_largest, LARGER)
FOLD(fold_smallest, SMALLER)

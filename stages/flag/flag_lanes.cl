/* flag_lanes.cl: channels side by side: as many as a vector has lanes, one on GPUs. Which samples may be
 * judged, and where flags are written. */

#if GPU
#define LANES 1
typedef float lanes;
typedef int whole;
typedef uint natural;
#define AS_NATURAL as_uint
#define AS_LANES as_float
#define TO_LANES (float)
typedef uint keys;
#elif TILE_C >= 16
#define LANES 16
typedef float16 lanes;
typedef int16 whole;
typedef uint16 natural;
#define AS_NATURAL as_uint16
#define AS_LANES as_float16
#define TO_LANES convert_float16
#define TO_WHOLE convert_int16
#define TO_BYTES convert_uchar16
#define TO_SMALL convert_char16
typedef char16 small;
#define LOAD_BYTES vload16
typedef uchar16 loose __attribute__((aligned(1)));
typedef uint16 keys __attribute__((aligned(4)));
#define LANE_NUMBERS ((whole)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
#else
#define LANES 8
typedef float8 lanes;
typedef int8 whole;
typedef uint8 natural;
#define AS_NATURAL as_uint8
#define AS_LANES as_float8
#define TO_LANES convert_float8
#define TO_WHOLE convert_int8
#define TO_BYTES convert_uchar8
#define TO_SMALL convert_char8
typedef char8 small;
#define LOAD_BYTES vload8
typedef uchar8 loose __attribute__((aligned(1)));
typedef uint8 keys __attribute__((aligned(4)));
#define LANE_NUMBERS ((whole)(0, 1, 2, 3, 4, 5, 6, 7))
#endif

#define INLINE static inline __attribute__((always_inline))

/* Where a lane has `holds`, as -1 or 0. */
#if GPU
#define MASK(holds) (-(holds))
#define ANY(mask) ((mask) != 0)
#else
#define MASK(holds) (holds)
#define ANY(mask) any_lane(mask)
/* Some compilers' any() looks at one lane after the other. */
static inline bool any_lane(const whole mask)
{
#if LANES == 16
    const ulong4 bits = as_ulong8(mask).lo | as_ulong8(mask).hi;
#else
    const ulong4 bits = as_ulong4(mask);
#endif
    return ((bits.x | bits.y) | (bits.z | bits.w)) != 0;
}
#endif

/* -1 where a sample may be judged: no earlier stage has flagged it. */
#if HAVE_M
#define PRESENT(series, t, c) present_of(M_data, series, t, c)
static inline whole present_of(global const M_TYPE *restrict M_data, const int series, const int t,
                               const int c)
{
    const int s = M_N_S > 1 ? series : 0;
    int is[LANES] __attribute__((aligned(64)));
#if M_STRIDE_C == 0
    return (whole)(M(s, t, 0) == 0 ? -1 : 0);
#endif
#if M_STRIDE_C == 1 && LANES > 1
    if (c + LANES <= X_N_C) return TO_WHOLE(LOAD_BYTES(0, &M(s, t, c))) == 0;
#endif
    for (int lane = 0; lane < LANES; lane++)
        is[lane] = M(s, t, min(c + lane, X_N_C - 1)) == 0 ? -1 : 0;
    return *(whole *)is;
}
#define PRESENT_ARGS global const M_TYPE *restrict M_data
#define PRESENT_DATA M_data
#else
#define PRESENT(series, t, c) ((whole)(-1))
#define PRESENT_ARGS int M_data
#define PRESENT_DATA 0
#endif

/* Bytes of neighbouring channels, from `at` on, as far as there are channels; `again`: beside the bits that
 * are there. */
static inline whole take(global const uchar *at, const long stride, const int c)
{
    int byte[LANES] __attribute__((aligned(64)));
#if LANES > 1 /* loose: at any address */
    if (stride == 1 && c + LANES <= X_N_C) return TO_WHOLE(*(global const loose *)at);
#endif
    for (int lane = 0; lane < LANES; lane++)
        byte[lane] = c + lane < X_N_C ? at[lane * stride] : 0;
    return *(whole *)byte;
}

#if LANES > 1
/* Of the last channels, fewer than lanes and at least one. */
#define REST (X_N_C % LANES)
static inline void put_rest(global uchar *at, const whole bits)
{
    uchar byte[LANES] __attribute__((aligned(16)));
    *(loose *)byte = TO_BYTES(bits);
    if (REST & 8) vstore8(vload8(0, byte), 0, at);
    if (REST & 4) vstore4(vload4(0, byte + (REST & 8)), 0, at + (REST & 8));
    if (REST & 2) vstore2(vload2(0, byte + (REST & 12)), 0, at + (REST & 12));
    if (REST & 1) at[REST & 14] = byte[REST & 14];
}
#endif

static inline void put(global uchar *at, const long stride, const int c, const whole bits, const int again)
{
#if LANES > 1
    if (stride == 1 && c + LANES <= X_N_C) {
        *(global loose *)at = TO_BYTES(again ? bits | TO_WHOLE(*(global const loose *)at) : bits);
        return;
    }
    if (stride == 1 && !again && c < X_N_C) {
        put_rest(at, bits);
        return;
    }
#endif
    const int *byte = (const int *)&bits;
    for (int lane = 0; lane < LANES && c + lane < X_N_C; lane++)
        at[lane * stride] = (uchar)((again ? at[lane * stride] : 0) | byte[lane]);
}

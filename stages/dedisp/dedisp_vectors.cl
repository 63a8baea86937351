/* dedisp_vectors.cl: vectors, sums and rows of samples, and how a trial's samples are stored. Put before
 * dedisp.cl, after RANGE. Time is contiguous where samples are read: in X or, from launches before,
 * in R (a copy) or Z (sums of neighbours). HOLDS: 1 where some trials have fewer samples than the
 * output, and hold their values.
 * Room: stages/dedisp. Knows types and places. Does not know which trials are made together. */

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

#define TILE (VECTOR_T * VECTORS_T)

/* Sums: narrow ones for TILE_C channels at a time, then wide ones; integers are exact. Without
 * vectors, narrow sums gain nothing. */
#if !HAVE_Z && X_IS_u8 && VECTOR_T > 1
#define NARROW ushort
#define WIDE uint
#elif !HAVE_Z && X_IS_i8 && VECTOR_T > 1
#define NARROW short
#define WIDE int
#elif X_IS_f32
#define NARROW float
#define WIDE float
#elif X_IS_i8
#define NARROW int
#define WIDE int
#else
#define NARROW uint
#define WIDE uint
#endif

#if WG > 1 /* a GPU's registers cannot be indexed */
#define UNROLL _Pragma("unroll")
#else
#define UNROLL
#endif

#if VECTOR_T == 1
#define V(type) type
#define VLOAD(from) (*(from))
#define VSTORE(value, to) (*(to) = (value))
#define CONVERT(type, value) JOIN(convert_, type)(value)
#elif VECTOR_T == 32 /* beyond OpenCL C, for compilers made from clang: twice the 16-bit sums */
typedef uchar uchar32 __attribute__((ext_vector_type(32)));
typedef char char32 __attribute__((ext_vector_type(32)));
typedef ushort ushort32 __attribute__((ext_vector_type(32)));
typedef short short32 __attribute__((ext_vector_type(32)));
typedef uint uint32 __attribute__((ext_vector_type(32)));
typedef int int32 __attribute__((ext_vector_type(32)));
typedef float float32 __attribute__((ext_vector_type(32)));
#define V(type) JOIN(type, 32)
#define BOTH(low, high)                                                                            \
    __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,   \
                            17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31)
#define VLOAD(from) BOTH(vload16(0, from), vload16(1, from))
#define VSTORE(value, to) (vstore16((value).lo, 0, to), vstore16((value).hi, 1, to))
#define CONVERT(type, value) __builtin_convertvector(value, JOIN(type, 32))
#else
#define V(type) JOIN(type, VECTOR_T)
#define VLOAD(from) JOIN(vload, VECTOR_T)(0, from)
#define VSTORE(value, to) JOIN(vstore, VECTOR_T)(value, 0, to)
#define CONVERT(type, value) JOIN(JOIN(convert_, type), VECTOR_T)(value)
#endif

/* Rows of samples: `series` counts beams (or stations) and Stokes parameters together. */
#if HAVE_R
#define ROWS global const R_TYPE *restrict R_data
#define ROWS_DATA R_data
#define ROW(series, c, t) R(series, c, t)
#else
#define ROWS global const X_TYPE *restrict X_data
#define ROWS_DATA X_data
#define ROW(series, c, t) X((series) / X_N_Q, (series) % X_N_Q, t, c)
#endif

/* What trials are made from: t counts their own samples. */
#if HAVE_Z
#define STORED Z_TYPE
#define INPUT global const Z_TYPE *restrict Z_data
#define INPUT_DATA Z_data
#define AT(series, t, c) Z(series, c, t)
#else
#define STORED X_TYPE
#define INPUT ROWS
#define INPUT_DATA ROWS_DATA
#define AT(series, t, c) ROW(series, c, t)
#endif
#define SHIFTS global const int *restrict SHIFT_data

/* Vectors of rows and of sums, wherever they lie. */
#if VECTOR_T > 1 /* in one access: of two halves compilers make many small pieces */
typedef V(STORED) stored __attribute__((aligned(sizeof(STORED))));
typedef V(NARROW) narrow __attribute__((aligned(sizeof(NARROW))));
typedef V(WIDE) wide __attribute__((aligned(sizeof(WIDE))));
#define TAKE(space, type, from) (*(space const type *)(from))
#define PUT(value, type, to) (*(local type *)(to) = (value))
#else
#define TAKE(space, type, from) VLOAD(from)
#define PUT(value, type, to) VSTORE(value, to)
#endif

typedef struct {
    int series, first, last, t;
} tile;

/* ---- storing */

#define PLACE(series, d, t) Y((series) / Y_N_Q, (series) % Y_N_Q, d, t)

/* Each of the VECTOR_T values is stored `hold` times in the output. */
static void store_held(global Y_TYPE *restrict Y_data, V(float) value, int series, int d, int t,
                       int hold)
{
    float each[VECTOR_T];
    VSTORE(value, each);
    for (int i = 0; i < VECTOR_T; i++) {
        const int end = (t + i + 1) * hold;
        for (int to = (t + i) * hold; to < end; to++)
            PLACE(series, d, to) = each[i];
    }
}

#if VECTOR_T > 1
typedef V(float) floats __attribute__((aligned(sizeof(float))));
typedef V(float) floats_in_lines __attribute__((aligned(64)));
#endif

/* Past the caches only where lines begin. */
static void store_row(global Y_TYPE *to, V(float) value)
{
#if VECTOR_T > 1
#if NONTEMPORAL
    if ((size_t)to % 64 == 0) {
        __builtin_nontemporal_store(value, (global floats_in_lines *)to);
        return;
    }
#endif
    *(global floats *)to = value;
#else
    *to = value;
#endif
}

static void store(global Y_TYPE *restrict Y_data, V(float) value, int series, int d, int t,
                  int hold)
{
#if Y_STRIDE_T == 1
    if (!HOLDS || hold == 1) {
        store_row(&PLACE(series, d, t), value);
        return;
    }
#endif
    store_held(Y_data, value, series, d, t, hold);
}

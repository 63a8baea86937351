/* pulses_series.cl: what all kernels of the search for pulses agree on: how a series is cut, from what noise is taken, and
 * what lies outside the stream. Room: stages/pulses. Knows coordinates, and lengths from pulses_emit.c. */
#pragma OPENCL FP_CONTRACT OFF

#define INLINE static inline __attribute__((always_inline))
/* Compiled once: of a kernel itself some compilers for CPUs make three copies. Does not ask for a work-item's number, which would
 * be a reason to copy it, too. */
#define ONCE static __attribute__((noinline))
#define UNIT 64
#define WINDOW 16              /* parts of a group, with one noise */
#define SPAN (GROUPS * WINDOW) /* parts that a variance is taken from: of its group and of those before */
#define CLIPS 2                /* rounds of clipping */
#define FEWEST_UNITS 2         /* that a noise is taken from */
#define MOST_SIGMAS 1e30f      /* whatever a sample is, sums of thousands stay finite */
#define CALM_MEAN 1e20f        /* no sample of a unit whose variance and mean are below */
#define CALM_SCALE 1e8f        /* has so many sigmas */
#define PARTS (X_N_T / PART)
#define IS_FINITE(x) ((x) >= -FLT_MAX && (x) <= FLT_MAX)

#if HAVE_M
#define STREAM_ARGS , global const M_TYPE *restrict M_data
#define STREAM , M_data
#define IS_OUTSIDE(b, t) ((M(M_N_S > 1 ? (b) : 0, t) & 2) != 0)
#else
#define STREAM_ARGS
#define STREAM
#define IS_OUTSIDE(b, t) 0
#endif

/* One series: where it is, and its spacing. Of its own samples a work-item takes these. */
typedef struct series {
    int b, q, d, ratio;
    int first, end;
} series;

#define PLANE(s) ((s).b * X_N_Q + (s).q)
/* Time of an own sample: the last that holds its value. */
#define TIME_OF(s, own) ((own) * (s).ratio + (s).ratio - 1)

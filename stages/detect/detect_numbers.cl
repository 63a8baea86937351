/* detect_numbers.cl: vectors of WIDTH numbers, the parameters of a sample, and how they are added up.
 * detect_emit.c puts it before detect.cl. */

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

/* The input is power already, of each polarization. */
#define POWER X_IS_f32

#if X_IS_ci8
#define PART char
#elif X_IS_ci16
#define PART short
#else
#define PART float
#endif

#if WIDTH == 1
typedef float real;
#elif WIDTH == 2
typedef float2 real;
typedef JOIN(PART, 4) parts;
#define VLOAD vload4
#define VSTORE vstore2
#define VLOAD_REAL vload2
#define CONVERT convert_float2
#define CONVERT_WORDS convert_short4
#define AS_WORDS as_ushort4
#define AS_WHOLE as_uint2
typedef ushort4 words;
#elif WIDTH == 4
typedef float4 real;
typedef JOIN(PART, 8) parts;
#define VLOAD vload8
#define VSTORE vstore4
#define VLOAD_REAL vload4
#define CONVERT convert_float4
#define CONVERT_WORDS convert_short8
#define AS_WORDS as_ushort8
#define AS_WHOLE as_uint4
typedef ushort8 words;
#else
typedef float8 real;
typedef JOIN(PART, 16) parts;
#define VLOAD vload16
#define VSTORE vstore8
#define VLOAD_REAL vload8
#define CONVERT convert_float8
#define CONVERT_WORDS convert_short16
#define AS_WORDS as_ushort16
#define AS_WHOLE as_uint8
typedef ushort16 words;
#endif

typedef struct {
    real re, im;
} voltage;

typedef struct {
    real i, q, u, v;
} stokes;

static void add(stokes *sum, const voltage *x, const voltage *y)
{
#if POWER
    sum->i += X_N_P == 1 ? x->re : x->re + y->re;
#elif X_N_P == 1
    sum->i += x->re * x->re + x->im * x->im;
#else
    const real xx = x->re * x->re + x->im * x->im, yy = y->re * y->re + y->im * y->im;
    sum->i += STOKES_I(xx, yy);
#if P_STOKES_IS_IQUV
    sum->q += STOKES_Q(xx, yy);
    sum->u += STOKES_U(x->re * y->re + x->im * y->im);
    sum->v += STOKES_V(x->im * y->re - x->re * y->im);
#endif
#endif
}

/* Samples that are added plainly, at most: sums of more are made of such parts, and what rounding
 * leaves over is kept, so that they are right however long they are. */
#define SPAN 128

/* Adds a part to a sum; `rest` is what the sum lacks, with the other sign (Kahan 1965). */
static inline void keep(real *sum, real *rest, const real part)
{
    const real more = part - *rest, both = *sum + more;
    *rest = (both - *sum) - more;
    *sum = both;
}

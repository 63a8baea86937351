/* polar.c: see polar.h. The logarithm, sine and cosine are those of fdlibm [Sun Microsystems 1993],
 * written without a branch, so that the compiler makes vectors of the loops: whole numbers are made
 * of a double's own bits, and what else would be a branch is a mask.
 * Room: io/simulate. */
#include "polar.h"

#include <math.h>
#include <string.h>

#include "clones.h"

#define HALF_PI 1.5707963267948966
#define LN2_HIGH 6.93147180369123816490e-01 /* times a whole number it is exact */
#define LN2_LOW 1.90821492927058770002e-10
#define WHOLE 0x1.8p52 /* added to a double it leaves no bits after the point */

static inline uint64_t bits_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static inline double of_bits(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* Of a normal number above 0, which is 2^e f with f from sqrt(1/2) to sqrt(2). */
static inline double logarithm(double number)
{
    const uint64_t above = bits_of(number) - 0x3fe6a09e667f3bcdu + ((uint64_t)1024 << 52);
    const double e = of_bits(above >> 52 | (uint64_t)0x433 << 52) - (0x1p52 + 1024);
    const double f =
        of_bits(bits_of(number) - (above & (uint64_t)0xfff << 52) + ((uint64_t)1024 << 52)) - 1;
    const double s = f / (2 + f), z = s * s, w = z * z, half = 0.5 * f * f;
    const double even = w * (3.999999999940941908e-01 +
                             w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
    const double odd = z * (6.666666666666735130e-01 +
                            w * (2.857142874366239149e-01 +
                                 w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
    return e * LN2_HIGH - ((half - (s * (half + (even + odd)) + e * LN2_LOW)) - f);
}

/* Cosine and sine of 2 pi times what is left of `cycles` after whole quarters. */
static inline void turn(double cycles, double *re, double *im)
{
    const double quarters = 4 * cycles, moved = quarters + WHOLE;
    const uint64_t quadrant = bits_of(moved);
    const double x = (quarters - (moved - WHOLE)) * HALF_PI, z = x * x;
    const double sine =
        x +
        z * x *
            (-1.66666666666666324348e-01 +
             z * (8.33333333332248946124e-03 +
                  z * (-1.98412698298579493134e-04 +
                       z * (2.75573137070700676789e-06 +
                            z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
    const double rest =
        z * (4.16666666666666019037e-02 +
             z * (-1.38888888888741095749e-03 +
                  z * (2.48015872894767294178e-05 +
                       z * (-2.75573143513906633035e-07 +
                            z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
    const double half = 0.5 * z, near = 1 - half;
    const double cosine = near + (((1 - near) - half) + z * rest);
    const uint64_t swap = 0 - (quadrant & 1), s = bits_of(sine), c = bits_of(cosine);
    *re = of_bits(((s & swap) | (c & ~swap)) ^ ((quadrant + 1) & 2) << 62);
    *im = of_bits(((c & swap) | (s & ~swap)) ^ (quadrant & 2) << 62);
}

CT_CLONES static void normals(const double *restrict u, const double *restrict v,
                              double *restrict re, double *restrict im)
{
    for (int k = 0; k < CT_POLAR_COUNT; k++) {
        const double radius = sqrt(-2 * logarithm(u[k]));
        double x, y;
        turn(v[k], &x, &y);
        re[k] = radius * x;
        im[k] = radius * y;
    }
}

CT_CLONES static void phasors(const double *restrict cycles, double *restrict re,
                              double *restrict im)
{
    for (int k = 0; k < CT_POLAR_COUNT; k++) {
        const double whole = (cycles[k] + WHOLE) - WHOLE;
        turn(cycles[k] - whole, &re[k], &im[k]);
    }
}

void ct_polar_normals(const double *u, const double *v, double *re, double *im)
{
    normals(u, v, re, im);
}

void ct_polar_phasors(const double *cycles, double *re, double *im)
{
    phasors(cycles, re, im);
}

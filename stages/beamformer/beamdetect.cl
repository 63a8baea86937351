/* beamdetect.cl: detection inside the beam former's kernels. */

/* The Stokes parameters of one sample, as far as they are wanted. */
static inline __attribute__((always_inline)) void add_stokes(float stokes[4], const float2 x,
                                                             const float2 y)
{
    const float xx = dot(x, x), yy = dot(y, y);
    stokes[0] += xx + yy;
    stokes[1] += xx - yy;
    stokes[2] += 2 * dot(x, y);
    stokes[3] += 2 * (x.y * y.x - x.x * y.y);
}

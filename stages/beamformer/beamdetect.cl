/* beamdetect.cl: detection inside the beam former's kernels. */

/* The Stokes parameters of one sample, as far as they are wanted. */
static inline __attribute__((always_inline)) void add_stokes(float stokes[4], const float2 x,
                                                             const float2 y)
{
    const float xx = dot(x, x), yy = dot(y, y);
    stokes[0] += STOKES_I(xx, yy);
    stokes[1] += STOKES_Q(xx, yy);
    stokes[2] += STOKES_U(dot(x, y));
    stokes[3] += STOKES_V(x.y * y.x - x.x * y.y);
}

/* stokes.cl: the Stokes parameters of one sample, of numbers or vectors, from the powers xx of X and
 * yy of Y and the real and imaginary part of X Y*, which a kernel forms as its numbers lie. */
#define STOKES_I(xx, yy) ((xx) + (yy))
#define STOKES_Q(xx, yy) ((xx) - (yy))
#define STOKES_U(re) (2.0f * (re))
#define STOKES_V(im) (2.0f * (im))

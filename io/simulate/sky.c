/* sky.c: directions, geometric delays and dispersion: the simulator's closed formulas.
 * Room: io/simulate. */
#include <math.h>

#include "simulate.h"

#define LIGHT_M_S 299792458.0
#define RADIANS 0.017453292519943296

void ct_sky_direction(double az, double el, double out[3])
{
    out[0] = sin(az * RADIANS) * cos(el * RADIANS);
    out[1] = cos(az * RADIANS) * cos(el * RADIANS);
    out[2] = sin(el * RADIANS);
}

double ct_sky_delay(const double position[3], const double direction[3])
{
    double along = 0;
    for (int k = 0; k < 3; k++)
        along += position[k] * direction[k];
    return -along / LIGHT_M_S;
}

double ct_sky_dispersion(const simulation *sim, double dm, double hz, double reference_hz)
{
    double mhz = hz * 1e-6, reference = reference_hz * 1e-6;
    return sim->dm_constant * dm * (1 / (mhz * mhz) - 1 / (reference * reference));
}

/* icrs.c: directions by ERFA; see icrs.h.
 * Room: core/sky. The only file that calls ERFA. */
#include "icrs.h"

#include "earth.h"
#include "fail.h"

#ifdef CT_HAVE_ERFA
#include <erfa.h>
#include <math.h>

#define DEGREE (3.14159265358979323846 / 180.0)
#define DAY_S 86400.0
#define MJD_0 2400000.5
#define RADIO 200.0 /* a wavelength in micrometres: not light's; without air it has no effect */

bool ct_icrs_there(void)
{
    return true;
}

/* What is the same for all directions. */
static ct_status begin(eraASTROM *out, const double site[3], ct_icrs_instant when, ct_error *err)
{
    const ct_earth_place at = ct_earth_place_of(site);
    const double day = floor(when.mjd);
    double locations;
    const int code =
        eraApco13(MJD_0 + day, when.mjd - day + when.seconds / DAY_S, when.dut1_s, at.longitude,
                  at.latitude, at.height_m, 0, 0, 0, 0, 0, RADIO, out, &locations);
    if (code >= 0) return CT_OK;
    return ct_error_add(err, CT_INVALID, "no direction on the sky for the date MJD %.10g",
                        when.mjd + when.seconds / DAY_S);
}

ct_status ct_icrs_directions(const double site[3], ct_icrs_instant when, int64_t count,
                             const double (*radec)[2], double (*out)[3], ct_error *err)
{
    eraASTROM astrometry;
    ct_status status = begin(&astrometry, site, when, err);
    for (int64_t n = 0; status == CT_OK && n < count; n++) {
        double ra, dec, azimuth, zenith, hour, seen_dec, seen_ra;
        eraAtciq(radec[n][0] * DEGREE, radec[n][1] * DEGREE, 0, 0, 0, 0, &astrometry, &ra, &dec);
        eraAtioq(ra, dec, &astrometry, &azimuth, &zenith, &hour, &seen_dec, &seen_ra);
        out[n][0] = sin(azimuth) * sin(zenith);
        out[n][1] = cos(azimuth) * sin(zenith);
        out[n][2] = cos(zenith);
    }
    return status;
}

#else

bool ct_icrs_there(void)
{
    return false;
}

ct_status ct_icrs_directions(const double site[3], ct_icrs_instant when, int64_t count,
                             const double (*radec)[2], double (*out)[3], ct_error *err)
{
    (void)site, (void)when, (void)count, (void)radec, (void)out;
    return ct_error_add(err, CT_FAILED,
                        "directions on the sky need ERFA, without which this Cornerturn was built: "
                        "install liberfa-dev and build it again");
}

#endif

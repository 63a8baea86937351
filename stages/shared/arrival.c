/* arrival.c: positions, directions and the delay between them; see arrival.h.
 * Room: stages/shared. */
#include "arrival.h"

#include <math.h>
#include <stdio.h>

#define LIGHT_M_S 299792458.0

double ct_arrival_s(const double position[3], const double toward[3])
{
    return -(position[0] * toward[0] + position[1] * toward[1] + position[2] * toward[2]) /
           LIGHT_M_S;
}

double ct_arrival_longest_s(const double (*position)[3], int64_t stations)
{
    double farthest = 0;
    for (int64_t s = 0; s < stations; s++) {
        const double *r = position[s];
        farthest = fmax(farthest, sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]));
    }
    return farthest / LIGHT_M_S;
}

ct_status ct_arrival_positions(ct_step *step, int64_t stations, const double (**out)[3],
                               ct_error *err)
{
    const ct_observation *said = ct_step_observation(step);
    double(*position)[3] = ct_step_alloc(step, (size_t)stations * sizeof *position);
    ct_status status = CT_OK;
    if (!position) return CT_FAILED;
    if (said->stations != stations)
        return ct_step_fail(step, NULL, err,
                            "the input has %lld stations, \"observation\" %lld in \"stations\"",
                            (long long)stations, (long long)said->stations);
    for (int64_t s = 0; status == CT_OK && s < stations; s++)
        status = ct_step_local(step, said->station[s], position[s], err);
    *out = (const double(*)[3])position;
    return status;
}

static bool is_number(const ct_value *value)
{
    return ct_value_kind(value) == CT_INT || ct_value_kind(value) == CT_REAL;
}

ct_status ct_arrival_radec(const ct_step *step, const char *param, const ct_value *given, int64_t n,
                           double out[2], ct_error *err)
{
    char which[64] = "";
    if (n >= 0) snprintf(which, sizeof which, " for direction %lld", (long long)n);
    if (ct_value_kind(given) != CT_LIST || ct_value_count(given) != 2 ||
        !is_number(ct_value_at(given, 0)) || !is_number(ct_value_at(given, 1)))
        return ct_step_fail(step, param, err,
                            "expected [right ascension, declination] in degrees%s", which);
    for (int k = 0; k < 2; k++)
        out[k] = ct_value_real(ct_value_at(given, (size_t)k), 0);
    if (fabs(out[1]) <= 90 && fabs(out[0]) <= 360) return CT_OK;
    return ct_step_fail(step, param, err,
                        "expected degrees, up to 360 and -90 to 90%s, found [%g, %g]", which,
                        out[0], out[1]);
}

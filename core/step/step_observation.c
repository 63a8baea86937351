/* step_observation.c: what a step's pipeline says of telescope and sky, and what follows from it.
 * Room: core/step. Knows the observation's site and clock. Does not know pipelines' text. */
#include "earth.h"
#include "fail.h"
#include "icrs.h"
#include "step_inner.h"

static const ct_observation observation_none = {0};

const ct_observation *ct_step_observation(const ct_step *step)
{
    if (!step) return &observation_none;
    const ct_observation *given = ct_step_in(step)->location.observation;
    return given ? given : &observation_none;
}

static ct_status observation_site(const ct_step *step, const double **out, ct_error *err)
{
    *out = ct_step_observation(step)->site;
    if (*out) return CT_OK;
    return ct_step_fail(step, NULL, err,
                        "the pipeline's \"observation\" says neither \"site\" nor \"stations\", "
                        "without which there is no east, north and up");
}

ct_status ct_step_local(const ct_step *step, const double itrf[3], double out[3], ct_error *err)
{
    CT_GIVEN(err, step, itrf, out);
    const double *site;
    const ct_status status = observation_site(step, &site, err);
    if (status == CT_OK) ct_earth_local(site, itrf, out);
    return status;
}

ct_status ct_step_directions(const ct_step *step, double mjd, double seconds, int64_t count,
                             const double (*radec)[2], double (*out)[3], ct_error *err)
{
    CT_GIVEN(err, step, radec);
    const double *site, *dut1_s = ct_step_observation(step)->dut1_s;
    ct_error why = {0};
    ct_status status = observation_site(step, &site, err);
    if (status != CT_OK) return status;
    if (!(mjd > 0))
        return ct_step_fail(step, NULL, err,
                            "directions on the sky need the date: give the source \"start_mjd\"");
    atomic_store_explicit(&ct_step_in(step)->looks_up, true, memory_order_relaxed);
    status = ct_icrs_directions(site, (ct_icrs_instant){mjd, seconds, dut1_s ? *dut1_s : 0}, count,
                                radec, out, &why);
    return status == CT_OK ? CT_OK : ct_step_fail(step, NULL, err, "%s", why.text);
}

bool ct_step_looks_up(const ct_step *step)
{
    return atomic_load_explicit(&ct_step_in(step)->looks_up, memory_order_relaxed);
}

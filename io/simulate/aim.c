/* aim.c: where signals come from, and how that moves while the Earth rotates.
 * Room: io/simulate. Knows knots in time. Does not know spectra. */
#include <math.h>

#include "simulate.h"

/* Straight in between: at 100 km and 1.5 GHz the wave is off by 0.01 degrees. */
#define KNOT_S 0.25

bool ct_aim_moves(const sim_aim *aim)
{
    return !isnan(aim->radec[0][0]);
}

static ct_status look_up(ct_step *step, const simulation *sim, const sim_aim *aim, int64_t knot,
                         double (*out)[3], ct_error *err)
{
    return ct_step_directions(step, sim->start_mjd, sim->start_s + (double)knot * KNOT_S, 1,
                              (const double(*)[2])aim->radec, out, err);
}

ct_status ct_aim_check(ct_step *step, const simulation *sim, const sim_aim *aim, ct_error *err)
{
    double start[1][3];
    if (!ct_aim_moves(aim) || sim->filterbank) return CT_OK;
    return look_up(step, sim, aim, 0, start, err);
}

static ct_status follow(ct_step *step, const simulation *sim, sim_aim *aim, ct_error *err)
{
    const double length_s = (double)sim->total * sim->sample_time_s;
    const int64_t knots = (int64_t)(length_s / KNOT_S) + 2;
    ct_status status = CT_OK;
    if (!ct_aim_moves(aim)) ct_sky_direction(aim->az, aim->el, aim->direction);
    if (!ct_aim_moves(aim) || aim->path) return CT_OK;
    aim->path = ct_step_alloc(step, (size_t)knots * sizeof *aim->path);
    if (!aim->path) return CT_FAILED;
    for (int64_t k = 0; k < knots && status == CT_OK; k++)
        status = look_up(step, sim, aim, k, &aim->path[k], err);
    return status;
}

ct_status ct_aim_follow_all(ct_step *step, const simulation *sim, ct_error *err)
{
    ct_status status = CT_OK;
    for (int64_t k = 0; k < sim->sources && status == CT_OK; k++)
        status = follow(step, sim, &sim->source[k].aim, err);
    for (int64_t k = 0; k < sim->pulses && status == CT_OK; k++)
        status = follow(step, sim, &sim->pulse[k].aim, err);
    for (int64_t k = 0; k < sim->tones && status == CT_OK; k++)
        status = follow(step, sim, &sim->tone[k].aim, err);
    return status;
}

double ct_aim_delay(const simulation *sim, const sim_aim *aim, const double position[3], int64_t t)
{
    if (!aim->path) return ct_sky_delay(position, aim->direction);
    const double knot = (double)t * sim->sample_time_s / KNOT_S, part = knot - floor(knot);
    const int64_t k = (int64_t)knot;
    return (1 - part) * ct_sky_delay(position, aim->path[k]) +
           part * ct_sky_delay(position, aim->path[k + 1]);
}

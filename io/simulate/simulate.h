/* simulate.h: what an observation to be simulated consists of, shared by the files of this
 * folder.
 * Room: io/simulate. Knows only cornerturn_stage.h.
 * Order: ct_simulate_read in infer(), then ct_voltages_make or ct_power_make in open(). */
#ifndef CT_STAGES_SIMULATE_H
#define CT_STAGES_SIMULATE_H
#include "cornerturn_stage.h"

extern const ct_stage ct_stage_simulate; /* its line is in io/formats.c */

/* Where a signal comes from: a direction at the ground, or one on the sky, beneath which the Earth
 * rotates. */
typedef struct sim_aim {
    double az, el;       /* degrees */
    double radec[1][2];  /* ICRS, degrees; NaN: az and el count */
    double direction[3]; /* unit vector; unused where there is a path */
    double (*path)[3];   /* unit vectors at knots in time; NULL: it stays */
} sim_aim;

/* A dispersed pulse, or with a period a train of them. Unit vectors are east, north, up. */
typedef struct sim_pulse {
    double dm, time_s, width_s, amplitude, period_s;
    sim_aim aim;
} sim_pulse;

/* A steady one, or in a filterbank with a period one that is on for a part of each. */
typedef struct sim_tone {
    double frequency_hz; /* from the band's centre */
    double amplitude;
    double width_hz;         /* of a filterbank: what it covers */
    double time_s, period_s; /* begins; 0: it stays on */
    double on_s, jitter;     /* on so long; where in a period, 0 its beginning to 1 anywhere */
    sim_aim aim;
} sim_tone;

/* A filterbank's gain: a sine about 1, or without a period a step. */
typedef struct sim_gain {
    double amplitude, time_s, period_s;
} sim_gain;

/* Steady noise of a point on the sky. */
typedef struct sim_source {
    double amplitude; /* rms */
    sim_aim aim;
} sim_source;

typedef struct simulation {
    bool filterbank; /* power per channel; otherwise voltages of stations */
    ct_type type;
    int64_t total;
    double start_mjd, start_s; /* of the observation, and of sample 0 after that */
    double sample_time_s, centre_hz, bandwidth_hz, dm_constant;
    double noise, level, scale, offset;
    int bits; /* of u8 that are used */
    uint64_t seed;
    bool signal_in[2];     /* polarizations that receive pulses and tones */
    double (*position)[3]; /* of stations: east, north, up, metres */
    int64_t stations, channels;
    bool subbands; /* channels are subbands, and their voltages are made while they are read */
    double *channel_hz;
    sim_source *source;
    int64_t sources;
    sim_pulse *pulse;
    int64_t pulses;
    sim_tone *tone;
    int64_t tones;
    sim_gain *gain;
    int64_t gains;
} simulation;

/* All parameters, checked; *out lives as the step. */
ct_status ct_simulate_read(ct_step *step, simulation **out, ct_error *err);
ct_status ct_signals_read(ct_step *step, simulation *sim, ct_error *err);
ct_status ct_stations_read(ct_step *step, simulation *sim, ct_error *err);

enum { CT_SIMULATE_PIECE = 65536 /* samples between two looks whether to stop */ };

/* For loops over samples: whether the caller wants to stop, looked up once per piece. */
static inline bool ct_simulate_stopped(const ct_step *step, int64_t sample)
{
    return sample % CT_SIMULATE_PIECE == 0 && ct_step_stopped(step);
}

bool ct_aim_moves(const sim_aim *aim);
/* Whether a direction on the sky can be followed: the site and the date are known. */
ct_status ct_aim_check(ct_step *step, const simulation *sim, const sim_aim *aim, ct_error *err);
/* Follows all signals from the first sample to the last: before ct_aim_delay. */
ct_status ct_aim_follow_all(ct_step *step, const simulation *sim, ct_error *err);
/* Delay at a station of the wave that arrives with sample `t`. */
double ct_aim_delay(const simulation *sim, const sim_aim *aim, const double position[3], int64_t t);

/* Unit vector east, north, up of an azimuth (north through east) and elevation, degrees. */
void ct_sky_direction(double az, double el, double out[3]);
/* Delay of a plane wave at a station against the origin, s: negative for stations nearer to it. */
double ct_sky_delay(const double position[3], const double direction[3]);
/* Delay of frequency `hz` against `reference_hz`, s. */
double ct_sky_dispersion(const simulation *sim, double dm, double hz, double reference_hz);

/* Numbers of the band, quantised: [S][P][T] complex, and [T][C]. Memory lives as the step. */
ct_status ct_voltages_make(ct_step *step, const simulation *sim, void **out, ct_error *err);
ct_status ct_power_make(ct_step *step, const simulation *sim, void **out, ct_error *err);
/* Of a filterbank: what tones add to `count` samples of a channel from `begin` on, and by what
 * gains multiply all channels. */
void ct_unsteady_add(const simulation *sim, int64_t channel, int64_t begin, int64_t count,
                     double *value);
void ct_unsteady_gain(const simulation *sim, int64_t begin, int64_t count, double *gain);
double ct_voltages_room(const simulation *sim); /* bytes that are needed beside the numbers */

/* Voltages of many subbands: [S][P][T][C] of any length and from any sample on, the same numbers
 * whatever is read at a time. Memory lives as the step. */
typedef struct sim_subbands sim_subbands;
ct_status ct_subbands_check(ct_step *step, const simulation *sim, ct_error *err);
ct_status ct_subbands_open(ct_step *step, const simulation *sim, sim_subbands **out, ct_error *err);
ct_status ct_subbands_read(sim_subbands *subbands, ct_array *block, int64_t first, int64_t count,
                           ct_error *err);

#endif

/* simulate.h: what an observation to be simulated consists of, shared by the files of this folder.
 * Room: io/simulate. Knows only cornerturn_stage.h.
 * Order: ct_simulate_read in infer(), then ct_voltages_make or ct_filterbank_make in open(). */
#ifndef CT_STAGES_SIMULATE_H
#define CT_STAGES_SIMULATE_H
#include "cornerturn_stage.h"

extern const ct_stage ct_stage_simulate; /* its line is in stages/stages.c */

/* A dispersed pulse, or with a period a train of them. Directions are unit vectors east, north,
 * up. */
typedef struct sim_pulse {
    double dm, time_s, width_s, amplitude, az, el, period_s;
    double direction[3];
} sim_pulse;

typedef struct sim_tone {
    double frequency_hz; /* from the band's centre */
    double amplitude, az, el;
    double direction[3];
} sim_tone;

typedef struct simulation {
    bool filterbank; /* power per channel; otherwise voltages of stations */
    ct_type type;
    int64_t total;
    double sample_time_s, centre_hz, bandwidth_hz, dm_constant;
    double noise, level, scale;
    uint64_t seed;
    bool signal_in[2];     /* polarizations that receive pulses and tones */
    double (*position)[3]; /* of stations: east, north, up, metres */
    int64_t stations, channels;
    double *channel_hz;
    sim_pulse *pulse;
    int64_t pulses;
    sim_tone *tone;
    int64_t tones;
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

/* Unit vector east, north, up of an azimuth (north through east) and elevation, degrees. */
void ct_sky_direction(double az, double el, double out[3]);
/* Delay of a plane wave at a station against the origin, s: negative for stations nearer to it. */
double ct_sky_delay(const double position[3], const double direction[3]);
/* Delay of frequency `hz` against `reference_hz`, s. */
double ct_sky_dispersion(const simulation *sim, double dm, double hz, double reference_hz);

/* Numbers of the band, quantised: [S][P][T] complex, and [T][C]. Memory lives as the step. */
ct_status ct_voltages_make(ct_step *step, const simulation *sim, void **out, ct_error *err);
ct_status ct_filterbank_make(ct_step *step, const simulation *sim, void **out, ct_error *err);
double ct_voltages_room(const simulation *sim); /* bytes that are needed beside the numbers */

#endif

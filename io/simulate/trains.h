/* trains.h: a signal from the sky as windows of noise, one after another, in any subband and from
 * any sample on: pulses, a pulsar, a steady source. Room: io/simulate. Knows spectra and delays.
 * Does not know stations' noise, or types. */
#ifndef CT_STAGES_SIMULATE_TRAINS_H
#define CT_STAGES_SIMULATE_TRAINS_H
#include "fourier.h"
#include "random.h"
#include "simulate.h"

enum {
    CT_TRAINS_PIECE = 256, /* samples in which a carrier runs straight */
    CT_TRAINS_TAPER = 128  /* in which a steady source's window rises, and in which it falls */
};

typedef struct sim_train {
    const simulation *sim;
    const sim_aim *aim;
    const sim_pulse *pulse; /* NULL: steady */
    double amplitude;
    uint64_t number; /* among the signals */
    int64_t margin;  /* samples before and after a window's noise, for delays */
    int64_t active;  /* those that may have noise */
    int64_t hop;     /* of a steady one: from one window to the next */
    float rise[CT_TRAINS_TAPER];
    int64_t *late;       /* of a pulse: samples by which each subband's window comes later */
    sim_wave chirp;      /* dispersion: of each subband, a number for each bin; re NULL: none */
    sim_fourier fourier; /* its length is the window's */
} sim_train;

/* For one thread at a time: room for the longest of some trains. */
typedef struct sim_train_work {
    const float *normal; /* ct_random_table */
    sim_wave spectrum, moved, work;
} sim_train_work;

/* Samples of a window; as a double, since anything may be asked for. */
double ct_trains_length(const simulation *sim, const sim_pulse *pulse);
/* pulse NULL: the steady source `source`. */
ct_status ct_trains_new(ct_step *step, const simulation *sim, const sim_pulse *pulse,
                        const sim_source *source, uint64_t number, sim_train *out);
/* Adds what arrives at each of `stations` from `station` on to received[0 .. stations - 1], in a
 * subband, from sample `first` on; first and count are multiples of CT_TRAINS_PIECE. */
void ct_trains_add(const sim_train *train, const sim_train_work *work, int64_t subband,
                   int64_t station, int64_t stations, int64_t first, int64_t count,
                   const sim_wave *received);
/* exp(2 pi i cycles) */
ct_complex ct_trains_phasor(double cycles);

#endif

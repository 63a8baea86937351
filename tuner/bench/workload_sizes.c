/* workload_sizes.c: the list of workloads.
 * Room: tuner/bench. Does not know how they are measured.
 *
 * Each has an odd twin, "thesis-odd" (workload_counts.c). In parameters $T is the input's samples,
 * and delays are repeated for as many stations as there are.
 *
 * thesis: 64 stations, 256 channels, 512 times, 100 beams, 8 taps; dedispersion as in Sclocco et
 * al. 2014 (Astronomy and Computing 14, 1). lofar: a subband of the high-band core. apertif: 12
 * dishes. ska-low: 512 stations. lengths: the thesis' samples, transformed at other lengths.
 * beamlets: the thesis' samples, as eight stations of eight subbands. subbands: dedispersion in two
 * steps. small: seconds of testing. */
#include "workload.h"

#include <stddef.h>

#define SUBBANDS(count, smear)                                                                     \
    "{\"dm\": {\"start\": 0, \"step\": 0.25, \"count\": 64}, \"subbands\": " count                 \
    ", \"smear\": " smear "}"
#define INTEGRATED "{\"integrate\": $T}"
#define WINDOW "{\"window\": 1024}"
#define FIT "{\"mode\": \"fit\", \"window\": 1024}"
#define FIT_BYTES "{\"mode\": \"fit\", \"window\": 1024, \"type\": \"i8\"}"
#define SEARCH "{\"noise_samples\": 1024}"
#define LEVELS "{\"type\": \"u8\", \"levels\": \"channel\", \"window\": 1024}"
#define SHIFTS "{\"delays\": [[0], [1e-2], [0], [-3e-3]]}"
#define DELAYS "{\"delays\": [[0, 1e-6], [1e-6, 0], [1e-6, 2e-6], [0, 0]]}"
#define STOKES "{\"products\": \"IQUV\", \"from\": \"AABBCRCI\", \"feed\": \"linear\"}"
#define TRIALS "{\"dm\": {\"start\": 0, \"step\": 0.25, \"count\": 64}}"

static const ct_workload sizes[] = {
    {"thesis", "fir", "fir", "{\"channels\": 256, \"taps\": 8}", "S=64 P=2 T=131072", "ci8", 0, 0,
     0, 0},
    {"thesis", "fft", "fft", "{}", "S=64 P=2 T=512 C=256", "cf32", 0, 0, 0, 0},
    {"thesis", "ppf", "ppf", "{\"channels\": 256, \"taps\": 8}", "S=64 P=2 T=131072", "ci8", 0, 0,
     0, 0},
    {"thesis", "shift", "shift", SHIFTS, "S=4 P=2 T=4194304", "ci8", 0, 0, 0, 0},
    {"thesis", "delay", "delay", DELAYS, "S=4 P=2 T=8192 C=256", "cf32", 0, 0, 0, 0},
    {"thesis", "flag", "flag", WINDOW, "S=4 P=2 T=8192 C=256", "cf32", 0, 0, 0, 0},
    {"thesis", "flag-power", "flag", WINDOW, "B=16 T=4096 C=256", "f32", 0, 0, 0, 0},
    {"thesis", "convert", "convert", "{\"type\": \"u8\"}", "T=16384 C=1024", "f32", 0, 0, 0, 0},
    {"thesis", "convert-levels", "convert", LEVELS, "T=16384 C=1024", "f32", 0, 0, 0, 0},
    {"thesis", "baseline", "baseline", "{\"window\": 4096}", "T=16384 C=1024", "f32", 0, 0, 0, 0},
    {"thesis", "baseline-bytes", "baseline", "{\"type\": \"i8\", \"window\": 4096}",
     "T=65536 C=1024", "u8", 0, 0, 0, 0},
    {"thesis", "zerodm", "zerodm", "{}", "T=16384 C=1024", "f32", 0, 0, 0, 0},
    {"thesis", "zerodm-fit", "zerodm", FIT, "T=16384 C=1024", "f32", 0, 0, 0, 0},
    {"thesis", "zerodm-bytes", "zerodm", FIT_BYTES, "T=65536 C=1024", "u8", 0, 0, 0, 0},
    {"thesis", "beamformer", "beamformer", "", "S=64 P=2 T=512 C=256", "cf32", 100, 0, 0, 0},
    {"thesis", "beamdetect", "beamdetect", "", "S=64 P=2 T=512 C=256", "cf32", 100, 0, 0, 0},
    {"thesis", "correlator", "correlator", INTEGRATED, "S=64 P=2 T=512 C=256", "cf32", 0, 0, 0, 0},
    {"thesis", "correlator-i8", "correlator", INTEGRATED, "S=64 P=2 T=512 C=256", "ci8", 0, 0, 0,
     0},
    {"thesis", "correlator-i16", "correlator", INTEGRATED, "S=64 P=2 T=512 C=256", "ci16", 0, 0, 0,
     0},
    {"thesis", "detect", "detect", "{}", "B=100 P=2 T=512 C=256", "cf32", 0, 0, 0, 0},
    {"thesis", "products", "products", STOKES, "Q=4 T=16384 C=1024", "f32", 0, 0, 0, 0},
    {"thesis", "products-sum", "products", "{\"products\": \"I\", \"from\": \"AABB\"}",
     "Q=2 T=16384 C=1024", "u8", 0, 0, 0, 0},
    {"thesis", "dedisp-apertif", "dedisp", TRIALS, "T=20000 C=1024", "f32", 0, 1425e6, 292968.75,
     5e-5},
    {"thesis", "dedisp-lofar", "dedisp", TRIALS, "T=200000 C=32", "f32", 0, 138e6, 195312.5, 5e-6},
    {"thesis", "pulses", "pulses", SEARCH, "D=64 T=200704", "f32", 0, 0, 0, 5e-6},
    {"thesis", "transpose", "transpose", "{}", "S=64 C=256 T=768 P=2", "cf32", 0, 0, 0, 0},

    {"lofar", "fir", "fir", "{\"channels\": 64, \"taps\": 16}", "S=48 P=2 T=196608", "ci16", 0, 0,
     0, 0},
    {"lofar", "fft", "fft", "{}", "S=48 P=2 T=3072 C=64", "cf32", 0, 0, 0, 0},
    {"lofar", "ppf", "ppf", "{\"channels\": 64, \"taps\": 16}", "S=48 P=2 T=196608", "ci16", 0, 0,
     0, 0},
    {"lofar", "shift", "shift", SHIFTS, "S=48 P=2 T=196608", "ci16", 0, 0, 0, 0},
    {"lofar", "delay", "delay", DELAYS, "S=48 P=2 T=3072 C=64", "cf32", 0, 0, 0, 0},
    {"lofar", "flag", "flag", WINDOW, "S=48 P=2 T=3072 C=64", "cf32", 0, 0, 0, 0},
    {"lofar", "flag-power", "flag", WINDOW, "B=127 T=2048 C=64", "f32", 0, 0, 0, 0},
    {"lofar", "beamformer", "beamformer", "", "S=48 P=2 T=3072 C=64", "cf32", 127, 0, 0, 0},
    {"lofar", "correlator", "correlator", INTEGRATED, "S=48 P=2 T=3072 C=64", "cf32", 0, 0, 0, 0},
    {"lofar", "correlator-i16", "correlator", INTEGRATED, "S=48 P=2 T=3072 C=64", "ci16", 0, 0, 0,
     0},
    {"lofar", "detect", "detect", "{\"stokes\": \"IQUV\", \"integrate\": 16}",
     "B=127 P=2 T=1536 C=64", "cf32", 0, 0, 0, 0},
    {"lofar", "dedisp", "dedisp", TRIALS, "T=200000 C=32", "u8", 0, 138e6, 195312.5, 5e-6},
    {"lofar", "pulses", "pulses", SEARCH, "B=25 D=64 T=8192", "f32", 0, 0, 0, 1e-3},

    {"apertif", "fir", "fir", "{\"channels\": 64, \"taps\": 8}", "S=12 P=2 T=1048576", "ci8", 0, 0,
     0, 0},
    {"apertif", "fft", "fft", "{}", "S=12 P=2 T=16384 C=64", "cf32", 0, 0, 0, 0},
    {"apertif", "ppf", "ppf", "{\"channels\": 64, \"taps\": 8}", "S=12 P=2 T=1048576", "ci8", 0, 0,
     0, 0},
    {"apertif", "shift", "shift", SHIFTS, "S=12 P=2 T=1048576", "ci8", 0, 0, 0, 0},
    {"apertif", "delay", "delay", DELAYS, "S=12 P=2 T=16384 C=64", "cf32", 0, 0, 0, 0},
    {"apertif", "flag", "flag", WINDOW, "S=12 P=2 T=16384 C=64", "cf32", 0, 0, 0, 0},
    {"apertif", "flag-power", "flag", WINDOW, "B=37 T=8192 C=64", "f32", 0, 0, 0, 0},
    {"apertif", "beamformer", "beamformer", "", "S=12 P=2 T=8192 C=64", "cf32", 37, 0, 0, 0},
    {"apertif", "correlator", "correlator", INTEGRATED, "S=12 P=2 T=8192 C=64", "ci8", 0, 0, 0, 0},
    {"apertif", "dedisp", "dedisp", TRIALS, "T=20000 C=1024", "u8", 0, 1425e6, 292968.75, 5e-5},
    {"apertif", "pulses", "pulses", SEARCH, "B=12 D=64 T=20480", "f32", 0, 0, 0, 5e-5},

    {"ska-low", "fft", "fft", "{}", "S=512 P=2 T=128 C=128", "cf32", 0, 0, 0, 0},
    {"ska-low", "beamformer", "beamformer", "", "S=512 P=2 T=128 C=64", "cf32", 250, 0, 0, 0},
    {"ska-low", "correlator", "correlator", INTEGRATED, "S=512 P=2 T=128 C=64", "cf32", 0, 0, 0, 0},
    {"ska-low", "correlator-i8", "correlator", INTEGRATED, "S=512 P=2 T=128 C=64", "ci8", 0, 0, 0,
     0},
    {"ska-low", "dedisp", "dedisp", TRIALS, "T=8192 C=4096", "u8", 0, 150e6, 14648.4375, 1e-4},

    {"lengths", "fft-64", "fft", "{}", "S=64 P=2 T=2048 C=64", "cf32", 0, 0, 0, 0},
    {"lengths", "fft-256", "fft", "{}", "S=64 P=2 T=512 C=256", "cf32", 0, 0, 0, 0},
    {"lengths", "fft-1024", "fft", "{}", "S=64 P=2 T=128 C=1024", "cf32", 0, 0, 0, 0},
    {"lengths", "fft-4096", "fft", "{}", "S=64 P=2 T=32 C=4096", "cf32", 0, 0, 0, 0},

    {"beamlets", "fir", "fir", "{\"channels\": 256, \"taps\": 8}", "S=8 P=2 T=131072 C=8", "ci8", 0,
     0, 0, 0},
    {"beamlets", "fft", "fft", "{}", "S=8 P=2 T=512 F=8 C=256", "cf32", 0, 0, 0, 0},
    {"beamlets", "ppf", "ppf", "{\"channels\": 256, \"taps\": 8}", "S=8 P=2 T=131072 C=8", "ci8", 0,
     0, 0, 0},

    {"subbands", "dedisp-apertif", "dedisp", SUBBANDS("32", "1"), "T=20000 C=1024", "f32", 0,
     1425e6, 292968.75, 5e-5},
    {"subbands", "dedisp-apertif-u8", "dedisp", SUBBANDS("32", "1"), "T=20000 C=1024", "u8", 0,
     1425e6, 292968.75, 5e-5},
    {"subbands", "dedisp-lofar", "dedisp", SUBBANDS("4", "489"), "T=200000 C=32", "f32", 0, 138e6,
     195312.5, 5e-6},

    {"small", "fir", "fir", "{\"channels\": 32, \"taps\": 4}", "S=6 P=2 T=2048", "ci8", 0, 0, 0, 0},
    {"small", "fft", "fft", "{}", "S=6 P=2 T=64 C=32", "cf32", 0, 0, 0, 0},
    {"small", "ppf", "ppf", "{\"channels\": 32, \"taps\": 4}", "S=6 P=2 T=2048", "ci8", 0, 0, 0, 0},
    {"small", "shift", "shift", "{\"delays\": [[0], [1e-2]]}", "S=2 P=2 T=2048", "ci8", 0, 0, 0, 0},
    {"small", "delay", "delay", "{\"delays\": [[0, 1e-6], [1e-6, 0]]}", "S=2 P=2 T=64 C=32", "cf32",
     0, 0, 0, 0},
    {"small", "flag", "flag", "{\"window\": 64}", "S=2 P=2 T=128 C=32", "cf32", 0, 0, 0, 0},
    {"small", "flag-power", "flag", "{\"window\": 64}", "B=2 T=128 C=32", "f32", 0, 0, 0, 0},
    {"small", "convert", "convert", "{\"type\": \"u8\"}", "T=128 C=32", "f32", 0, 0, 0, 0},
    {"small", "baseline", "baseline", "{\"window\": 256}", "T=512 C=32", "f32", 0, 0, 0, 0},
    {"small", "zerodm", "zerodm", "{\"mode\": \"fit\", \"window\": 64}", "T=128 C=32", "f32", 0, 0,
     0, 0},
    {"small", "beamformer", "beamformer", "", "S=6 P=2 T=64 C=32", "cf32", 7, 0, 0, 0},
    {"small", "correlator", "correlator", INTEGRATED, "S=6 P=2 T=64 C=32", "cf32", 0, 0, 0, 0},
    {"small", "detect", "detect", "{}", "B=6 P=2 T=64 C=32", "cf32", 0, 0, 0, 0},
    {"small", "products", "products", STOKES, "Q=4 T=64 C=32", "f32", 0, 0, 0, 0},
    {"small", "dedisp", "dedisp", "{\"dm\": {\"start\": 0, \"step\": 0.5, \"count\": 4}}",
     "T=256 C=16", "f32", 0, 1425e6, 1e6, 1e-3},
    {"small", "pulses", "pulses", SEARCH, "D=4 T=2048", "f32", 0, 0, 0, 1e-3},
    {"small", "transpose", "transpose", "{}", "S=6 C=32 T=64 P=2", "cf32", 0, 0, 0, 0}};

const ct_workload *ct_workload_at(int index)
{
    return index < (int)(sizeof sizes / sizeof sizes[0]) ? &sizes[index] : NULL;
}

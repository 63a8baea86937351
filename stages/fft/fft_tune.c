/* fft_tune.c: which tunables suit and fit.
 * Room: stages/fft. Knows strides. Does not know how engines work. */
#include "fft.h"

bool ct_fft_legal(const ct_step *step)
{
    return ct_fft_can((int)ct_step_tunable(step, "ENGINE"),
                      ct_array_extent(ct_step_array(step, "X"), 'C'));
}

/* FFTW where the data are the host's, clFFT where they are not; the other where it must. */
void ct_fft_suggest(ct_step *step)
{
    bool rows = ct_array_stride(ct_step_array(step, "X"), 'C') == 1 &&
                ct_array_stride(ct_step_array(step, "Y"), 'C') == 1;
    if (rows)
        ct_step_suggest(step, "TILE_SPT", 4); /* the shorter, the more stays in the first cache */
    for (int i = 0; i < ct_fft_engines() && !ct_fft_legal(step); i++)
        ct_step_suggest(step, "ENGINE", i);
}

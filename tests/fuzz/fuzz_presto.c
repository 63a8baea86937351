/* fuzz_presto.c: the input is an .inf of PRESTO, with a .dat beside it: by itself, and in a list
 * with another one; and both described.
 * Room: tests/fuzz. Knows source.presto's descriptor. */
#include "fuzz_source.h"

extern const ct_stage ct_stage_source_presto;

static const char other[] = " Data file name without suffix          =  b\n"
                            " Number of bins in the time series      =  40\n"
                            " Width of each time series bin (sec)    =  0.001\n"
                            " Dispersion measure (cm-3 pc)           =  -1\n";

void fuzz_begin(void)
{
}

void fuzz_one(const uint8_t *data, size_t size)
{
    static const float samples[40] = {1, 2, 3};
    const char *inf = fuzz_file("a.inf", data, size);
    const char *dat = fuzz_file("a.dat", samples, sizeof samples);
    (void)fuzz_file("b.inf", other, sizeof other - 1);
    (void)fuzz_file("b.dat", samples, sizeof samples);
    fuzz_source(&ct_stage_source_presto, "{'files': 'a.dat'}", dat);
    fuzz_source(&ct_stage_source_presto, "{'files': ['a.dat', 'b.dat']}", inf);
}

/* fuzz_vdif.c: the input is a VDIF file, by itself, as two files, and with its rate and
 * polarizations given; and described. Room: tests/fuzz. Knows source.vdif's descriptor. */
#include "fuzz_source.h"

extern const ct_stage ct_stage_source_vdif;

void fuzz_begin(void)
{
}

void fuzz_one(const uint8_t *data, size_t size)
{
    const size_t half = size / 2;
    const char *file = fuzz_file("a.vdif", data, size);
    fuzz_source(&ct_stage_source_vdif, "{'files': 'a.vdif'}", file);
    fuzz_source(&ct_stage_source_vdif,
                "{'files': 'a.vdif', 'sample_rate_hz': 64000, 'reorder': 1, "
                "'polarizations': 'channels', 'max_gap_s': 1e9}",
                NULL);
    (void)fuzz_file("b.vdif", data, half);
    (void)fuzz_file("c.vdif", data + half, size - half);
    fuzz_source(&ct_stage_source_vdif,
                "{'files': ['b.vdif', 'c.vdif'], 'threads': [1, 0], 'reorder': 3}", NULL);
}

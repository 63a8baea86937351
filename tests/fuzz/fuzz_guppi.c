/* fuzz_guppi.c: the input is a GUPPI raw file, by itself and before itself, and described.
 * Room: tests/fuzz. Knows source.guppi's descriptor. */
#include "fuzz_source.h"

extern const ct_stage ct_stage_source_guppi;

void fuzz_begin(void)
{
}

void fuzz_one(const uint8_t *data, size_t size)
{
    const char *file = fuzz_file("a.raw", data, size);
    fuzz_source(&ct_stage_source_guppi, "{'files': 'a.raw'}", file);
    fuzz_source(&ct_stage_source_guppi, "{'files': ['a.raw', 'a.raw'], 'max_gap_s': 1e9}", NULL);
}

/* fuzz_psrfits.c: the input is a FITS file, read as PSRFITS and described.
 * Room: tests/fuzz. Knows source.psrfits' descriptor. */
#include "fuzz_source.h"

extern const ct_stage ct_stage_source_psrfits;

void fuzz_begin(void)
{
}

void fuzz_one(const uint8_t *data, size_t size)
{
    const char *file = fuzz_file("a.sf", data, size);
    fuzz_source(&ct_stage_source_psrfits, "{'file': 'a.sf'}", file);
}

/* fuzz_dada.c: the input is two PSRDADA files, of which the first byte says how much belongs to the
 * first one; each by itself and as a sequence, and described.
 * Room: tests/fuzz. Knows source.dada's descriptor. */
#include "fuzz_source.h"

extern const ct_stage ct_stage_source_dada;

void fuzz_begin(void)
{
}

/* Where the byte is a letter, as it is in every file of this kind, there is one file only. */
void fuzz_one(const uint8_t *data, size_t size)
{
    const size_t skip = size > 0 && data[0] < 'A';
    const size_t rest = size - skip, at = skip ? rest * data[0] / 'A' : rest;
    const char *file = fuzz_file("a.dada", data + skip, at);
    (void)fuzz_file("b.dada", data + skip + at, rest - at);
    fuzz_source(&ct_stage_source_dada, "{'files': 'a.dada'}", file);
    if (skip) fuzz_source(&ct_stage_source_dada, "{'files': ['a.dada', 'b.dada']}", NULL);
}

/* fuzz_npy.c: the input is a .npy file, read as samples, as coefficients' loader would, and
 * described. Room: tests/fuzz. Knows source.npy's descriptor. */
#include "fuzz_source.h"

extern const ct_stage ct_stage_source_npy;

void fuzz_begin(void)
{
}

void fuzz_one(const uint8_t *data, size_t size)
{
    const char *file = fuzz_file("a.npy", data, size);
    fuzz_source(&ct_stage_source_npy, "{'file': 'a.npy', 'dims': 'ST'}", file);
    fuzz_source(&ct_stage_source_npy, "{'file': 'a.npy', 'dims': 'CTP', 'type': 'ci8'}", NULL);
    fuzz_source(&ct_stage_source_npy, "{'file': 'a.npy', 'dims': 'T'}", NULL);
}

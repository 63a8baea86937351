/* fuzz_fbh5.c: the input is an HDF5 file, read as a filterbank and described.
 * Room: tests/fuzz. Knows source.fbh5's descriptor. */
#include "fuzz_source.h"

extern const ct_stage ct_stage_source_fbh5;

/* libhdf5 makes room for what a damaged object header says, and keeps it. */
void fuzz_begin(void)
{
    fuzz_forgive_library();
}

void fuzz_one(const uint8_t *data, size_t size)
{
    const char *file = fuzz_file("a.h5", data, size);
    fuzz_source(&ct_stage_source_fbh5, "{'file': 'a.h5'}", file);
}

/* fuzz_sigproc.c: the input is a SIGPROC file, read and described.
 * Room: tests/fuzz. Knows source.sigproc's descriptor. */
#include "fuzz_source.h"

extern const ct_stage ct_stage_source_sigproc;

void fuzz_begin(void)
{
}

void fuzz_one(const uint8_t *data, size_t size)
{
    const char *file = fuzz_file("a.fil", data, size);
    fuzz_source(&ct_stage_source_sigproc, "{'file': 'a.fil'}", file);
}

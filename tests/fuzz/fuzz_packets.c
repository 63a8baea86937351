/* fuzz_packets.c: the input is two lanes of station packets, of which the first byte says how much
 * belongs to the first one; read in the ways that source.lofar has, and described.
 * Room: tests/fuzz. Knows source.lofar's descriptor. */
#include "fuzz_source.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

extern const ct_stage ct_stage_source_lofar;

/* What the source says at the end of its work is not looked at, and there is much of it. */
void fuzz_begin(void)
{
}

void fuzz_one(const uint8_t *data, size_t size)
{
    static const char *const ways[] = {
        "{'files': 'a.udp'}",
        "{'files': ['a.udp', 'b.udp'], 'span': 'all', 'clamp': true, 'subbands': 100}",
        "{'files': [['a.udp'], ['b.udp']], 'beamlets': [0], 'scale16': true}",
        "{'files': ['a.udp', 'b.udp'], 'beamlets': [1, 0], 'frequency_hz': [1e8, 2e8]}"};
    const size_t at = size > 0 ? 1 + (size - 1) * data[0] / 255 : 0;
    const char *file = fuzz_file("a.udp", data + (size > 0), at - (size > 0));
    (void)fuzz_file("b.udp", data + at, size - at);
    fuzz_source(&ct_stage_source_lofar, ways[0], file);
    for (size_t i = 1; i < sizeof ways / sizeof ways[0] && at < size; i++)
        fuzz_source(&ct_stage_source_lofar, ways[i], NULL);
}

/* faults_inputs.c: the bytes that the pipelines of faults.c begin with.
 * Room: tests. */
#include "faults_inputs.h"
#include <stdio.h>
#include <stdlib.h>

void write_noise(const char *path, size_t bytes)
{
    unsigned state = 12345;
    FILE *to = fopen(path, "wb");
    for (size_t i = 0; to && i < bytes; i++) {
        state = state * 1664525u + 1013904223u;
        (void)fputc((int)(state >> 24), to);
    }
    if (!to || fclose(to) != 0) exit(2);
}

void write_guppi(const char *path)
{
    static const char *const cards[] = {"BLOCSIZE= 768",  "OBSNCHAN= 3",   "NPOL    = 4",
                                        "NBITS   = 8",    "PKTSIZE = 768", "TBIN    = 1E-5",
                                        "OBSFREQ = 1400", "OBSBW   = 0.3"};
    FILE *to = fopen(path, "wb");
    for (int block = 0; to && block < 2; block++) {
        for (size_t i = 0; i < sizeof cards / sizeof cards[0]; i++)
            (void)fprintf(to, "%-80s", cards[i]);
        (void)fprintf(to, "PKTIDX  = %-70d%-80s", block, "END");
        for (int i = 0; i < 768; i++)
            (void)fputc(i * 7 + block, to);
    }
    if (!to || fclose(to) != 0) exit(2);
}

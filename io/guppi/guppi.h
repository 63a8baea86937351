/* guppi.h: the headers of GUPPI raw files: before each block cards of 80 letters, as FITS has them.
 * Room: io/guppi. Knows the cards. Does not know the order of blocks. */
#ifndef CT_IO_GUPPI_H
#define CT_IO_GUPPI_H
#include "input.h"

enum {
    CT_GUPPI_CARD = 80,
    CT_GUPPI_CARDS = 2048, /* in a header, at most */
    CT_GUPPI_SECTOR = 512, /* to which DIRECTIO fills a header up */
    CT_GUPPI_CHANNELS = 1 << 22,
    CT_GUPPI_TEXT = 80
};

/* A block, as its header describes it. Whole numbers are -1 where the header does not say. */
typedef struct ct_guppi {
    int64_t bytes, channels, components, bits, overlap; /* components: NPOL */
    int64_t index, packet_bytes, indices, first_index;  /* PKTIDX, PKTSIZE, PIPERBLK, PKTSTART */
    int64_t antennas, channels_last, filled, day, second;
    double second_part, freq_mhz, bw_mhz, sample_time_s;
    char source[CT_GUPPI_TEXT], telescope[CT_GUPPI_TEXT], ra[CT_GUPPI_TEXT], dec[CT_GUPPI_TEXT],
        receptors[CT_GUPPI_TEXT], packets[CT_GUPPI_TEXT];
    int64_t pols;
    int64_t samples;    /* of the block, those that the next one repeats included */
    int64_t data_at;    /* byte of the first element */
    bool whole;         /* the file holds all of the block */
    bool time_first;    /* time, channel, polarization; else channel, time, polarization */
    double per_index;   /* samples for each step of PKTIDX; 0: not known */
    double after_start; /* samples from STT_* to the block */
} ct_guppi;

/* By a file's first bytes. */
bool ct_guppi_is(const uint8_t *start, size_t bytes);
/* The header at byte `at`; CT_DATA names the card. Where the file ends within it, which the first
 * one may not, whole is false and nothing else is said. */
ct_status ct_guppi_read(ct_guppi *out, ct_input *in, int64_t at, ct_error *err);
/* Where the header of the block after it begins. */
int64_t ct_guppi_end(const ct_guppi *block);
/* Samples of a block that the next one does not repeat. */
int64_t ct_guppi_new(const ct_guppi *block);
/* The centre of a channel. */
double ct_guppi_frequency(const ct_guppi *block, int64_t channel);

#endif

/* presto.h: PRESTO's .inf, the text beside each time series .dat: what its lines say.
 * [S. Ransom, PRESTO: readinf, writeinf]
 * Room: io/presto. Knows the labels. Does not know blocks. */
#ifndef CT_IO_PRESTO_H
#define CT_IO_PRESTO_H
#include "input.h"

enum {
    CT_PRESTO_TEXT = 80,
    CT_PRESTO_PAIRS = 40,
    CT_PRESTO_LONGEST = 65536,
    CT_PRESTO_NAME = 4096
};

/* Numbers are 0, texts empty, where the file does not say it. */
typedef struct ct_presto_inf {
    char telescope[CT_PRESTO_TEXT], object[CT_PRESTO_TEXT];
    double raj, dej;           /* as SIGPROC packs them */
    double epoch_mjd, epoch_s; /* the first bin's leading edge; what a double lacks of it, s */
    double barycentric, breaks;
    double bins, bin_s, dm;
    double low_mhz, bandwidth_mhz, channels; /* the lowest channel's centre */
    int64_t pairs;
    int64_t pair[CT_PRESTO_PAIRS][2]; /* bins with data: the first, the last */
} ct_presto_inf;

/* "name.dat" -> "name.inf"; false: it does not end so, or is too long. */
bool ct_presto_beside(char out[CT_PRESTO_NAME], const char *dat);
/* Whether a text that begins so is one. */
bool ct_presto_is(const uint8_t *start, size_t bytes);
/* `file` is borrowed only for messages. CT_DATA: a line cannot be, or the series has no length. */
ct_status ct_presto_read(ct_presto_inf *out, const char *file, ct_error *err);

#endif

/* sigproc.h: the header of SIGPROC's .fil and .tim files: keywords and values, kept in the file's
 * order, so that what was read prints to the same bytes.
 * Room: io/sigproc. Knows the keywords. Does not know blocks. */
#ifndef CT_IO_SIGPROC_H
#define CT_IO_SIGPROC_H
#include "input.h"

enum {
    CT_SIGPROC_ENTRIES = 48,
    CT_SIGPROC_CHANNELS = 1 << 22,
    CT_SIGPROC_TEXT = 256,
    CT_SIGPROC_HEADER = 64 + CT_SIGPROC_ENTRIES * 352 /* enough for any header */
};

typedef struct ct_sigproc_entry {
    int key; /* place in the list of keywords */
    int64_t integer;
    double real;
    char text[CT_SIGPROC_TEXT];
} ct_sigproc_entry;

/* Start with {0} when adding. */
typedef struct ct_sigproc {
    int count;
    ct_sigproc_entry entry[CT_SIGPROC_ENTRIES];
    int64_t table_at, table_count; /* FREQUENCY_START: its first record and how many; not printed */
    int64_t data_at;
} ct_sigproc;

/* What the numbers are. */
typedef struct ct_sigproc_shape {
    int64_t channels, ifs, samples;
    int64_t torn; /* bytes after the last whole sample; 0 where only bits fill up its last byte */
    unsigned bits;
    bool with_sign;
    ct_type type; /* in memory */
} ct_sigproc_shape;

bool ct_sigproc_is(const uint8_t *start, size_t bytes); /* as ct_format says */
ct_status ct_sigproc_read(ct_sigproc *out, ct_input *in, ct_error *err);
ct_status ct_sigproc_measure(ct_sigproc_shape *out, const ct_sigproc *header, const ct_input *in,
                             ct_error *err);
/* The centre of channel c, Hz; 0 unknown. */
ct_status ct_sigproc_frequency(double *out, const ct_sigproc *header, ct_input *in, int64_t c,
                               ct_error *err);

/* The last entry of this keyword; NULL if there is none. */
const ct_sigproc_entry *ct_sigproc_find(const ct_sigproc *header, const char *keyword);
int64_t ct_sigproc_int(const ct_sigproc *header, const char *keyword, int64_t otherwise);
double ct_sigproc_real(const ct_sigproc *header, const char *keyword, double otherwise);
const char *ct_sigproc_text(const ct_sigproc *header, const char *keyword, const char *otherwise);
void ct_sigproc_add(ct_sigproc *header, const char *keyword, double number, const char *text);

/* Bytes written: HEADER_START to HEADER_END; at most `size`. */
size_t ct_sigproc_print(uint8_t *out, size_t size, const ct_sigproc *header);

#endif

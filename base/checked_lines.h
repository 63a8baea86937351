/* checked_lines.h: what journals have in common: lines of JSON that carry a checksum, each of which
 * is on the disk before anything goes on, so that a kill loses the line in flight and nothing else.
 * Room: base. Knows POSIX files and checksums. Does not know what the lines say. */
#ifndef CT_BASE_CHECKED_LINES_H
#define CT_BASE_CHECKED_LINES_H
#include <sys/types.h>

#include "cornerturn_stage.h"

/* Two forms: `0123456789abcdef {..}`, FNV-1a of the JSON before it; and `{..,"crc":"01234567"}`,
 * CRC-32 (zlib's) of all before that comma as the JSON's last member. */
typedef struct ct_checked_lines {
    bool crc;    /* the second form */
    int handle;  /* the caller's; -1: for reading only */
    off_t bytes; /* of whole lines */
    ct_value **line;
    size_t count;
} ct_checked_lines;

enum { CT_CHECKED_LINES_SEAL = 20 /* a checksum as it stands in a line, terminated */ };

/* The file's lines; what follows the last whole one is left out. CT_MISMATCH, without a sentence:
 * the line after these is damaged; `seal`: what it should have. */
ct_status ct_checked_lines_read(ct_checked_lines *lines, const char *path,
                                char seal[CT_CHECKED_LINES_SEAL], ct_error *err);
/* Adds a line: in one write, and taken back if that fails. 0 or an errno. */
int ct_checked_lines_add(ct_checked_lines *lines, const char *json);
/* Writes all of it; waits until it is on the disk. 0 or an errno. */
int ct_checked_lines_put(int handle, const void *data, size_t bytes);
int ct_checked_lines_sync(int handle);
void ct_checked_lines_free(ct_checked_lines *lines);

#endif

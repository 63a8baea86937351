/* direct.h: writing past the system's cache of pages: no pages have to be made and filled, and a
 * long file does not push out what others read. Memory and file have to be aligned.
 * Room: io/shared. Knows POSIX files. Does not know formats. */
#ifndef CT_IO_DIRECT_H
#define CT_IO_DIRECT_H
#include <sys/types.h>

#include "cornerturn_stage.h"

enum {
    CT_DIRECT_PAGE = 4096,       /* to which memory and file are aligned */
    CT_DIRECT_LEAST = 256 << 10, /* bytes at a time: less waits longer than it saves */
    CT_DIRECT_WINDOW = 2 << 20,  /* in which small puts are gathered */
    CT_DIRECT_CACHED = 256 << 20 /* a file's first bytes are cached: one that is no longer is
                                  * perhaps read soon */
};

typedef struct ct_direct {
    bool able;     /* the file may be written so */
    int handle;    /* a second one of the same file; below 0: not open */
    int64_t after; /* bytes that were written: CT_DIRECT_CACHED */
} ct_direct;

/* Of `*bytes` from an aligned place on how many are written so, or false: all by pwrite(). */
bool ct_direct_takes(const ct_direct *direct, const void *data, int64_t position, size_t *bytes);
/* As pwrite(). Where the file system refuses it EINTR, and it is not able any more. */
ssize_t ct_direct_write(ct_direct *direct, const char *path, const void *data, size_t bytes,
                        int64_t position);
void ct_direct_close(ct_direct *direct);

#endif

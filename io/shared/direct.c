/* direct.c: see direct.h.
 * Room: io/shared. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_DIRECT */
#endif
#include "direct.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

bool ct_direct_takes(const ct_direct *direct, const void *data, int64_t position, size_t *bytes)
{
    const bool aligned = position % CT_DIRECT_PAGE == 0 && (uintptr_t)data % CT_DIRECT_PAGE == 0;
    if (!direct->able || !aligned || *bytes < CT_DIRECT_LEAST) return false;
    *bytes = *bytes / CT_DIRECT_PAGE * CT_DIRECT_PAGE;
    return true;
}

static ssize_t direct_refuse(ct_direct *direct)
{
    direct->able = false;
    errno = EINTR;
    return -1;
}

ssize_t ct_direct_write(ct_direct *direct, const char *path, const void *data, size_t bytes,
                        int64_t position)
{
    if (direct->handle < 0)
        direct->handle = open(path, O_WRONLY | O_DIRECT | O_NOFOLLOW | O_CLOEXEC);
    if (direct->handle < 0) return errno == EINTR ? -1 : direct_refuse(direct);
    const ssize_t n = pwrite(direct->handle, data, bytes, position);
    return n < 0 && errno == EINVAL ? direct_refuse(direct) : n;
}

void ct_direct_close(ct_direct *direct)
{
    if (direct->handle >= 0) (void)close(direct->handle);
    direct->handle = -1;
}

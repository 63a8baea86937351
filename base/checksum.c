/* checksum.c: see checksum.h.
 * Room: base. Does not know what the bytes are. */
#include "checksum.h"

uint64_t ct_checksum_add(uint64_t before, const void *data, size_t bytes)
{
    for (const unsigned char *at = data; bytes > 0; at++, bytes--)
        before = (before ^ *at) * 1099511628211u;
    return before;
}

uint64_t ct_checksum(const void *data, size_t bytes)
{
    return ct_checksum_add(14695981039346656037u, data, bytes);
}

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

uint32_t ct_checksum_crc32(const void *data, size_t bytes)
{
    uint32_t sum = ~0u;
    for (const unsigned char *at = data; bytes > 0; at++, bytes--) {
        sum ^= *at;
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (0xedb88320u & -(sum & 1));
    }
    return ~sum;
}

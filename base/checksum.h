/* checksum.h: FNV-1a (Fowler, Noll and Vo), 64 bits: tells whether bytes are as they were.
 * Room: base. No guard against malice. */
#ifndef CT_BASE_CHECKSUM_H
#define CT_BASE_CHECKSUM_H
#include <stddef.h>
#include <stdint.h>

uint64_t ct_checksum(const void *data, size_t bytes);
/* Continues the checksum `before` with these bytes. */
uint64_t ct_checksum_add(uint64_t before, const void *data, size_t bytes);
uint32_t ct_checksum_crc32(const void *data, size_t bytes); /* as zlib, gzip and PNG have it */

#endif

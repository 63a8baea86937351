/* ranks_allgather.c: what ranks tell each other before a pipeline's shapes are known: of records,
 * of which each rank has found some, all get all. Room: core/ranks. Knows records' bytes. Does not
 * know what they say. */
#include "memory.h"
#include "partition.h"

#include <string.h>

/* A job that is there, of more ranks than one. */
static bool tells(const ct_ranks *ranks)
{
    return ranks && ranks->size > 1 && ranks->wire;
}

static void range_of(const ct_ranks *ranks, int rank, int64_t extent, int64_t *first,
                     int64_t *count)
{
    const ct_partition partition = {.axes = 1, .axis = {{'-', ranks->size, extent, false}}};
    ct_partition_range(&partition, 0, rank, first, count);
}

void ct_ranks_range(const ct_ranks *ranks, int64_t extent, int64_t *first, int64_t *count)
{
    *first = 0;
    *count = extent;
    if (tells(ranks)) range_of(ranks, ranks->rank, extent, first, count);
}

/* Bytes for, and places of, what goes to each rank and what comes from it. */
typedef struct tell_letters {
    int *bytes, *at, *from_bytes, *from_at;
} tell_letters;

static ct_status letters_new(tell_letters *out, const ct_ranks *ranks, ct_error *err)
{
    const size_t size = (size_t)ranks->size;
    *out = (tell_letters){.bytes = ct_memory_get(sizeof *out->bytes * 4 * size)};
    if (!out->bytes) return ct_memory_fail(sizeof *out->bytes * 4 * size, err);
    out->at = out->bytes + size;
    out->from_bytes = out->at + size;
    out->from_at = out->from_bytes + size;
    return CT_OK;
}

static ct_status letters_go(const ct_ranks *ranks, const tell_letters *letters, const void *send,
                            void *receive, ct_error *err)
{
    return ct_ranks_check(ranks,
                          ranks->wire->exchange(send, letters->bytes, letters->at, receive,
                                                letters->from_bytes, letters->from_at),
                          err);
}

/* All get what the lowest rank that failed has to say: a pipeline's other nodes are looked at all
 * the same, and in the end whoever speaks has all sentences. */
static ct_status tell_failure(const ct_ranks *ranks, int who, ct_status mine,
                              const tell_letters *letters, ct_error *err)
{
    struct {
        ct_status status;
        ct_error why;
    } own = {mine, err ? *err : (ct_error){0}}, said = {CT_FAILED, {0}};
    for (int r = 0; r < ranks->size; r++) {
        letters->bytes[r] = who == ranks->rank ? (int)sizeof own : 0;
        letters->from_bytes[r] = who == r ? (int)sizeof said : 0;
    }
    const ct_status status = letters_go(ranks, letters, &own, &said, err);
    if (status != CT_OK) return status;
    if (err) *err = said.why;
    return said.status;
}

/* Ranks beyond the last record have looked at what others have, and are not asked. */
static ct_status tell_records(const ct_ranks *ranks, void *records, size_t bytes, int64_t extent,
                              const tell_letters *letters, ct_error *err)
{
    uint8_t *own = NULL;
    int64_t first, count;
    range_of(ranks, ranks->rank, extent, &first, &count);
    own = ct_memory_get(bytes * (size_t)count);
    if (!own) return ct_memory_fail(bytes * (size_t)count, err);
    memcpy(own, (uint8_t *)records + bytes * (size_t)first, bytes * (size_t)count);
    for (int r = 0; r < ranks->size; r++) {
        int64_t from, some;
        range_of(ranks, r, extent, &from, &some);
        letters->bytes[r] = ranks->rank < extent ? (int)(bytes * (size_t)count) : 0;
        letters->from_bytes[r] = r < extent ? (int)(bytes * (size_t)some) : 0;
        letters->from_at[r] = (int)(bytes * (size_t)from);
    }
    const ct_status status = letters_go(ranks, letters, own, records, err);
    ct_memory_free(own);
    return status;
}

ct_status ct_ranks_allgather(const ct_ranks *ranks, ct_status mine, void *records, size_t bytes,
                             int64_t extent, ct_error *err)
{
    tell_letters letters = {0};
    if (!tells(ranks)) return mine;
    const ct_status room = letters_new(&letters, ranks, err);
    if (room != CT_OK) ct_ranks_abort((ct_ranks *)ranks, room); /* the others count on it */
    int64_t who = mine == CT_OK ? ranks->size : ranks->rank;
    ct_status status = ct_ranks_minimum(ranks, &who, 1, err);
    if (status == CT_OK)
        status = who < ranks->size ? tell_failure(ranks, (int)who, mine, &letters, err)
                 : records         ? tell_records(ranks, records, bytes, extent, &letters, err)
                                   : CT_OK;
    ct_memory_free(letters.bytes);
    return status;
}

/* arena.c: many small objects with one owner, released together.
 * Room: base. Knows memory. Does not know what is stored. */
#include "cornerturn_stage.h"
#include "memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CT_CHUNK_BYTES ((size_t)16 << 10)

typedef struct ct_chunk {
    struct ct_chunk *next;
    size_t used, size;
    max_align_t data[];
} ct_chunk;

struct ct_arena {
    ct_chunk *chunks; /* the newest first; only it has room to give */
    bool failed;      /* an allocation failed: */
    size_t lacks;     /* bytes, of the first one that failed */
};

ct_arena *ct_arena_new(void)
{
    return ct_memory_get(sizeof(ct_arena));
}

void *ct_arena_begin(ct_arena **arena, size_t bytes)
{
    *arena = ct_arena_new();
    void *owner = ct_arena_get(*arena, bytes);
    if (owner != NULL) return owner;
    ct_arena_free(*arena);
    *arena = NULL;
    return NULL;
}

void ct_arena_lacks(ct_arena *arena, size_t bytes)
{
    if (arena == NULL || arena->failed) return;
    arena->failed = true;
    arena->lacks = bytes;
}

ct_status ct_arena_check(const ct_arena *arena, ct_error *err)
{
    if (arena != NULL && !arena->failed) return CT_OK;
    return ct_memory_fail(arena != NULL ? arena->lacks : sizeof *arena, err);
}

static ct_chunk *ct_arena_chunk(ct_arena *arena, size_t bytes)
{
    size_t size = bytes > CT_CHUNK_BYTES ? bytes : CT_CHUNK_BYTES;
    ct_chunk *chunk = bytes <= SIZE_MAX / 2 ? ct_memory_get(sizeof *chunk + size) : NULL;
    if (chunk == NULL) {
        ct_arena_lacks(arena, bytes);
        return NULL;
    }
    chunk->size = size;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    return chunk;
}

void *ct_arena_get(ct_arena *arena, size_t bytes)
{
    const size_t align = _Alignof(max_align_t);
    if (arena == NULL) return NULL;
    if (bytes <= SIZE_MAX / 2) bytes = (bytes + align - 1) / align * align;
    ct_chunk *chunk = arena->chunks;
    if (chunk == NULL || chunk->size - chunk->used < bytes) chunk = ct_arena_chunk(arena, bytes);
    if (chunk == NULL) return NULL;
    void *start = (char *)chunk->data + chunk->used;
    chunk->used += bytes;
    return start;
}

const char *ct_arena_copy(ct_arena *arena, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = ct_arena_get(arena, bytes);
    return copy != NULL ? memcpy(copy, text, bytes) : "";
}

const char *ct_arena_print(ct_arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = ct_number_print_args(NULL, 0, format, args);
    size_t bytes = length > 0 ? (size_t)length + 1 : 1;
    char *text = ct_arena_get(arena, bytes);
    if (text != NULL) ct_number_print_args(text, bytes, format, again);
    va_end(again);
    va_end(args);
    return text != NULL ? text : "";
}

void ct_arena_free(ct_arena *arena)
{
    if (arena == NULL) return;
    ct_chunk *next;
    for (ct_chunk *chunk = arena->chunks; chunk != NULL; chunk = next) {
        next = chunk->next;
        ct_memory_free(chunk);
    }
    ct_memory_free(arena);
}

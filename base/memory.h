/* memory.h: the only way to malloc. An allocation that fails is an error like any other: NULL,
 * which CT_NEED makes CT_FAILED and a sentence.
 * Room: base. Does not know what is stored. */
#ifndef CT_BASE_MEMORY_H
#define CT_BASE_MEMORY_H
#include <stddef.h>

#include "fail.h"

void *ct_memory_get(size_t bytes);      /* zeroed; NULL if there is no memory */
char *ct_memory_copy(const char *text); /* the same */
/* `list` is the address of a pointer: what it points to becomes that large, new bytes not zeroed.
 * CT_FAILED: it stays as it was. */
ct_status ct_memory_grow(void *list, size_t bytes, ct_error *err);
void ct_memory_free(void *memory);
/* "out of memory: 24 bytes cannot be had" (0: "out of memory"); CT_FAILED. */
ct_status ct_memory_fail(size_t bytes, ct_error *err);

/* As CT_TRY: goes to `out` where the pointer is NULL. */
#define CT_NEED(pointer, bytes, err) CT_TRY((pointer) != NULL ? CT_OK : ct_memory_fail(bytes, err))

/* Page-aligned zeroed memory for arrays, huge pages where the system offers them; NULL if there is
 * no memory. */
void *ct_memory_pages(size_t bytes);
void ct_memory_pages_free(void *memory, size_t bytes);

/* Many small objects with one owner. It remembers that an allocation failed, so that a caller who
 * makes many texts checks once, at the end, with ct_arena_check. NULL is one that could not be
 * made. */
typedef struct ct_arena ct_arena;
ct_arena *ct_arena_new(void);
/* An arena and the object that owns it: zeroed; NULL, and no arena, if there is no memory. */
void *ct_arena_begin(ct_arena **arena, size_t bytes);
void *ct_arena_get(ct_arena *arena, size_t bytes); /* zeroed; NULL if there is no memory */
const char *ct_arena_copy(ct_arena *arena, const char *text); /* "" if there is no memory */
const char *ct_arena_print(ct_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Another allocation of the arena's owner failed; 0: it is not known how large it was. */
void ct_arena_lacks(ct_arena *arena, size_t bytes);
/* CT_FAILED, and how many bytes, if an allocation has ever failed. */
ct_status ct_arena_check(const ct_arena *arena, ct_error *err);
void ct_arena_free(ct_arena *arena); /* NULL is allowed */

#endif

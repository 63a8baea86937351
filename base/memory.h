/* memory.h: the only door to malloc. Memory that cannot be had is a failure like any other: NULL,
 * which CT_NEED makes CT_FAILED and a sentence.
 * Room: base. Does not know what is stored. */
#ifndef CT_BASE_MEMORY_H
#define CT_BASE_MEMORY_H
#include <stddef.h>

#include "fail.h"

void *ct_memory_get(size_t bytes);      /* zeroed; NULL where it cannot be had */
char *ct_memory_copy(const char *text); /* the same */
/* `list` is the address of a pointer: what it points to becomes so large, new bytes not zeroed.
 * CT_FAILED: it stays as it was. */
ct_status ct_memory_grow(void *list, size_t bytes, ct_error *err);
void ct_memory_free(void *memory);
/* "out of memory: 24 bytes cannot be had" (0: "out of memory"); CT_FAILED. */
ct_status ct_memory_fail(size_t bytes, ct_error *err);

/* As CT_TRY: goes to `out` where the pointer is NULL. */
#define CT_NEED(pointer, bytes, err) CT_TRY((pointer) != NULL ? CT_OK : ct_memory_fail(bytes, err))

/* Page-aligned zeroed memory for arrays, huge pages where the system offers them; NULL where it
 * cannot be had. */
void *ct_memory_pages(size_t bytes);
void ct_memory_pages_free(void *memory, size_t bytes);

/* Many small objects with one owner. It remembers that it could not give one, so that who takes
 * many texts asks once, at the end, with ct_arena_check. NULL stands for one that could not be
 * made. */
typedef struct ct_arena ct_arena;
ct_arena *ct_arena_new(void);
/* An arena and the object that owns it: zeroed; NULL, and no arena, where that cannot be had. */
void *ct_arena_begin(ct_arena **arena, size_t bytes);
void *ct_arena_get(ct_arena *arena, size_t bytes); /* zeroed; NULL where it cannot be had */
const char *ct_arena_copy(ct_arena *arena, const char *text); /* "" where it cannot be had */
const char *ct_arena_print(ct_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Something else that the arena's owner needed could not be had; 0: it is not known how much. */
void ct_arena_lacks(ct_arena *arena, size_t bytes);
/* CT_FAILED, and which bytes, if there was ever something that could not be had. */
ct_status ct_arena_check(const ct_arena *arena, ct_error *err);
void ct_arena_free(ct_arena *arena); /* NULL is fine */

#endif

/* memory.h: the only door to malloc. Small memory that cannot be had ends the program with a
 * sentence (no caller could do better); large data can be refused.
 * Room: base. Does not know what is stored. */
#ifndef CT_BASE_MEMORY_H
#define CT_BASE_MEMORY_H
#include <stddef.h>

void *ct_memory_get(size_t bytes);             /* zeroed, never NULL */
void *ct_memory_grow(void *old, size_t bytes); /* never NULL; new bytes are not zeroed */
char *ct_memory_copy(const char *text);
void ct_memory_free(void *memory);

/* Page-aligned zeroed memory for arrays, huge pages where the system offers them; NULL where it
 * cannot be had. */
void *ct_memory_pages(size_t bytes);
void ct_memory_pages_free(void *memory, size_t bytes);

/* Many small objects with one owner. */
typedef struct ct_arena ct_arena;
ct_arena *ct_arena_new(void);
void *ct_arena_get(ct_arena *arena, size_t bytes); /* zeroed */
char *ct_arena_copy(ct_arena *arena, const char *text);
char *ct_arena_print(ct_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void ct_arena_free(ct_arena *arena); /* NULL is fine */

#endif

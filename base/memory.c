/* memory.c: the only callers of malloc, and pages for arrays.
 * Room: base. Knows the C library's and the system's memory. Does not know what is stored. */
#include "memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CT_HUGE_PAGE ((size_t)2 << 20)

ct_status ct_memory_fail(size_t bytes, ct_error *err)
{
    if (bytes == 0) return ct_error_add(err, CT_FAILED, "out of memory");
    return ct_error_add(err, CT_FAILED, "out of memory: %zu bytes cannot be had", bytes);
}

void *ct_memory_get(size_t bytes)
{
    return calloc(bytes > 0 ? bytes : 1, 1);
}

/* Pointers of all types have one form here (POSIX), so the caller's is copied, not cast. */
ct_status ct_memory_grow(void *list, size_t bytes, ct_error *err)
{
    void *old;
    memcpy(&old, list, sizeof old);
    void *grown = realloc(old, bytes > 0 ? bytes : 1);
    if (grown == NULL) return ct_memory_fail(bytes, err);
    memcpy(list, &grown, sizeof grown);
    return CT_OK;
}

char *ct_memory_copy(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = ct_memory_get(bytes);
    return copy != NULL ? memcpy(copy, text, bytes) : NULL;
}

void ct_memory_free(void *memory)
{
    free(memory);
}

/* What a request really takes: whole huge pages where it spans one, else whole pages; 0 where the
 * number cannot be right. */
static size_t ct_memory_rounded(size_t bytes)
{
    size_t page = bytes >= CT_HUGE_PAGE ? CT_HUGE_PAGE : (size_t)sysconf(_SC_PAGESIZE);
    if (bytes > SIZE_MAX / 2 - page) return 0;
    return bytes > 0 ? (bytes + page - 1) / page * page : page;
}

static void *ct_memory_map(size_t bytes)
{
    void *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return start == MAP_FAILED ? NULL : start;
}

/* mmap gives the alignment of a small page: takes one huge page more and returns both ends. */
static void *ct_memory_map_huge(size_t bytes)
{
    char *start = ct_memory_map(bytes + CT_HUGE_PAGE);
    if (start == NULL) return NULL;
    size_t before = (CT_HUGE_PAGE - (uintptr_t)start % CT_HUGE_PAGE) % CT_HUGE_PAGE;
    if (before > 0) munmap(start, before);
    munmap(start + before + bytes, CT_HUGE_PAGE - before);
    /* Only a hint: a system without huge pages works as well, slower. */
    madvise(start + before, bytes, MADV_HUGEPAGE);
    return start + before;
}

void *ct_memory_pages(size_t bytes)
{
    size_t rounded = ct_memory_rounded(bytes);
    if (rounded == 0) return NULL;
    return rounded >= CT_HUGE_PAGE ? ct_memory_map_huge(rounded) : ct_memory_map(rounded);
}

void ct_memory_pages_free(void *memory, size_t bytes)
{
    if (memory != NULL) munmap(memory, ct_memory_rounded(bytes));
}

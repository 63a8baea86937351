/* struct_version.h: a struct that callers fill begins with `size_t size`, so that a later version
 * of it can have more members: an older, shorter one is read as if these were 0, a newer, longer
 * one is accepted as long as they are.
 * Room: base. Does not know what the structs hold. */
#ifndef CT_BASE_STRUCT_VERSION_H
#define CT_BASE_STRUCT_VERSION_H
#include "cornerturn.h"

/* What a struct is called, and how long: today, and at least (to the end of what its first version
 * cannot do without). */
typedef struct ct_struct_version {
    const char *name;
    size_t size, least;
} ct_struct_version;

#define CT_STRUCT_VERSION(type, last)                                                              \
    {                                                                                              \
#type, sizeof(type), offsetof(type, last) + sizeof((type){0}.last)                         \
    }

/* The caller's struct in today's form; CT_USAGE where its size cannot be right. */
ct_status ct_struct_take(void *out, const ct_struct_version *kind, const void *given,
                         ct_error *err);
/* The other direction, for structs that the library fills: as much of `from` as fits into `out`. */
ct_status ct_struct_give(void *out, const ct_struct_version *kind, const void *from, ct_error *err);

#endif

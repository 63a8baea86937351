/* description.h: what a stage's file says besides the ct_stage that it becomes: where its parts
 * are, expressions that only its author knows, and the files that it was made of.
 * Room: base. Knows JSON pointers. Does not know what the parts mean. */
#ifndef CT_BASE_DESCRIPTION_H
#define CT_BASE_DESCRIPTION_H
#include "cornerturn.h"
#include "memory.h"

/* When an expression has its value, and so what it may name. */
typedef enum ct_said_kind {
    CT_SAID_SHAPE,   /* while shapes are inferred, before tunables are chosen: it names none */
    CT_SAID_COUNT,   /* once a step is ready, whatever its tunables: it names none either */
    CT_SAID_SIZE,    /* once a step is ready: work-items */
    CT_SAID_PARALLEL /* likewise; the text is that of a `parallel`, with several in it */
} ct_said_kind;

/* An expression and its place. */
typedef struct ct_said {
    const char *pointer, *text;
    int64_t least; /* its value must be at least this */
    ct_said_kind kind;
} ct_said;

typedef struct ct_description {
    const char *file, *text;    /* as named, and its contents */
    const ct_said *expressions; /* ends at the first without a text */
    const char *const *files;   /* all that were read, this one first; NULL at the end */
} ct_description;

/* Reads `file` into a descriptor and what else it says; both live as long as `arena`. Reports every
 * mistake and returns CT_INVALID; then out->name is NULL if there is no descriptor. */
typedef ct_status ct_description_read(ct_stage *out, ct_description *description, ct_arena *arena,
                                      const char *file, ct_error *err);

/* "power.json:3:20: /ports/X/dims: sentence"; CT_INVALID. For a pointer that leads nowhere: the
 * place of the nearest object around it. key: the place of the member's name. */
ct_status ct_description_fail(const ct_description *description, const char *pointer, bool key,
                              ct_error *err, const char *sentence);
/* The same as a text: "power.json:3:20: /ports/X/dims". */
void ct_description_place(char *out, size_t size, const ct_description *description,
                          const char *pointer, bool key);

#endif

/* context.h: the stages that are known, as graphs keep them.
 * Room: core/context. Knows stages only as descriptors. */
#ifndef CT_CORE_CONTEXT_H
#define CT_CORE_CONTEXT_H
#include "cornerturn_stage.h"
#include "description.h"
#include "memory.h"
#include "text.h"

/* Keeps the context until as many ct_context_free follow. */
ct_context *ct_context_retain(ct_context *context);

/* Tells it to who has asked for it, here or of a parent: ct_context_tell. */
void ct_context_told(const ct_context *context, ct_doing doing, const char *step, int n, int of);

/* One that knows all that `parent` (which it retains) does, and takes more for itself: a graph's,
 * with the stages that the pipeline names. */
ct_status ct_context_branch(ct_context **out, ct_context *parent, ct_error *err);
/* What the file of a stage says besides; NULL where a program or a library has added it. */
const ct_description *ct_context_description(const ct_context *context, const ct_stage *stage);
/* Adds "power.json, power.cl" or "mine.so": what a stage was made of; nothing where a program has
 * added it. */
void ct_context_stage_files(ct_text *out, const ct_context *context, const ct_stage *stage);
/* SHA-256 of the library that brings it; "" where none does. */
const char *ct_context_library_digest(const ct_context *context, const ct_stage *stage);
/* The n-th file that its stages were made of, its own first; NULL beyond the last. A library counts
 * once. */
const char *ct_context_file_at(const ct_context *context, size_t n);

#endif

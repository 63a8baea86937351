/* context_file.c: stages that are read from files, and which files stages were made of.
 * Room: core/context. Knows what a description says besides its stage. Does not know how it is
 * read.
 */
#include <string.h>

#include "context_inner.h"
#include "fail.h"

extern ct_description_read *const ct_stages_read; /* stages/stages.c */

static ct_status check_name(const ct_context *context, const ct_stage *stage,
                            const ct_description *description, bool *known, ct_error *err)
{
    char sentence[512];
    const ct_known *other = ct_context_find(context, stage->name);
    *known = other && other->description && !strcmp(other->stage->digest, stage->digest);
    if (!other || *known) return CT_OK;
    ct_number_print(sentence, sizeof sentence, "there is a stage \"%.100s\" already%s%s%s",
                    stage->name, other->description ? ", of " : "",
                    other->description ? other->description->file : "", ": rename one of them");
    return ct_description_fail(description, "/stage", false, err, sentence);
}

ct_status ct_context_add_file(ct_context *context, const char *file, ct_error *err)
{
    CT_GIVEN(err, context, file);
    ct_status status = CT_OK;
    ct_stage stage = {0};
    bool known = false;
    ct_description *description = ct_arena_get(context->arena, sizeof *description);
    CT_TRY(ct_arena_check(context->arena, err));
    const ct_status read = ct_stages_read(&stage, description, context->arena, file, err);
    if (!stage.name || read == CT_FAILED) CT_TRY(read);
    const ct_status checked = ct_stage_check_file(&stage, description, err);
    CT_TRY(check_name(context, &stage, description, &known, err));
    CT_TRY(read);
    CT_TRY(checked);
    if (!known) CT_TRY(ct_context_store(context, &stage, description, err));
out:
    return status;
}

static const ct_known *find_stage(const ct_context *context, const ct_stage *stage)
{
    for (; context; context = context->parent)
        for (size_t i = 0; i < context->count; i++)
            if (context->known[i].stage == stage) return &context->known[i];
    return NULL;
}

const ct_description *ct_context_description(const ct_context *context, const ct_stage *stage)
{
    const ct_known *known = find_stage(context, stage);
    return known ? known->description : NULL;
}

void ct_context_stage_files(ct_text *out, const ct_context *context, const ct_stage *stage)
{
    const ct_known *known = find_stage(context, stage);
    const char *const *files = known && known->description ? known->description->files : NULL;
    for (size_t i = 0; files && files[i]; i++)
        ct_text_add(out, "%s%s", i ? ", " : "", files[i]);
    if (known && known->library) ct_text_add(out, "%s", known->library->file);
}

const char *ct_context_library_digest(const ct_context *context, const ct_stage *stage)
{
    const ct_known *known = find_stage(context, stage);
    return known && known->library ? known->library->digest : "";
}

const char *ct_context_file_at(const ct_context *context, size_t n)
{
    for (; context; context = context->parent) {
        for (const ct_library *library = context->libraries; library; library = library->next)
            if (n-- == 0) return library->file;
        for (size_t i = 0; i < context->count; i++) {
            const ct_description *description = context->known[i].description;
            for (size_t k = 0; description && description->files[k]; k++)
                if (n-- == 0) return description->files[k];
        }
    }
    return NULL;
}

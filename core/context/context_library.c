/* context_library.c: stages out of a shared library that the caller names: a plug-in.
 * Room: core/context. Knows the system's loader. Does not know pipelines, which never name a
 * library. The library stays open as long as the context, and so as long as graphs, plans and runs,
 * which hold it: their stages' functions are in it. */
#define _GNU_SOURCE 1 /* dladdr */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "context_inner.h"
#include "fail.h"
#include "text.h"

typedef const ct_stage *const *plugin(uint32_t api);

static ct_status library_check_file(const char *file, ct_error *err)
{
    struct stat about;
    if (stat(file, &about) != 0)
        return ct_error_add(err, CT_DATA, "%s: cannot be read: %s", file, strerror(errno));
    if (!S_ISREG(about.st_mode))
        return ct_error_add(err, CT_DATA, "%s: expected a shared library, found no file", file);
    return CT_OK;
}

/* The loader looks for a name without a slash in the system's folders. */
static ct_status library_open(void **out, const char *file, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text path = {0};
    *out = NULL;
    CT_TRY(library_check_file(file, err));
    ct_text_add(&path, "%s%s", strchr(file, '/') ? "" : "./", file);
    CT_TRY(ct_text_check(&path, err));
    *out = dlopen(path.data, RTLD_NOW | RTLD_LOCAL);
    if (!*out) {
        const char *why = dlerror();
        status = ct_error_add(err, CT_DATA, "%s: expected a shared library; the loader says: %s",
                              file, why ? why : "nothing");
    }
out:
    ct_text_free(&path);
    return status;
}

/* Where the loaded object begins that has this address; NULL: of none. */
static const void *library_object(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* Whether the library, or what it is linked with, has a call of the contract that is not the one of
 * this copy. Where neither has it, the loader has found this copy's. An archive gives what is used.
 */
static bool library_has_copy(void *handle)
{
    static const char *const calls[] = {"ct_step_int",   "ct_step_fail", "ct_error_add",
                                        "ct_array_load", "ct_text_add",  "ct_context_open"};
    static const char here;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const void *const theirs = dlsym(handle, calls[i]);
        if (theirs && library_object(theirs) != library_object(&here)) return true;
    }
    return false;
}

/* Its stages would call their own copy with objects of this one. */
static ct_status library_check_copy(void *handle, const char *file, ct_error *err)
{
    if (!library_has_copy(handle)) return CT_OK;
    return ct_error_add(err, CT_INVALID,
                        "%s: it brings another copy of libcornerturn than the one that loads it: "
                        "link both with libcornerturn.so, not with the archive",
                        file);
}

static ct_status library_find(plugin **out, void *handle, const char *file, ct_error *err)
{
    void *const found = dlsym(handle, "ct_plugin");
    if (!found)
        return ct_error_add(err, CT_INVALID,
                            "%s: a shared library, but it has no function ct_plugin: expected one "
                            "that CT_PLUGIN of cornerturn_stage.h marks",
                            file);
    memcpy(out, &found, sizeof *out);
    return CT_OK;
}

/* The stages for the latest version of the contract that both serve. */
static ct_status library_stages(const ct_stage *const **out, void *handle, const char *file,
                                ct_error *err)
{
    ct_status status = CT_OK;
    plugin *ask = NULL;
    *out = NULL;
    CT_TRY(library_find(&ask, handle, file, err));
    for (uint32_t api = CT_API; !*out && api >= CT_API_OLDEST; api--)
        *out = ask(api);
    if (!*out)
        status = ct_error_add(err, CT_INVALID,
                              "%s: its ct_plugin gives NULL, no stages for version %u of "
                              "cornerturn_stage.h, which libcornerturn %s is of: build it anew",
                              file, CT_API, ct_version());
    else if (!**out)
        status = ct_error_add(err, CT_INVALID,
                              "%s: its ct_plugin gives an empty list: expected a stage", file);
out:
    return status;
}

/* The library's file stands for what the stage was made of, where the stage does not say. */
static ct_status library_add_stage(ct_context *context, const ct_stage *stage,
                                   const ct_library *library, ct_error *err)
{
    ct_error why = {0};
    ct_stage one = *stage;
    if (!one.digest) one.digest = library->digest;
    const ct_status status = ct_context_add_stage(context, &one, &why);
    if (status != CT_OK) return ct_error_add(err, status, "%s: %s", library->file, why.text);
    ct_known *known = &context->known[context->count - 1];
    known->library = library;
    return CT_OK;
}

/* All of them or none; sentences begin with the library's name. */
static ct_status library_add_stages(ct_context *context, const ct_stage *const *stages,
                                    const ct_library *library, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t before = context->count;
    for (; status == CT_OK && *stages; stages++)
        status = library_add_stage(context, *stages, library, err);
    if (status != CT_OK) context->count = before;
    return status;
}

static bool library_is_open(const ct_library *first, const void *handle)
{
    while (first && first->handle != handle)
        first = first->next;
    return first != NULL;
}

/* `handle` is the context's from here on, if this succeeds. */
static ct_status library_keep(ct_context *context, void *handle, const char *file, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_stage *const *stages = NULL;
    ct_library *library = ct_arena_get(context->arena, sizeof *library);
    const char *name = ct_arena_copy(context->arena, file);
    CT_TRY(ct_arena_check(context->arena, err));
    *library = (ct_library){.handle = handle, .file = name, .next = context->libraries};
    CT_TRY(library_check_copy(handle, file, err));
    CT_TRY(library_stages(&stages, handle, file, err));
    CT_TRY(ct_digest_file(library->digest, file, err));
    CT_TRY(library_add_stages(context, stages, library, err));
    context->libraries = library;
out:
    return status;
}

ct_status ct_context_add_library(ct_context *context, const char *file, ct_error *err)
{
    CT_GIVEN(err, context, file);
    void *handle = NULL;
    ct_status status = library_open(&handle, file, err);
    if (status != CT_OK) return status;
    const bool known = library_is_open(context->libraries, handle);
    if (!known) status = library_keep(context, handle, file, err);
    if (known || status != CT_OK) dlclose(handle);
    return status;
}

void ct_context_close_libraries(const ct_library *first)
{
    for (; first; first = first->next)
        dlclose(first->handle);
}

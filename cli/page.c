/* page.c: stages that are named by their page.
 * Room: cli. Knows file names. Does not know what stands on a page. */
#include "page.h"

#include <string.h>

#include "cornerturn_stage.h"

static bool ends_so(const char *name)
{
    const size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".json") == 0;
}

/* A file that cannot be read is said to be so by whoever needs it. */
bool ct_page_is(const char *file)
{
    ct_value *root = NULL;
    if (!ends_so(file) || ct_value_load(&root, file, NULL) != CT_OK) return false;
    const bool page = ct_value_get(root, "stage") != NULL || ct_value_get(root, "ports") != NULL;
    ct_value_free(root);
    return page;
}

ct_status ct_page_take(ct_context *context, const char **name, ct_error *err)
{
    if (!ends_so(*name)) return CT_OK;
    const ct_status status = ct_context_add_file(context, *name, err);
    if (status == CT_OK) *name = ct_context_stage(context, *name)->name;
    return status;
}

/* page.c: stages that are named by their page.
 * Room: cli. Knows file names. Does not know what stands on a page. */
#include "page.h"

#include <stdio.h>
#include <string.h>

#include "cornerturn_stage.h"

typedef enum page_kind { PAGE_OTHER, PAGE_STAGE, PAGE_PIPELINE } page_kind;

static bool ends_so(const char *name)
{
    const size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".json") == 0;
}

/* A file that cannot be read is reported where it is needed. */
static page_kind kind_of(const char *file)
{
    ct_value *root = NULL;
    page_kind kind = PAGE_OTHER;
    if (!ends_so(file) || ct_value_load(&root, file, NULL) != CT_OK) return kind;
    if (ct_value_get(root, "nodes") != NULL)
        kind = PAGE_PIPELINE;
    else if (ct_value_get(root, "stage") != NULL || ct_value_get(root, "ports") != NULL)
        kind = PAGE_STAGE;
    ct_value_free(root);
    return kind;
}

bool ct_page_is(const char *file)
{
    return kind_of(file) == PAGE_STAGE;
}

ct_status ct_page_take(ct_context *context, const char **name, ct_error *err)
{
    if (!ends_so(*name)) return CT_OK;
    if (kind_of(*name) == PAGE_PIPELINE)
        return ct_error_add(err, CT_USAGE,
                            "%s: expected a stage's page, found a pipeline; try: cornerturn "
                            "validate %s",
                            *name, *name);
    const ct_status status = ct_context_add_file(context, *name, err);
    if (status == CT_OK) *name = ct_context_stage(context, *name)->name;
    return status;
}

ct_status ct_page_refuse(const char *file, ct_error *err)
{
    if (!ct_page_is(file)) return CT_OK;
    return ct_error_add(
        err, CT_USAGE,
        "%s: this is a stage's page, and no pipeline; try: cornerturn verify %s, or "
        "cornerturn info stage %s",
        file, file, file);
}

void ct_page_hint(const char *command, const char *name, ct_error *err)
{
    char file[1024];
    const int length = snprintf(file, sizeof file, "%s.json", name);
    if (length < 0 || (size_t)length >= sizeof file || !ct_page_is(file)) return;
    (void)ct_error_add(err, CT_USAGE, "there is %s here, a stage's page; try: cornerturn %s %s",
                       file, command, file);
}

/* page.h: stages that are named by their page, "power.json".
 * Room: cli. */
#ifndef CT_CLI_PAGE_H
#define CT_CLI_PAGE_H
#include "cornerturn.h"

/* Whether a file that ends with ".json" is a stage's page, and not a pipeline. */
bool ct_page_is(const char *file);
/* Where *name ends with ".json" that stage is added, and *name becomes its own. */
ct_status ct_page_take(ct_context *context, const char **name, ct_error *err);
/* CT_USAGE, with what to type, where a pipeline or data are expected and this is a page. */
ct_status ct_page_refuse(const char *file, ct_error *err);
/* After a stage that there is not: a sentence where NAME.json is a page. command: "verify". */
void ct_page_hint(const char *command, const char *name, ct_error *err);

#endif

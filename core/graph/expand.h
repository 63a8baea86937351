/* expand.h: a pipeline's text with its constants and the command's settings put in.
 * Room: core/graph. Order: once, between the two readings of a pipeline. */
#ifndef CT_CORE_EXPAND_H
#define CT_CORE_EXPAND_H
#include "cornerturn_stage.h"

/* Prints `root` as JSON into `out`: "$name" becomes the constant, "$$name" the text "$name".
 * settings: "node.param=value" (value JSON, else taken as a text) or "+node={...}" for a further
 * node; NULL at the end; NULL none. Errors say which constant or setting is wrong. */
ct_status ct_expand_print(ct_text *out, const ct_value *root, const char *const *settings,
                          const char *file, const char *text, ct_error *err);
/* Prints one plain value. */
ct_status ct_expand_value(ct_text *out, const ct_value *value, ct_error *err);
/* Prints one plain value so that ct_expand_print reads it: "$name" becomes "$$name". */
ct_status ct_expand_escape(ct_text *out, const ct_value *value, ct_error *err);
/* Prints one plain value for a digest that files keep: always the same text, reals with 17 digits.
 */
ct_status ct_expand_digest(ct_text *out, const ct_value *value, ct_error *err);

#endif

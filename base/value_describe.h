/* value_describe.h: what a person would call a JSON value.
 * Room: base. */
#ifndef CT_BASE_VALUE_DESCRIBE_H
#define CT_BASE_VALUE_DESCRIBE_H
#include "cornerturn_stage.h"

enum { CT_VALUE_DESCRIPTION = 96 };

/* "null", "true", "3", ""x"", "a list"; of a long text the beginning. Returns `out`. */
const char *ct_value_describe(char out[CT_VALUE_DESCRIPTION], const ct_value *value);

#endif

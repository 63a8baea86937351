/* value_tell.h: what a person would call a JSON value.
 * Room: base. */
#ifndef CT_BASE_VALUE_TELL_H
#define CT_BASE_VALUE_TELL_H
#include "cornerturn_stage.h"

enum { CT_VALUE_TOLD = 96 };

/* "null", "true", "3", ""x"", "a list"; of a long text the beginning. Returns `out`. */
const char *ct_value_tell(char out[CT_VALUE_TOLD], const ct_value *value);

#endif

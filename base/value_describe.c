/* value_describe.c: what a person would call a JSON value.
 * Room: base. Knows kinds of values. Does not know what they are for. */
#include "value_describe.h"
#include "cornerturn_stage.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 60 }; /* bytes of a text that are shown */

static void tell_real(char out[CT_VALUE_DESCRIPTION], double number)
{
    const bool whole = number == floor(number);
    ct_number_print(out, CT_VALUE_DESCRIPTION,
                    whole ? "%.10g with a point or an exponent" : "%.10g", number);
}

const char *ct_value_describe(char out[CT_VALUE_DESCRIPTION], const ct_value *value)
{
    static const char *const words[] = {
        [CT_NULL] = "null", [CT_LIST] = "a list", [CT_OBJECT] = "an object"};
    const ct_kind kind = ct_value_kind(value);
    const char *text = ct_value_text(value, "");
    if (kind == CT_BOOL)
        snprintf(out, CT_VALUE_DESCRIPTION, "%s", ct_value_bool(value, false) ? "true" : "false");
    else if (kind == CT_INT)
        snprintf(out, CT_VALUE_DESCRIPTION, "%lld", (long long)ct_value_int(value, 0));
    else if (kind == CT_REAL)
        tell_real(out, ct_value_real(value, 0));
    else if (kind == CT_TEXT)
        snprintf(out, CT_VALUE_DESCRIPTION, "\"%.*s%s\"", TEXT, text,
                 strlen(text) > TEXT ? ".." : "");
    else
        snprintf(out, CT_VALUE_DESCRIPTION, "%s", words[kind]);
    return out;
}

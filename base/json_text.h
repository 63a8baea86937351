/* json_text.h: JSON written member by member; commas are added.
 * Room: base. Does not know what is written. `key` NULL: an element of a list, or the whole. */
#ifndef CT_BASE_JSON_TEXT_H
#define CT_BASE_JSON_TEXT_H
#include "cornerturn_stage.h"
#include "text.h"

void ct_json_open(ct_text *json, const char *key, char bracket);          /* '{' or '[' */
void ct_json_close(ct_text *json, char bracket);                          /* '}' or ']' */
void ct_json_add_text(ct_text *json, const char *key, const char *value); /* NULL: null */
void ct_json_add_int(ct_text *json, const char *key, int64_t value);
void ct_json_add_real(ct_text *json, const char *key, double value); /* not finite: null */
void ct_json_add_bool(ct_text *json, const char *key, bool value);
void ct_json_add_value(ct_text *json, const char *key, const ct_value *value); /* and all in it */
/* The same on one line: only between its values JSON has ends of lines. text NULL: nothing. */
void ct_json_one_line(char *text);
/* "sentence" for each line of `sentences`: place, JSON pointer and the rest apart. */
void ct_error_list_add(ct_text *json, const char *key, const char *sentences);

#endif

/* text.h: a text that grows (ct_text_add is public, in cornerturn_stage.h).
 * Room: base. */
#ifndef CT_BASE_TEXT_H
#define CT_BASE_TEXT_H
#include "cornerturn_stage.h"

struct ct_text {
    char *data; /* terminated; NULL while empty */
    size_t length, capacity;
};

/* Start with `ct_text text = {0}`. */
void ct_text_free(ct_text *text);
char *ct_text_take(ct_text *text); /* the caller frees it with free(); never NULL */
void ct_text_add_json(ct_text *text, const char *plain); /* quoted and escaped */

/* (ct_suggest_nearest is public too.) */

#endif

/* text.h: a text that grows (ct_text_add is public, in cornerturn_stage.h).
 * Room: base. */
#ifndef CT_BASE_TEXT_H
#define CT_BASE_TEXT_H
#include "cornerturn_stage.h"

struct ct_text {
    char *data; /* terminated; NULL while nothing was added */
    size_t length, capacity;
    bool failed;  /* something could not be had, and what was added since is not there: */
    size_t lacks; /* so many bytes */
};

/* Start with `ct_text text = {0}`. */
void ct_text_free(ct_text *text);
/* CT_FAILED where some of it could not be had. Of a sentence that does not matter. */
ct_status ct_text_check(const ct_text *text, ct_error *err);
/* What belongs into the text could not be had; 0: it is not known how much. */
void ct_text_lacks(ct_text *text, size_t bytes);
/* Frees a part that was written into `whole`, which lacks what the part lacks. */
void ct_text_end(ct_text *part, ct_text *whole);
/* The caller frees *out with free(). CT_FAILED: NULL. */
ct_status ct_text_take(char **out, ct_text *text, ct_error *err);
void ct_text_add_json(ct_text *text, const char *plain); /* quoted and escaped */

/* (ct_suggest_nearest is public too.) */

#endif

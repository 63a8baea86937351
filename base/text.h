/* text.h: a text that grows (ct_text_add is public, in cornerturn_stage.h).
 * Room: base. */
#ifndef CT_BASE_TEXT_H
#define CT_BASE_TEXT_H
#include "cornerturn_stage.h"

struct ct_text {
    char *data; /* terminated; NULL while nothing was added */
    size_t length, capacity;
    bool failed;  /* an allocation failed, and what was added since is missing: */
    size_t lacks; /* that many bytes */
};

/* Start with `ct_text text = {0}`. */
void ct_text_free(ct_text *text);
/* CT_FAILED if an allocation failed. For a sentence that does not matter. */
ct_status ct_text_check(const ct_text *text, ct_error *err);
/* An allocation for the text failed; 0: it is not known how large it was. */
void ct_text_lacks(ct_text *text, size_t bytes);
/* Frees a part that was written into `whole`, which is incomplete if the part is. */
void ct_text_end(ct_text *part, ct_text *whole);
/* The caller frees *out with free(). CT_FAILED: NULL. */
ct_status ct_text_take(char **out, ct_text *text, ct_error *err);
void ct_text_add_json(ct_text *text, const char *plain); /* quoted and escaped */

/* (ct_suggest_nearest is public too.) */

#endif

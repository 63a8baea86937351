/* suggest.h: what was perhaps meant by a misspelt word, as the end of a sentence.
 * Room: base. */
#ifndef CT_BASE_SUGGEST_H
#define CT_BASE_SUGGEST_H

enum { CT_SUGGEST_SAY = 96 };

/* "; did you mean "fir"?", or nothing where no choice (NULL at the end) is near. Returns `out`. */
const char *ct_suggest_say(char out[CT_SUGGEST_SAY], const char *word, const char *const *choices);

#endif

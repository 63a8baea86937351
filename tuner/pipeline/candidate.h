/* candidate.h: picks and questions as plan files' JSON, which workers are asked with.
 * Room: tuner/pipeline. Knows the form of a plan (docs/plans.md). Does not know what anything
 * costs. */
#ifndef CT_TUNER_CANDIDATE_H
#define CT_TUNER_CANDIDATE_H
#include "book.h"

/* The plan that takes these cells; what is left open takes the defaults of the device. `book`:
 * whose tunables to take; NULL: the defaults. */
ct_status ct_candidate_pick(ct_text *out, const ct_space *space, const ct_book *book,
                            const ct_pick *pick, ct_error *err);
/* The default plan with what the question asks for, and the name of the step in it. */
enum { CT_CANDIDATE_STEP = 160 };
ct_status ct_candidate_question(ct_text *out, char step[CT_CANDIDATE_STEP], const ct_space *space,
                                const ct_question *question, ct_error *err);
/* The name of a transpose in a plan and what journals call the array: "fft", "fft.COUNTS". */
void ct_candidate_array(char out[CT_CANDIDATE_STEP], const ct_space *space, int spot);
int ct_candidate_spot(const ct_space *space,
                      const char *array); /* -1: nobody reads such an array */

#endif

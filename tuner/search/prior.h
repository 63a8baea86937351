/* prior.h: what is expected of a space's choices and transposes before any is measured: from
 * results for another size or device, of which ratios carry over and seconds do not.
 * Room: tuner/search. Knows logarithms of ratios. Does not know where they come from. Each result
 * is that of a step against its own default there; a Gaussian process (predict.h) fills what
 * nobody has measured. Order: new, add as often as wanted, give, free. */
#ifndef CT_TUNER_PRIOR_H
#define CT_TUNER_PRIOR_H
#include "results.h"

typedef struct ct_prior ct_prior;

ct_status ct_prior_new(ct_prior **out, const ct_space *space, ct_error *err);
void ct_prior_free(ct_prior *prior); /* NULL is fine */
/* A result elsewhere: seconds over those of the default there, or over those of a copy.
 * `deviation`: how far its logarithm may be from the one here. */
void ct_prior_add(ct_prior *prior, const ct_question *question, double ratio, double deviation);
/* Hands over what is expected of all nodes and arrays of which there are some results. */
ct_status ct_prior_give(const ct_prior *prior, ct_results *results, ct_error *err);

#endif

/* choose_inner.h: what the files of this room share.
 * Room: tuner/choose. */
#ifndef CT_TUNER_CHOOSE_INNER_H
#define CT_TUNER_CHOOSE_INNER_H
#include "plan.h"
#include "prices.h"

#define CT_CHOOSE_STEP_S 50e-6 /* of a step: its launch, and the host's time */

/* What is pinned, else what the readers prefer, else what the writer does: [nodes], which are 0
 * before. */
ct_status ct_choose_usual(ct_choice *choices, const ct_graph *graph, ct_error *err);

/* Changes the layouts of such choices to those with the least price, or (place 1) the next one, ..;
 * files stay as they are. What a block is then expected to take. CT_INVALID, or without a sentence
 * CT_EOF: nothing goes together. */
ct_status ct_choose_priced(ct_choice *choices, double *seconds, const ct_graph *graph,
                           const ct_prices *prices, int place, ct_error *err);
/* Seconds of an inserted transpose, between other steps. */
double ct_choose_transpose(const ct_prices *prices, const ct_array *array, const ct_layout *from,
                           const ct_layout *to);

#endif

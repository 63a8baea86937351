/* prices.h: what steps and transposes are expected to take, by their stage, sizes and layouts,
 * without measuring: prices that were fitted to measurements of several machines (bench/prices).
 * Room: tuner/price. Knows features and their weights. Does not know graphs. */
#ifndef CT_TUNER_PRICES_H
#define CT_TUNER_PRICES_H
#include "step.h"

typedef struct ct_prices ct_prices;

/* The prices of a CPU. */
ct_status ct_prices_new(ct_prices **out, ct_error *err);
void ct_prices_free(ct_prices *prices); /* NULL is fine */

/* The logarithm of a step's seconds, but for launching it, is a sum: of the step itself, of each port's layout, and of the
 * layouts of an input and the first output together. */
double ct_prices_step(const ct_prices *prices, const ct_step *step);
double ct_prices_port(const ct_prices *prices, const ct_step *step, int port,
                      const ct_layout *layout);
double ct_prices_pair(const ct_prices *prices, const ct_step *step, int input,
                      const ct_layout *read, int output, const ct_layout *written);
/* Of a transpose. */
double ct_prices_copy(const ct_prices *prices, const ct_array *array, const ct_layout *from,
                      const ct_layout *to);

#endif

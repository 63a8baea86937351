/* price_features.h: what of a step, its sizes and its layouts decides how long it takes, as named
 * numbers: what prices are fitted to, and found by.
 * Room: tuner/price. Knows arrays and layouts. Does not know what any of it costs. */
#ifndef CT_TUNER_PRICE_FEATURES_H
#define CT_TUNER_PRICE_FEATURES_H
#include "step.h"

enum { CT_PRICE_NAME = 32 };

/* Takes one number of one stage; the stage "transpose" stands for inserted ones. */
typedef struct ct_price_sink {
    void (*add)(void *to, const char *stage, const char *name, double value);
    void *to;
} ct_price_sink;

/* The logarithm of the seconds to which all other features add: arithmetic and memory at rates of
 * an ordinary CPU. A launch, and the host, come on top. */
#define CT_PRICE_LAUNCH_S 20e-6
double ct_price_floor(const ct_step *step);
double ct_price_floor_copy(const ct_array *array);

/* Of the step whatever its layouts; of the layout of a port; of the layouts of an input and the
 * first output together. */
void ct_price_features_step(const ct_price_sink *sink, const ct_step *step);
void ct_price_features_port(const ct_price_sink *sink, const ct_step *step, int port,
                            const ct_layout *layout);
void ct_price_features_pair(const ct_price_sink *sink, const ct_step *step, int input,
                            const ct_layout *read, int output, const ct_layout *written);
/* Of a transpose. */
void ct_price_features_copy(const ct_price_sink *sink, const ct_array *array, const ct_layout *from,
                            const ct_layout *to);

#endif

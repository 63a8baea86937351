/* fusion_variant.h: one way of fusing the pipeline, and its search.
 * Room: tuner/search. Knows graphs, spaces and tuners. Does not know how variants compare. */
#ifndef CT_TUNER_FUSION_VARIANT_H
#define CT_TUNER_FUSION_VARIANT_H
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "tuner.h"

typedef struct ct_fusion_variant {
    ct_graph *graph; /* held */
    ct_value *default_plan;
    ct_space *space;
    ct_backend backend;
    ct_tuner tuner;
} ct_fusion_variant;

/* The space of this graph; priced: of a device that there are prices for; the backend is set by the
 * caller before ct_fusion_variant_ready. */
ct_status ct_fusion_variant_new(ct_fusion_variant **out, const ct_graph *graph,
                                const char *const *only, bool priced, ct_error *err);
ct_status ct_fusion_variant_ready(ct_fusion_variant *variant, const ct_tune *options,
                                  ct_error *err);
void ct_fusion_variant_free(ct_fusion_variant *variant); /* NULL is fine */

/* Takes what `from` knows about steps and arrays that both have. */
void ct_fusion_variant_learn(ct_fusion_variant *variant, const ct_fusion_variant *from);

#endif

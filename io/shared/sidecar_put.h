/* sidecar_put.h: pieces of the JSON file beside an array, for the files that write it.
 * Room: io/shared. Knows JSON's syntax. */
#ifndef CT_IO_SIDECAR_PUT_H
#define CT_IO_SIDECAR_PUT_H
#include "cornerturn_stage.h"
#include "output.h"

/* In quotes, and UTF-8 whatever the text is: other bytes as \uXXXX. */
ct_status ct_sidecar_quote(ct_output *out, const char *text, ct_error *err);
/* What is along Q, and the feed: members after others. */
ct_status ct_sidecar_put_products(ct_output *out, const ct_array *array, ct_error *err);
/* Observation, phase centre, baselines and products: members after others, nothing where
 * unknown. */
ct_status ct_sidecar_put_sky(ct_output *out, const ct_array *array, const ct_observation *said,
                             ct_error *err);

#endif

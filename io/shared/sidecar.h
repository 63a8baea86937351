/* sidecar.h: the metadata of an array: from a node's parameters, or the JSON file beside the data
 * (voltages.npy: voltages.npy.json), and written there by sinks.
 * Room: io/shared. Knows JSON values and ct_meta. Does not know formats. sidecar_file.c: name,
 * load; sidecar_write.c: check, write. */
#ifndef CT_IO_SIDECAR_H
#define CT_IO_SIDECAR_H
#include "cornerturn_stage.h"
#include "output.h"

typedef struct ct_sidecar {
    ct_step *step;
    const char *file; /* the sidecar's own name, whether it exists or not; NULL: the node says
                       * all */
    ct_value *root;   /* NULL: there is none */
} ct_sidecar;

enum { CT_SIDECAR_NAME = 4096 + 8 };

extern const char *const ct_sidecar_keys[]; /* all that it may have; NULL at the end */

/* "v.npy" -> "v.npy.json" */
void ct_sidecar_name(char out[CT_SIDECAR_NAME], const char *data_file);
/* What is beside `data_file`; *out is NULL if there is nothing. name: of the file that was read, or
 * would be. The older name of v.npy.json, v.json, is read too if a description is in it. */
ct_status ct_sidecar_load(ct_value **out, char name[CT_SIDECAR_NAME], const char *data_file,
                          ct_error *err);

/* A misspelt key is an error. Close also after a failure. */
ct_status ct_sidecar_open(ct_sidecar *out, ct_step *step, const char *data_file, ct_error *err);
void ct_sidecar_close(ct_sidecar *sidecar);

/* The node's parameter, else the sidecar's member, else NULL. */
const ct_value *ct_sidecar_find(const ct_sidecar *sidecar, const char *key);
/* Names the place of the key: the node (CT_INVALID) or the sidecar (CT_DATA). */
ct_status ct_sidecar_fail(const ct_sidecar *sidecar, const char *key, ct_error *err,
                          const char *format, ...) CT_PRINTF(4, 5);
/* Neither node nor sidecar has `expected`; `them`: the word for it in the sentence. */
ct_status ct_sidecar_lacks(const ct_sidecar *sidecar, const char *expected, const char *them,
                           ct_error *err);
/* "dims" and "type". */
ct_status ct_sidecar_dims(const ct_sidecar *sidecar, ct_layout *out, ct_error *err);
ct_status ct_sidecar_type(const ct_sidecar *sidecar, ct_type *out, ct_error *err);
/* Everything else that ct_meta holds, total excepted; the array's extents are set already. */
ct_status ct_sidecar_meta(const ct_sidecar *sidecar, ct_array *array, ct_error *err);

/* A part of it, for formats that say the rest: source_name, telescope, src_raj, src_dej,
 * frequency_hz. */
ct_status ct_sidecar_about(const ct_sidecar *sidecar, ct_array *array, ct_error *err);

/* "products" and "feed" to array->meta.products, which stays as it is without them. Its extents are
 * set already; of a sidecar without a file the node says all. */
ct_status ct_sidecar_products(const ct_sidecar *sidecar, ct_array *array, ct_error *err);

/* Refuses if the file that would be written exists and describes no array: it is not one of
 * ours. */
ct_status ct_sidecar_check(ct_step *step, const char *data_file, ct_error *err);
/* Describes data of this array, in this order with `total` samples along T, and what the step
 * knows: its observation, and why these are not all (ct_step_incomplete); into an output that is
 * open. */
ct_status ct_sidecar_write(ct_output *out, const ct_array *array, const ct_layout *layout,
                           int64_t total, const ct_step *step, ct_error *err);

#endif

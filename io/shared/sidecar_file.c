/* sidecar_file.c: the JSON file beside an array's data: its name, and its older name, under which
 * it is still read; see sidecar.h. Room: io/shared. Knows which keys a description has. Does not
 * know what they mean. */
#include "sidecar.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *const ct_sidecar_keys[] = {"dims",
                                       "type",
                                       "sizes",
                                       "sample_time_s",
                                       "start_s",
                                       "start_mjd",
                                       "frequency_hz",
                                       "channel_width_hz",
                                       "dm",
                                       "downsample",
                                       "subbands",
                                       "smear",
                                       "source_name",
                                       "telescope",
                                       "src_raj",
                                       "src_dej",
                                       "incomplete",
                                       "observation",
                                       "phase_centre_deg",
                                       "baselines",
                                       "products",
                                       "feed",
                                       NULL};

void ct_sidecar_name(char out[CT_SIDECAR_NAME], const char *data_file)
{
    snprintf(out, CT_SIDECAR_NAME, "%s.json", data_file);
}

/* "data/v.npy" -> "data/v.json", which may be anything: a pipeline, for example. */
static void name_old(char out[CT_SIDECAR_NAME], const char *data_file)
{
    const char *slash = strrchr(data_file, '/'), *dot = strrchr(data_file, '.');
    const bool ends = dot && dot != data_file && (!slash || dot > slash + 1);
    const size_t stem = ends ? (size_t)(dot - data_file) : strlen(data_file);
    snprintf(out, CT_SIDECAR_NAME, "%.*s.json", (int)stem, data_file);
}

/* A pipeline and a plan say "cornerturn", candidates may say that they are incomplete. */
static bool is_description(const ct_value *root)
{
    if (ct_value_get(root, "cornerturn")) return false;
    for (const char *const *key = ct_sidecar_keys; *key; key++)
        if (strcmp(*key, "incomplete") != 0 && ct_value_get(root, *key)) return true;
    return false;
}

ct_status ct_sidecar_load(ct_value **out, char name[CT_SIDECAR_NAME], const char *data_file,
                          ct_error *err)
{
    char old[CT_SIDECAR_NAME];
    *out = NULL;
    ct_sidecar_name(name, data_file);
    if (access(name, F_OK) == 0) return ct_value_load(out, name, err);
    name_old(old, data_file);
    if (strcmp(old, data_file) == 0 || access(old, F_OK) != 0) return CT_OK;
    const ct_status status = ct_value_load(out, old, err);
    if (status != CT_OK) return status;
    if (is_description(*out)) {
        memcpy(name, old, sizeof old);
    } else {
        ct_value_free(*out);
        *out = NULL;
    }
    return CT_OK;
}

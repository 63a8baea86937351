/* plan_key.c: see plan_key.h.
 * Room: tuner/store. */
#include "plan_key.h"

#include <stdio.h>
#include <string.h>

#include "digest.h"
#include "fail.h"
#include "json_text.h"
#include "step_digest.h"

/* "model name	: Intel(R) Xeon(R) Processor"; "" where the system does not say. */
static void key_processor(char *out, size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");
    out[0] = '\0';
    while (file && !*out && fgets(line, sizeof line, file)) {
        char *value = strchr(line, ':');
        if (strncmp(line, "model name", strlen("model name")) != 0 || !value) continue;
        value += strspn(value, ": \t");
        value[strcspn(value, "\n")] = '\0';
        snprintf(out, size, "%s", value);
    }
    if (file) fclose(file);
}

enum { KEYS = 4 };
static const char *const key_names[KEYS] = {"device", "platform", "driver", "cpu"};

void ct_plan_key_device(ct_text *json, const ct_device *device)
{
    char processor[256];
    key_processor(processor, sizeof processor);
    const char *const values[KEYS] = {device->name, device->platform_name, device->driver,
                                      processor};
    for (int i = 0; i < KEYS; i++)
        ct_json_add_text(json, key_names[i], values[i]);
}

void ct_plan_key_copy(ct_text *json, const ct_value *hello)
{
    for (int i = 0; i < KEYS; i++)
        ct_json_add_text(json, key_names[i], ct_value_text(ct_value_get(hello, key_names[i]), ""));
}

ct_status ct_plan_key_sources(ct_text *json, const ct_plan *plan, const ct_device *device,
                              ct_error *err)
{
    ct_status status = CT_OK;
    char digest[CT_DIGEST_SIZE];
    ct_json_open(json, "sources", '{');
    for (int s = 0; s < plan->count; s++) {
        const ct_plan_step *at = &plan->steps[s];
        if (ct_role_of(at->step) != CT_ROLE_KERNEL) continue;
        ct_step_set_device(at->step, device);
        status = ct_step_digest_source(digest, at, err);
        ct_step_set_device(at->step, NULL);
        CT_TRY(status);
        ct_json_add_text(json, at->name, digest);
    }
    ct_json_close(json, '}');
out:
    return status;
}

ct_status ct_plan_key_add(ct_plan *plan, const ct_device *device, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text key = {0};
    ct_json_open(&key, NULL, '{');
    ct_plan_key_device(&key, device);
    CT_TRY(ct_plan_key_sources(&key, plan, device, err));
    ct_json_close(&key, '}');
    CT_TRY(ct_text_check(&key, err));
    plan->about[0] = ct_arena_copy(plan->arena, key.data);
    CT_TRY(ct_arena_check(plan->arena, err));
out:
    ct_text_free(&key);
    return status;
}

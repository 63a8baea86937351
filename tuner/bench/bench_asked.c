/* bench_asked.c: what is measured where the user says so: layouts and tunables by name.
 * Room: tuner/bench. Knows steps. Does not know how anything is measured. */
#include "bench_inner.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "fail.h"
#include "layout.h"
#include "memory.h"

#include <stdio.h>
#include <string.h>

int ct_bench_output(const ct_step *step)
{
    for (int i = 0; i < ct_step_ports(step); i++)
        if (step->stage->ports[i].direction == CT_OUT && step->port[i].type != CT_NONE) return i;
    return 0;
}

/* An output that follows the input ("=X") does so. */
ct_status ct_bench_set_layouts(ct_step *step, const ct_layout *read, const ct_layout *write,
                               ct_error *err)
{
    ct_status status = CT_OK;
    int output = ct_bench_output(step);
    const char *pattern = step->stage->ports[output].layout;
    bool follows = pattern != NULL && pattern[0] == '=';
    CT_TRY(ct_step_set_layout(step, 0, read, err));
    CT_TRY(ct_step_set_layout(step, output, follows ? read : write, err));
    ct_workload_pad(step);
out:
    return status;
}

/* A layout by name, one of those that the port may have. */
static ct_status asked_layout(const ct_step *step, int port, const char *asked, ct_layout *out,
                              ct_error *err)
{
    ct_layout *list = NULL;
    *out = step->port[port].layout;
    if (asked == NULL) return CT_OK;
    int64_t count = ct_step_layouts(&list, step, port, asked);
    if (count > 0) *out = list[0];
    ct_memory_free(list);
    if (count < 0) return ct_memory_fail(0, err);
    if (count > 0) return CT_OK;
    return ct_error_add(err, CT_USAGE, "stage %s: port %s cannot have layout %s, expected %s",
                        step->stage->name, step->stage->ports[port].name, asked,
                        step->stage->ports[port].layout ? step->stage->ports[port].layout
                                                        : step->stage->ports[port].dims);
}

ct_status ct_bench_ask_layouts(ct_step *step, const ct_bench *asked, ct_error *err)
{
    ct_status status = CT_OK;
    ct_layout read, write;
    CT_TRY(asked_layout(step, 0, asked->read, &read, err));
    CT_TRY(asked_layout(step, ct_bench_output(step), asked->write, &write, err));
    CT_TRY(ct_bench_set_layouts(step, &read, &write, err));
    ct_step_default_tunables(step);
out:
    return status;
}

/* "NAME=VALUE": what has no such tunable, or no such value, is refused. */
static ct_status asked_set(ct_step *step, const char *setting, ct_error *err)
{
    char name[64];
    const char *value = strchr(setting, '=');
    if (value == NULL)
        return ct_error_add(err, CT_USAGE, "bench: expected --set NAME=VALUE, found \"%s\"",
                            setting);
    snprintf(name, sizeof name, "%.*s", (int)(value - setting), setting);
    return ct_step_set_tunable(step, name, value + 1, err);
}

ct_status ct_bench_ask_tunables(ct_step *step, const char *const *settings, ct_error *err)
{
    ct_status status = CT_OK;
    for (; *settings != NULL; settings++)
        CT_TRY(asked_set(step, *settings, err));
    if (!ct_step_is_legal(step))
        status = ct_error_add(err, CT_INVALID, "bench %s: the tunables are not legal together",
                              step->name);
out:
    return status;
}

/* live.c: see live.h. Room: cli. Knows when a stream begins. Does not know formats. */
#include "live.h"
#include "cornerturn_stage.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LIVE_OPENING_S 0.2 /* from when all is built until sources are open */

ct_status ct_live_build(ct_run *run, bool always, bool *late, ct_error *err)
{
    *late = false;
    if (!always && isinf(ct_run_starts_in(run))) return CT_OK;
    const ct_status status = ct_run_build(run, err);
    *late = status == CT_OK && ct_run_starts_in(run) < LIVE_OPENING_S;
    return status;
}

/* The setting that says it already, else a new one; NULL: there is no room. */
static const char **live_setting(ct_pipeline *p, const char *start, size_t length)
{
    int i = 0;
    for (; p->settings[i] != NULL; i++)
        if (strncmp(p->settings[i], start, length) == 0) return &p->settings[i];
    return i < CT_OPTION_TIMES ? &p->settings[i] : NULL;
}

static ct_status live_add(ct_pipeline *p, const ct_step *step, double after_s, char *room,
                          size_t *used, ct_error *err)
{
    char number[64];
    const size_t left = CT_LIVE_SETTINGS - *used;
    ct_number_print(number, sizeof number, "%.9g", after_s);
    const int length = snprintf(room + *used, left, "%s.start_after_s=%s", step->name, number);
    const size_t before = length < 0 ? left : (size_t)length - strlen(number);
    const char **setting = before < left ? live_setting(p, room + *used, before) : NULL;
    if (setting == NULL || (size_t)length >= left)
        return ct_error_add(err, CT_USAGE, "cornerturn run: too many live sources and --set");
    *setting = room + *used;
    *used += (size_t)length + 1;
    return CT_OK;
}

static bool live_has_start(const ct_stage *stage)
{
    for (const ct_param *param = stage->params; param && param->name; param++)
        if (strcmp(param->name, "start_after_s") == 0) return true;
    return false;
}

ct_status ct_live_put_off(ct_pipeline *p, int n, char room[CT_LIVE_SETTINGS], ct_error *err)
{
    static const double more_s[CT_LIVE_TIMES] = {0, 0, 2, 8, 30}; /* than before */
    ct_status status = CT_OK;
    const ct_step *step;
    size_t used = 0;
    for (size_t i = 0; more_s[n] > 0 && (step = ct_graph_step_at(p->graph, i)) != NULL; i++)
        if (live_has_start(step->stage))
            CT_TRY(live_add(p, step, ct_step_real(step, "start_after_s") + more_s[n], room, &used,
                            err));
out:
    return status;
}

/* follow.c: see follow.h. Room: cli. Knows a pipeline's nodes and stages' parameters. Does not know
 * formats. */
#include "follow.h"
#include "cornerturn_stage.h"

#include <stdio.h>
#include <string.h>

static bool follow_can(const ct_stage *stage)
{
    for (const ct_param *param = stage ? stage->params : NULL; param && param->name; param++)
        if (strcmp(param->name, "follow_s") == 0) return true;
    return false;
}

static ct_status follow_add(ct_pipeline *p, char room[CT_FOLLOW_SETTINGS], size_t *used,
                            const char *node, double seconds, ct_error *err)
{
    char number[64];
    size_t count = 0;
    while (p->settings[count] != NULL)
        count++;
    ct_number_print(number, sizeof number, "%.9g", seconds);
    const size_t left = CT_FOLLOW_SETTINGS - *used;
    const int length = snprintf(room + *used, left, "%s.follow_s=%s", node, number);
    if (count == CT_OPTION_TIMES || length < 0 || (size_t)length >= left)
        return ct_error_add(err, CT_USAGE, "cornerturn run: --follow: too many sources and --set");
    p->settings[count] = room + *used;
    *used += (size_t)length + 1;
    return CT_OK;
}

ct_status ct_follow_set(ct_pipeline *p, double seconds, char room[CT_FOLLOW_SETTINGS],
                        ct_error *err)
{
    ct_status status = CT_OK;
    ct_context *context = NULL;
    ct_value *root = NULL;
    size_t used = 0;
    CT_TRY(ct_context_open(&context, err));
    CT_TRY(ct_value_load(&root, p->file, err));
    const ct_value *nodes = ct_value_get(root, "nodes");
    for (size_t i = 0; i < ct_value_count(nodes); i++) {
        const char *stage = ct_value_text(ct_value_get(ct_value_at(nodes, i), "stage"), "");
        if (follow_can(ct_context_stage(context, stage)))
            CT_TRY(follow_add(p, room, &used, ct_value_key(nodes, i), seconds, err));
    }
    if (used == 0)
        status = ct_error_add(err, CT_USAGE,
                              "cornerturn run: --follow: %s has no source that can follow a file: "
                              "expected source.raw, source.sigproc or source.lofar",
                              p->file);
out:
    ct_value_free(root);
    ct_context_free(context);
    return status;
}

bool ct_follow_takes_stdout(const ct_graph *graph)
{
    const ct_step *step;
    for (size_t n = 0; (step = ct_graph_step_at(graph, n)) != NULL; n++) {
        const ct_stage *stage = step->stage;
        if (stage->ports[1].name != NULL || stage->ports[0].direction != CT_IN) continue;
        for (const ct_param *param = stage->params; param && param->name; param++) {
            const char *file =
                param->kind == CT_PARAM_FILE ? ct_step_path(step, param->name) : NULL;
            if (file != NULL && strcmp(file, "/dev/stdout") == 0) return true;
        }
    }
    return false;
}

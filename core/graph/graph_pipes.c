/* graph_pipes.c: pipes that a pipeline's sources read: all of them are open before any is waited
 * for, so that a program that writes to several may begin with any of them. Room: core/graph. Knows
 * nodes' texts. Does not know what stages do with them. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "graph_nodes.h"

/* Opening a pipe to write waits until it is open to read. */
static void open_pipe(ct_node *node, const char *text)
{
    struct stat about;
    const char *file = ct_step_resolve(node->step, text);
    if (stat(file, &about) != 0 || !S_ISFIFO(about.st_mode)) return;
    const int handle = open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (handle >= 0)
        (void)ct_step_keep_open(node->step, handle); /* its reader reports what is wrong */
}

/* A text, or all texts of a list and its lists. */
static void open_texts(ct_node *node, const ct_value *value)
{
    const char *text = ct_value_text(value, NULL);
    if (text) open_pipe(node, text);
    for (size_t i = 0; ct_value_kind(value) == CT_LIST && i < ct_value_count(value); i++)
        open_texts(node, ct_value_at(value, i));
}

static void open_source(ct_node *node)
{
    const ct_param *param = node->step->stage->params;
    for (; param && param->name; param++)
        if (param->kind == CT_PARAM_FILE || param->kind == CT_PARAM_ANY)
            open_texts(node, ct_step_value(node->step, param->name));
}

bool ct_graph_may_wait(void *of)
{
    ct_graph *graph = of;
    if (graph->waits_for_none) return false;
    for (int n = 0; !graph->pipes && n < graph->count; n++)
        if (!graph->nodes[n].broken && ct_role_of(graph->nodes[n].step) == CT_ROLE_SOURCE)
            open_source(&graph->nodes[n]);
    graph->pipes = true;
    return true;
}

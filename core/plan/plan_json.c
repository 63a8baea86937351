/* plan_json.c: plans as files that a person can read and edit: a layout per port, a word per
 * tunable. Room: core/plan. Knows plans and the graph that they belong to. Does not know what is fast.
 * Called by ct_plan_save, ct_plan_load. The file says what it was made for; a plan for other
 * shapes, another version of a stage, or another pipeline is refused with the reason. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fail.h"
#include "file.h"
#include "layout.h"
#include "memory.h"
#include "plan.h"
#include "text.h"

static void print_shape(ct_text *text, const ct_array *array)
{
    ct_text_add(text, "%s", ct_type_name(array->type));
    for (int i = 0; i < array->rank; i++)
        ct_text_add(text, " %c=%" PRId64, array->dim[i], array->extent[i]);
}

static void save_ports(ct_text *text, const ct_step *step)
{
    const char *comma = "";
    ct_text_add(text, "      \"layouts\": {");
    for (int p = 0; p < ct_step_ports(step); p++) {
        const ct_array *array = &step->port[p];
        if (array->type == CT_NONE || (step->stage->ports[p].flags & CT_PORT_FLAGS)) continue;
        ct_text_add(text, "%s \"%s\": \"%s\"", comma, step->stage->ports[p].name,
                    array->layout.dim);
        comma = ",";
    }
    ct_text_add(text, " },\n");
}

static void save_tunables(ct_text *text, const ct_step *step)
{
    char word[32];
    ct_text_add(text, "      \"tunables\": {");
    for (int t = 0; t < ct_step_tunables(step); t++)
        ct_text_add(text, "%s \"%s\": \"%s\"", t ? "," : "", step->stage->tunables[t].name,
                    ct_step_tunable_word(step, t, word));
    ct_text_add(text, " }\n");
}

static void save_step(ct_text *text, const ct_plan_step *step, const ct_node *node)
{
    ct_text shape = {0};
    print_shape(&shape, &node->step->port[0]);
    ct_text_add(
        text, "    \"%s\": {\n      \"stage\": \"%s\", \"version\": %u, \"shape\": \"%s\",\n",
        node->name, step->step->stage->name, (unsigned)step->step->stage->version, shape.data);
    save_ports(text, step->step);
    save_tunables(text, step->step);
    ct_text_add(text, "    }");
    ct_text_free(&shape);
}

ct_status ct_plan_save(const ct_plan *plan, const char *file, ct_error *err)
{
    ct_text text = {0};
    const char *comma = "";
    ct_text_add(&text, "{ \"cornerturn_plan\": 1,\n  \"pipeline\": ");
    ct_text_add_json(&text, plan->graph->file);
    ct_text_add(&text, ",\n  \"block\": { \"T\": %" PRId64 " },\n  \"nodes\": {\n",
                plan->graph->block);
    for (int s = 0; s < plan->count; s++) {
        if (plan->steps[s].node < 0) continue;
        ct_text_add(&text, "%s", comma);
        save_step(&text, &plan->steps[s], &plan->graph->nodes[plan->steps[s].node]);
        comma = ",\n";
    }
    ct_text_add(&text, "\n  }\n}\n");
    ct_status status = ct_file_write(file, text.data, text.length, err);
    ct_text_free(&text);
    return status;
}

typedef struct loader {
    const char *file;
    const ct_graph *graph;
    ct_error *err;
} loader;

/* What would be ignored is refused. */
static ct_status check_keys(const loader *l, const char *where, const ct_value *object,
                            const char *const *known)
{
    for (size_t i = 0; i < ct_value_count(object); i++) {
        const char *key = ct_value_key(object, i), *const *k = known;
        while (*k && (!key || strcmp(*k, key) != 0))
            k++;
        if (*k) continue;
        const char *nearest = key ? ct_suggest_nearest(key, known) : NULL;
        return ct_error_add(l->err, CT_INVALID, "%s: %s: unknown key \"%s\"%s%s%s", l->file, where,
                            key ? key : "", nearest ? "; did you mean \"" : "",
                            nearest ? nearest : "", nearest ? "\"?" : "");
    }
    return CT_OK;
}

/* The pipeline's pins bind the plan too. */
static ct_status check_pin(const loader *l, const ct_node *node, int port, const ct_layout *layout)
{
    const ct_port *ports = node->step->stage->ports;
    int out = 0;
    while (ports[out].name && ports[out].direction != CT_OUT)
        out++;
    const ct_layout *pin = port == out ? &node->write : &node->read;
    if ((port != 0 && port != out) || pin->rank == 0 || !strcmp(pin->dim, layout->dim))
        return CT_OK;
    return ct_error_add(l->err, CT_INVALID,
                        "%s: /nodes/%s/layouts/%s: found \"%s\", but the pipeline pins \"%s\"",
                        l->file, node->name, ports[port].name, layout->dim, pin->dim);
}

static ct_status load_layouts(const loader *l, const ct_node *node, const ct_value *layouts,
                              ct_choice *choice)
{
    for (size_t i = 0; i < ct_value_count(layouts); i++) {
        const char *name = ct_value_key(layouts, i);
        const char *text = ct_value_text(ct_value_at(layouts, i), "");
        int port = ct_step_find_port(node->step, name);
        if (port < 0)
            return ct_error_add(l->err, CT_INVALID,
                                "%s: /nodes/%s/layouts: stage %s has no port "
                                "\"%s\"",
                                l->file, node->name, node->step->stage->name, name);
        ct_error inner = {0};
        if (ct_layout_parse(&choice->layout[port], text, &inner) != CT_OK)
            return ct_error_add(l->err, CT_INVALID, "%s: /nodes/%s/layouts/%s: %s", l->file,
                                node->name, name, inner.text);
        if (!ct_layout_covers(&choice->layout[port], &node->step->port[port]))
            return ct_error_add(l->err, CT_INVALID,
                                "%s: /nodes/%s/layouts/%s: found \"%s\", but the array has the "
                                "dimensions %s",
                                l->file, node->name, name, text, node->step->port[port].dim);
        if (check_pin(l, node, port, &choice->layout[port]) != CT_OK) return CT_INVALID;
        choice->reason[port] = "the plan's";
    }
    return CT_OK;
}

static ct_status load_tunables(const loader *l, const ct_node *node, const ct_value *tunables,
                               ct_choice *choice)
{
    for (size_t i = 0; i < ct_value_count(tunables); i++) {
        ct_error inner = {0};
        char number[32];
        const ct_value *value = ct_value_at(tunables, i);
        snprintf(number, sizeof number, "%" PRId64, ct_value_int(value, 0));
        const char *word = ct_value_text(value, ct_value_kind(value) == CT_INT ? number : "none");
        int place = ct_step_read_tunable(node->step, ct_value_key(tunables, i), word,
                                         choice->tunable, &inner);
        if (place < 0)
            return ct_error_add(l->err, CT_INVALID, "%s: /nodes/%s/tunables: %s", l->file,
                                node->name, inner.text);
        choice->tuned[place] = true;
    }
    return CT_OK;
}

/* What the plan was made for must be what there is. */
static ct_status check_key(const loader *l, const ct_node *node, const ct_value *saved)
{
    ct_text shape = {0};
    ct_status status = CT_OK;
    const ct_stage *stage = node->step->stage;
    const char *was = ct_value_text(ct_value_get(saved, "stage"), "");
    const char *shaped = ct_value_text(ct_value_get(saved, "shape"), "");
    int64_t version = ct_value_int(ct_value_get(saved, "version"), 0);
    print_shape(&shape, &node->step->port[0]);
    if (strcmp(was, stage->name) != 0)
        status = ct_error_add(l->err, CT_INVALID,
                              "%s: node \"%s\" was planned as stage %s, the "
                              "pipeline has stage %s",
                              l->file, node->name, was, stage->name);
    else if (version != (int64_t)stage->version)
        status = ct_error_add(l->err, CT_INVALID,
                              "%s: node \"%s\" was planned for version %" PRId64
                              " of stage %s, this is version %u",
                              l->file, node->name, version, stage->name, (unsigned)stage->version);
    else if (strcmp(shaped, shape.data) != 0)
        status = ct_error_add(l->err, CT_INVALID,
                              "%s: node \"%s\" was planned for %s, the pipeline "
                              "brings %s",
                              l->file, node->name, shaped, shape.data);
    ct_text_free(&shape);
    return status;
}

/* Members of a list have no names. */
static ct_status check_object(const loader *l, const ct_node *node, const ct_value *saved,
                              const char *key)
{
    const ct_value *value = ct_value_get(saved, key);
    if (!value || ct_value_kind(value) == CT_OBJECT) return CT_OK;
    return ct_error_add(l->err, CT_INVALID, "%s: /nodes/%s/%s: expected an object", l->file,
                        node->name, key);
}

/* What the plan leaves out is as the pipeline pins it. */
static void take_pins(const ct_node *node, ct_choice *choice)
{
    const ct_port *ports = node->step->stage->ports;
    for (int p = 0, outputs = 0; p < CT_PORTS && ports[p].name; p++) {
        const ct_layout *pin = p == 0 && ports[p].direction == CT_IN ? &node->read : NULL;
        if (ports[p].direction == CT_OUT && outputs++ == 0) pin = &node->write;
        if (!pin || pin->rank == 0 || choice->layout[p].rank) continue;
        choice->layout[p] = *pin;
        choice->reason[p] = "pinned";
    }
}

static ct_status load_node(const loader *l, int n, const ct_value *nodes, ct_choice *choice)
{
    static const char *const keys[] = {"stage",    "version", "shape", "layouts",
                                       "tunables", "comment", NULL};
    char where[256];
    ct_status status = CT_OK;
    const ct_node *node = &l->graph->nodes[n];
    const ct_value *saved = ct_value_get(nodes, node->name);
    /* What is only looked at (--dump) needs no plan of its own. */
    if (!saved && ct_step_role(node->step) == CT_ROLE_SINK) {
        take_pins(node, choice);
        return CT_OK;
    }
    if (!saved)
        return ct_error_add(l->err, CT_INVALID,
                            "%s: the plan has no node \"%s\"; it was made for "
                            "another pipeline",
                            l->file, node->name);
    snprintf(where, sizeof where, "/nodes/%s", node->name);
    CT_TRY(check_keys(l, where, saved, keys));
    CT_TRY(check_key(l, node, saved));
    CT_TRY(check_object(l, node, saved, "layouts"));
    CT_TRY(check_object(l, node, saved, "tunables"));
    CT_TRY(load_layouts(l, node, ct_value_get(saved, "layouts"), choice));
    CT_TRY(load_tunables(l, node, ct_value_get(saved, "tunables"), choice));
    take_pins(node, choice);
out:
    return status;
}

static ct_status check_block(const loader *l, const ct_value *block)
{
    int64_t samples = ct_value_int(ct_value_get(block, "T"), 0);
    if (!block || samples == l->graph->block) return CT_OK;
    return ct_error_add(l->err, CT_INVALID,
                        "%s: /block/T: planned for blocks of %" PRId64
                        " samples, the pipeline's have %" PRId64
                        "; the pipeline decides: change its \"block\" and plan anew",
                        l->file, samples, l->graph->block);
}

/* Nodes that the pipeline has lost. */
static ct_status check_nodes(const loader *l, const ct_value *nodes)
{
    for (size_t i = 0; i < ct_value_count(nodes); i++) {
        const char *name = ct_value_key(nodes, i);
        if (name && ct_graph_find(l->graph, name) < 0)
            return ct_error_add(l->err, CT_INVALID,
                                "%s: /nodes: the pipeline has no node \"%s\"; the plan is for "
                                "another pipeline",
                                l->file, name);
    }
    return CT_OK;
}

static ct_status check_plan(const loader *l, const ct_value *root)
{
    static const char *const keys[] = {"cornerturn_plan", "pipeline", "block",
                                       "nodes",           "comment",  NULL};
    if (ct_value_int(ct_value_get(root, "cornerturn_plan"), 0) != 1)
        return ct_error_add(l->err, CT_INVALID,
                            "%s: expected a plan: an object with \"cornerturn_plan\": 1", l->file);
    return check_keys(l, "the plan", root, keys);
}

ct_status ct_plan_load(ct_plan **out, const ct_graph *graph, const char *file,
                       const ct_device *device, ct_error *err)
{
    ct_status status = CT_OK;
    ct_value *root = NULL;
    loader l = {file, graph, err};
    ct_choice *choices = ct_memory_get(sizeof *choices * (size_t)graph->count);
    *out = NULL;
    CT_TRY(ct_value_load(&root, file, err));
    CT_TRY(check_plan(&l, root));
    for (int n = 0; n < graph->count; n++)
        CT_TRY(load_node(&l, n, ct_value_get(root, "nodes"), &choices[n]));
    CT_TRY(check_nodes(&l, ct_value_get(root, "nodes")));
    CT_TRY(check_block(&l, ct_value_get(root, "block")));
    CT_TRY(ct_plan_build(out, graph, choices, device, err));
out:
    ct_value_free(root);
    ct_memory_free(choices);
    return status;
}

/* plan_save.c: a plan as a file that a person can read and edit: every decision, node by node.
 * Room: core/plan. Knows plans. Does not know what may be written there (plan_load.c). */
#include <inttypes.h>
#include <string.h>

#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "exchange.h"
#include "fail.h"
#include "file.h"
#include "file_conflicts.h"
#include "fuse.h"
#include "plan_file.h"
#include "regroup.h"
#include "row_stride.h"
#include "text.h"

void ct_plan_print_shape(ct_text *text, const ct_array *array)
{
    ct_text_add(text, "%s", ct_type_name(array->type));
    for (int i = 0; i < array->rank; i++)
        if (array->dim[i] != 'T')
            ct_text_add(text, " %c=%" PRId64, array->dim[i], array->extent[i]);
}

enum { LINE = 84 }; /* letters after which the next part has a new line */

/* A member on lines of its own: `"layouts": {`, its parts, ` }`. */
typedef struct member {
    ct_text *text;
    const char *key, *indent;
    int parts;
    size_t line; /* where the present one begins */
} member;

static void begin_part(member *m, const char *name)
{
    const bool first = m->parts++ == 0, full = !first && m->text->length - m->line > LINE;
    ct_text_add(m->text, first || full ? ",\n" : ",");
    if (first || full) m->line = m->text->length;
    if (first) ct_text_add(m->text, "%s\"%s\": {", m->indent, m->key);
    if (full) ct_text_add(m->text, "%s  ", m->indent);
    ct_text_add(m->text, " \"%s\": ", name);
}

static void end_member(const member *m)
{
    if (m->parts) ct_text_add(m->text, " }");
}

static void print_rows(ct_text *text, int64_t rows)
{
    if (rows == CT_ROWS_PADDED || rows == CT_ROWS_DENSE)
        ct_text_add(text, rows == CT_ROWS_DENSE ? "\"dense\"" : "\"padded\"");
    else
        ct_text_add(text, "%" PRId64, rows);
}

static bool is_number(const char *word)
{
    return strspn(word + (*word == '-'), "0123456789") == strlen(word + (*word == '-'));
}

static void save_tunables(ct_text *text, const char *indent, const ct_step *step)
{
    char word[32];
    member m = {text, "tunables", indent, 0, 0};
    for (int t = 0; t < ct_step_tunables(step); t++) {
        begin_part(&m, step->stage->tuning.tunables[t].name);
        const char *quote = is_number(ct_step_tunable_word(step, t, word)) ? "" : "\"";
        ct_text_add(text, "%s%s%s", quote, word, quote);
    }
    end_member(&m);
}

/* Of the run's flags nothing is decided. */
static bool has_layout(const ct_plan_step *at, int port)
{
    const bool flags = ct_port_takes_flags(&at->step->stage->ports[port]);
    return at->step->port[port].type != CT_NONE && (!flags || at->edge[port] >= 0);
}

static void save_layouts(ct_text *text, const ct_plan_step *at)
{
    const ct_step *step = at->step;
    member m = {text, "layouts", "      ", 0, 0};
    for (int p = 0; p < ct_step_ports(step); p++) {
        if (!has_layout(at, p)) continue;
        begin_part(&m, step->stage->ports[p].name);
        ct_text_add(text, "\"%s\"", step->port[p].layout.dim);
    }
    end_member(&m);
}

static void save_row_strides(ct_text *text, const ct_plan *plan, const ct_plan_step *at)
{
    member m = {text, "row_strides", "      ", 0, 0};
    for (int p = 0; p < ct_step_ports(at->step); p++) {
        const ct_direction direction = at->step->stage->ports[p].direction;
        if (!has_layout(at, p) || (direction != CT_OUT && direction != CT_SCRATCH)) continue;
        begin_part(&m, at->step->stage->ports[p].name);
        print_rows(text, at->edge[p] >= 0 ? plan->edges[at->edge[p]].rows : at->rows[p]);
    }
    end_member(&m);
}

/* The transpose whose output this port reads; NULL where it reads what a node has written. */
static const ct_plan_step *find_transpose(const ct_plan *plan, const ct_plan_step *at, int port)
{
    const bool reads = at->step->stage->ports[port].direction == CT_IN && at->edge[port] >= 0;
    const ct_plan_step *from = reads ? &plan->steps[plan->edges[at->edge[port]].from] : NULL;
    return from && from->node < 0 && !ct_regroup_is(from->step) ? from : NULL;
}

/* Of what comes from other ranks only where its rows lie is decided. */
static void save_version(ct_text *text, const ct_step *step)
{
    if (!ct_exchange_is(step))
        ct_text_add(text, "\"version\": %u, ", (unsigned)step->stage->version);
}

static void save_transpose(ct_text *text, const ct_plan *plan, const ct_plan_step *transpose,
                           const ct_plan_step *at, int port)
{
    const ct_link reader = transpose->reader;
    const ct_node *node = &plan->graph->nodes[reader.node];
    if (reader.node == at->node && reader.port == port) {
        ct_text_add(text, "{ ");
        save_version(text, transpose->step);
        ct_text_add(text, "\"row_stride\": ");
        print_rows(text, plan->edges[transpose->edge[1]].rows);
        save_tunables(text, "          ", transpose->step);
        ct_text_add(text, " }");
        return;
    }
    ct_text shared = {0};
    ct_text_add(&shared, "%s.%s", node->name, node->step->stage->ports[reader.port].name);
    ct_text_add(text, "{ \"shared\": ");
    ct_text_add_json(text, shared.data);
    ct_text_add(text, " }");
    ct_text_end(&shared, text);
}

static void save_transposes(ct_text *text, const ct_plan *plan, const ct_plan_step *at)
{
    member m = {text, "transposes", "      ", 0, 0};
    for (int p = 0; p < ct_step_ports(at->step); p++) {
        const ct_plan_step *transpose = find_transpose(plan, at, p);
        if (!transpose) continue;
        begin_part(&m, at->step->stage->ports[p].name);
        save_transpose(text, plan, transpose, at, p);
    }
    end_member(&m);
}

/* An empty list says that the two could run as one, and do not. */
static void save_fusion(ct_text *text, const ct_plan *plan, const char *node)
{
    const ct_value *names = ct_fuse_names(plan->graph, node);
    bool possible = names != NULL;
    if (!names && ct_fuse_possible(&possible, plan->graph, node, NULL) != CT_OK)
        ct_text_lacks(text, 0);
    if (!possible) return;
    ct_text_add(text, ",\n      \"fuse\": [");
    for (size_t i = 0; i < ct_value_count(names); i++) {
        ct_text_add(text, i ? ", " : "");
        ct_text_add_json(text, ct_value_text(ct_value_at(names, i), ""));
    }
    ct_text_add(text, "]");
}

/* A sink that rank 0 writes has no split. */
static void save_split(ct_text *text, const ct_plan *plan, int node)
{
    const ct_partition *partition = plan->partition ? &plan->partition[node] : NULL;
    if (!partition || partition->root) return;
    ct_text_add(text, ",\n      \"split\": \"");
    for (int w = 0; w < partition->axes; w++)
        ct_text_add(text, "%c", partition->axis[w].dim);
    ct_text_add(text, "\"");
}

static void save_node(ct_text *text, const ct_plan *plan, const ct_plan_step *at)
{
    const ct_node *node = &plan->graph->nodes[at->node];
    ct_text shape = {0};
    ct_plan_print_shape(&shape, &node->step->port[0]);
    ct_text_add(text, "    ");
    ct_text_add_json(text, node->name);
    ct_text_add(text, ": {\n      \"stage\": \"%s\", \"version\": %u, \"shape\": \"%s\"",
                at->step->stage->name, (unsigned)at->step->stage->version, shape.data);
    if (at->step->stage->digest)
        ct_text_add(text, ",\n      \"digest\": \"%s\"", at->step->stage->digest);
    save_fusion(text, plan, node->name);
    save_split(text, plan, at->node);
    save_layouts(text, at);
    save_transposes(text, plan, at);
    save_row_strides(text, plan, at);
    save_tunables(text, "      ", at->step);
    ct_text_add(text, "\n    }");
    ct_text_end(&shape, text);
}

static void save_about(ct_text *text, const ct_plan *plan)
{
    ct_text_add(text, "{ \"cornerturn_plan\": %d,\n  \"pipeline\": ", CT_PLAN_FORMAT);
    ct_text_add_json(text, plan->graph->file);
    for (int i = 0; i < CT_PLAN_ABOUT; i++)
        if (plan->about[i])
            ct_text_add(text, ",\n  \"%s\": %s", ct_plan_about_keys[i], plan->about[i]);
    ct_text_add(text, ",\n  \"block\": { \"T\": %" PRId64 " }", plan->graph->block);
    if (plan->partition)
        ct_text_add(text, ",\n  \"ranks\": { \"size\": %d, \"grid\": \"%s\" }",
                    ct_ranks_size(plan->graph->ranks), plan->grid);
}

void ct_plan_print_nodes(ct_text *text, const ct_plan *plan)
{
    const char *comma = "";
    for (int s = 0; s < plan->count; s++) {
        if (plan->steps[s].node < 0) continue;
        ct_text_add(text, "%s", comma);
        save_node(text, plan, &plan->steps[s]);
        comma = ",\n";
    }
}

static void save_plan(ct_text *text, const ct_plan *plan)
{
    save_about(text, plan);
    ct_text_add(text, ",\n  \"nodes\": {\n");
    ct_plan_print_nodes(text, plan);
    ct_text_add(text, "\n  }\n}\n");
}

ct_status ct_plan_print(char **out, const ct_plan *plan, ct_error *err)
{
    CT_GIVEN_OUT(err, out, plan);
    ct_text text = {0};
    if (!plan) return ct_error_add(err, CT_USAGE, "ct_plan_print: there is no plan");
    save_plan(&text, plan);
    return ct_text_take(out, &text, err);
}

ct_status ct_plan_save(const ct_plan *plan, const char *file, ct_error *err)
{
    CT_GIVEN(err, plan, file);
    ct_text text = {0};
    ct_status status = ct_file_conflicts_check_file(plan->graph, file, "the plan", true, err);
    if (status != CT_OK) return status;
    save_plan(&text, plan);
    status = ct_text_check(&text, err);
    if (status == CT_OK) status = ct_file_write(file, text.data, text.length, err);
    ct_text_free(&text);
    return status;
}

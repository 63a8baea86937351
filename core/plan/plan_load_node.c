/* plan_load_node.c: what a plan file decides of one node: layouts, transposes, row strides,
 * tunables. Room: core/plan. Knows one node's object. Does not know what is fast, nor what fits
 * together (ct_plan_build). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "context.h"
#include "fail.h"
#include "layout.h"
#include "plan_file.h"
#include "row_stride.h"
#include "text.h"

/* One node's object, or one inside it. */
typedef struct place {
    const ct_plan_loader *l;
    const ct_node *node;
    char pointer[512];
} place;

static place inside(const place *at, const char *key)
{
    place inner = *at;
    const size_t length = strlen(inner.pointer);
    snprintf(inner.pointer + length, sizeof inner.pointer - length, "/%s", key);
    return inner;
}

#define FAIL(at, ...) ct_plan_load_fail((at)->l, (at)->pointer, __VA_ARGS__)

/* A port with this name, in one of the directions of the mask; -1 and a sentence. */
static int find_port(const place *at, const char *name, unsigned directions, const char *what)
{
    const ct_step *step = at->node->step;
    ct_text list = {0};
    for (int p = 0; p < ct_step_ports(step); p++) {
        const ct_port *port = &step->stage->ports[p];
        const bool runs = ct_port_takes_flags(port) && at->node->input[p].node < 0;
        if (!(directions & 1u << port->direction) || runs || step->port[p].type == CT_NONE)
            continue;
        if (strcmp(port->name, name) == 0) {
            ct_text_free(&list);
            return p;
        }
        ct_text_add(&list, "%s%s", list.length ? ", " : "", port->name);
    }
    FAIL(at, "stage %s has no %s \"%s\" here%s%s", step->stage->name, what, name,
         list.length ? "; there are " : "", list.length ? list.data : "");
    ct_text_free(&list);
    return -1;
}

enum { ANY = 15u, INPUTS = 1u << CT_IN, OUTPUTS = 1u << CT_OUT | 1u << CT_SCRATCH };

/* Each member of an object is for the port that its key names. */
static ct_status load_ports(const place *at, const ct_value *ports, unsigned directions,
                            const char *what, ct_choice *choice,
                            ct_status (*load)(const place *, int, const ct_value *, ct_choice *))
{
    ct_status status = CT_OK;
    for (size_t i = 0; i < ct_value_count(ports); i++) {
        const place one = inside(at, ct_value_key(ports, i));
        const ct_choice before = *choice;
        const int port = find_port(&one, ct_value_key(ports, i), directions, what);
        const ct_status loaded =
            port < 0 ? CT_INVALID : load(&one, port, ct_value_at(ports, i), choice);
        if (loaded != CT_OK) *choice = before;
        CT_TRY(ct_plan_load_leave(at->l, loaded));
    }
out:
    return status;
}

/* ---- layouts */

/* The pipeline's pins bind the plan too. */
static const ct_layout *pin_of(const ct_node *node, int port)
{
    const ct_layout *pin = NULL;
    if (port == ct_step_first_output(node->step)) pin = &node->write;
    if (port == 0 && node->step->stage->ports[0].direction == CT_IN) pin = &node->read;
    return pin && pin->rank ? pin : NULL;
}

static ct_status load_layout(const place *at, int port, const ct_value *value, ct_choice *choice)
{
    ct_error inner = {0};
    ct_layout *out = &choice->layout[port];
    const ct_array *array = &at->node->step->port[port];
    const ct_layout *pin = pin_of(at->node, port);
    const char *text = ct_value_text(value, NULL);
    if (!text) return FAIL(at, "expected a layout such as \"%s\"", array->dim);
    if (ct_layout_parse(out, text, &inner) != CT_OK) return FAIL(at, "%s", inner.text);
    if (out->split)
        return FAIL(at, "found \"%s\": in a plan splits over ranks stand in \"split\"", text);
    if (!ct_layout_covers(out, array))
        return FAIL(at, "found \"%s\", but the array has the dimensions %s", text, array->dim);
    if (pin && !ct_layout_equal(pin, out))
        return FAIL(at, "found \"%s\", but the pipeline pins \"%s\"", out->dim, pin->dim);
    const bool file =
        at->l->misfits && ct_role_of(at->node->step) == CT_ROLE_SOURCE && array->layout.rank > 0;
    if (file) *out = (ct_layout){0}; /* another file may have another one */
    choice->reason[port] = file ? NULL : "the plan's";
    return CT_OK;
}

/* What the plan leaves out is as the pipeline pins it, else as a source's file has it. */
static void take_pins(const ct_node *node, ct_choice *choice)
{
    for (int p = 0; p < ct_step_ports(node->step); p++) {
        const ct_layout *pin = pin_of(node, p), *file = &node->step->port[p].layout;
        if ((!pin && !file->rank) || choice->layout[p].rank) continue;
        choice->layout[p] = pin ? *pin : *file;
        choice->reason[p] = pin ? "pinned" : "as the file has it";
    }
}

/* ---- row strides */

static ct_status load_rows(const place *at, const ct_value *value, int64_t *out)
{
    const char *text = ct_value_text(value, "");
    const bool number = ct_value_kind(value) == CT_INT && ct_value_int(value, 0) > 0;
    if (number && at->l->misfits) /* of other sizes */
        ++*at->l->misfits;
    else if (number)
        *out = ct_value_int(value, 0);
    else if (strcmp(text, "padded") == 0 || strcmp(text, "dense") == 0)
        *out = *text == 'd' ? CT_ROWS_DENSE : CT_ROWS_PADDED;
    else
        return FAIL(at, "expected \"padded\", \"dense\" or elements from one row to the next");
    return CT_OK;
}

static ct_status load_row_stride(const place *at, int port, const ct_value *value,
                                 ct_choice *choice)
{
    return load_rows(at, value, &choice->rows[port]);
}

/* ---- tunables */

static ct_status load_tunables(const place *at, const ct_step *step, const ct_value *tunables,
                               ct_tuning *out)
{
    for (size_t i = 0; i < ct_value_count(tunables); i++) {
        ct_error inner = {0};
        char number[32];
        const ct_value *value = ct_value_at(tunables, i);
        const char *name = ct_value_key(tunables, i);
        const place one = inside(at, name);
        snprintf(number, sizeof number, "%" PRId64, ct_value_int(value, 0));
        const char *word = ct_value_text(value, ct_value_kind(value) == CT_INT ? number : "none");
        int found = ct_step_read_tunable(step, name, word, out->value, &inner);
        if (found >= 0) out->given[found] = true;
        const ct_status status = found < 0 ? FAIL(&one, "%s", inner.text) : CT_OK;
        if (ct_plan_load_leave(at->l, status) != CT_OK) return status;
    }
    return CT_OK;
}

static ct_status check_pinned(const place *at, ct_tuning *tuning)
{
    char found[32], pinned[32];
    const ct_node *node = at->node;
    for (int t = 0; t < ct_step_tunables(node->step); t++) {
        if (!tuning->given[t] || !node->pinned[t] || tuning->value[t] == node->tunable[t]) continue;
        const place one = inside(at, node->step->stage->tuning.tunables[t].name);
        tuning->given[t] = at->l->misfits == NULL;
        if (at->l->misfits) continue;
        return FAIL(&one, "found %s, but the pipeline pins %s",
                    ct_step_value_word(node->step, t, tuning->value[t], found),
                    ct_step_value_word(node->step, t, node->tunable[t], pinned));
    }
    return CT_OK;
}

/* ---- transposes before inputs */

/* "beams.X": an input of another node. */
static ct_status load_shared(const place *at, const ct_value *value, ct_copy_choice *out)
{
    char name[128] = "";
    const ct_graph *graph = at->l->graph;
    const char *text = ct_value_text(value, ""), *dot = strrchr(text, '.');
    if (dot && (size_t)(dot - text) < sizeof name) memcpy(name, text, (size_t)(dot - text));
    int node = *name ? ct_graph_find(graph, name) : -1;
    if (node < 0)
        return FAIL(at,
                    "expected an input that has a transpose to share, such as \"beams.X\", "
                    "found \"%s\"",
                    text);
    place named = *at;
    named.node = &graph->nodes[node];
    int port = find_port(&named, dot + 1, INPUTS, "input");
    if (port < 0) return CT_INVALID;
    *out = (ct_copy_choice){.kind = CT_COPY_SHARED, .with = {node, port}};
    return CT_OK;
}

static ct_status load_own(const place *at, const ct_value *value, ct_copy_choice *out)
{
    static const char *const keys[] = {"version", "row_stride", "tunables", "comment", NULL};
    ct_status status = CT_OK;
    const ct_step *transpose = at->l->transpose;
    const place version = inside(at, "version"), rows = inside(at, "row_stride"),
                tunables = inside(at, "tunables");
    const int64_t planned = ct_value_int(ct_value_get(value, "version"), -1);
    CT_TRY(ct_plan_load_keys(at->l, at->pointer, value, keys));
    if (!transpose) return FAIL(at, "there is no stage \"transpose\"");
    if (ct_value_get(value, "version") && planned != (int64_t)transpose->stage->version)
        return FAIL(&version,
                    "planned for version %" PRId64 " of stage transpose, this is version %u",
                    planned, (unsigned)transpose->stage->version);
    out->kind = CT_COPY_OWN;
    if (ct_value_get(value, "row_stride"))
        CT_TRY(load_rows(&rows, ct_value_get(value, "row_stride"), &out->rows));
    CT_TRY(ct_plan_load_keys(at->l, tunables.pointer, ct_value_get(value, "tunables"), NULL));
    CT_TRY(load_tunables(&tunables, transpose, ct_value_get(value, "tunables"), &out->tuning));
out:
    return status;
}

static ct_status load_transpose(const place *at, int port, const ct_value *value, ct_choice *choice)
{
    static const char *const keys[] = {"shared", "comment", NULL};
    ct_status status = CT_OK;
    const ct_value *shared = ct_value_get(value, "shared");
    const place with = inside(at, "shared");
    const bool near =
        at->l->misfits != NULL; /* there need not be anything to transpose, or share */
    if (shared && near) return CT_OK;
    if (!shared) status = load_own(at, value, &choice->copy[port]);
    if (!shared && near) choice->copy[port].kind = CT_COPY_OPEN;
    if (!shared) return status;
    CT_TRY(ct_plan_load_keys(at->l, at->pointer, value, keys));
    CT_TRY(load_shared(&with, shared, &choice->copy[port]));
out:
    return status;
}

/* ---- the node */

static ct_status check_version(const place *at, const ct_value *value)
{
    const ct_stage *stage = at->node->step->stage;
    const place one = inside(at, "version");
    if (!value)
        return FAIL(at, "missing \"version\": %u of stage %s", (unsigned)stage->version,
                    stage->name);
    if (ct_value_int(value, -1) == (int64_t)stage->version) return CT_OK;
    return FAIL(&one, "planned for version %" PRId64 " of stage %s, this is version %u",
                ct_value_int(value, -1), stage->name, (unsigned)stage->version);
}

/* What a stage was made of, where it comes from files. */
static ct_status check_digest(const place *at, const ct_value *value)
{
    ct_text files = {0};
    const ct_stage *stage = at->node->step->stage;
    const char *was = ct_value_text(value, "");
    const place one = inside(at, "digest");
    if (!value || (stage->digest && strcmp(was, stage->digest) == 0)) return CT_OK;
    ct_context_stage_files(&files, at->l->graph->context, stage);
    const ct_status status =
        files.data ? FAIL(&one, "planned for another stage %s: its files have changed since (%s)",
                          stage->name, files.data)
                   : FAIL(&one, "planned for a stage %s that was made of files, this one is not",
                          stage->name);
    ct_text_free(&files);
    return status;
}

/* What the plan was made for must be what there is. */
static ct_status check_key(const place *at, const ct_value *saved)
{
    ct_text shape = {0};
    ct_status status = CT_OK;
    const ct_stage *stage = at->node->step->stage;
    const place named = inside(at, "stage"), shaped = inside(at, "shape");
    const char *was = ct_value_text(ct_value_get(saved, "stage"), NULL);
    const char *sizes = ct_value_text(ct_value_get(saved, "shape"), NULL);
    ct_plan_print_shape(&shape, &at->node->step->port[0]);
    CT_TRY(ct_text_check(&shape, at->l->err));
    if (!was) CT_TRY(FAIL(at, "missing \"stage\": \"%s\"", stage->name));
    if (strcmp(was, stage->name) != 0)
        CT_TRY(FAIL(&named, "planned as stage %s, the pipeline has stage %s", was, stage->name));
    CT_TRY(check_version(at, ct_value_get(saved, "version")));
    CT_TRY(check_digest(at, ct_value_get(saved, "digest")));
    if (!sizes) CT_TRY(FAIL(at, "missing \"shape\": \"%s\"", shape.data));
    if (strcmp(sizes, shape.data) != 0 && !at->l->misfits)
        CT_TRY(FAIL(&shaped, "planned for %s, the pipeline brings %s", sizes, shape.data));
out:
    ct_text_free(&shape);
    return status;
}

static ct_status load_parts(const place *at, const ct_value *saved, ct_choice *choice)
{
    ct_status status = CT_OK;
    const place layouts = inside(at, "layouts"), rows = inside(at, "row_strides"),
                transposes = inside(at, "transposes"), tunables = inside(at, "tunables");
    const place *const parts[] = {&layouts, &rows, &transposes, &tunables};
    const ct_value *given[4];
    for (int i = 0; i < 4; i++) {
        given[i] = ct_value_get(saved, strrchr(parts[i]->pointer, '/') + 1);
        CT_TRY(ct_plan_load_keys(at->l, parts[i]->pointer, given[i], NULL));
    }
    CT_TRY(load_ports(&layouts, given[0], ANY, "port", choice, load_layout));
    CT_TRY(load_ports(&rows, given[1], OUTPUTS, "output", choice, load_row_stride));
    CT_TRY(load_ports(&transposes, given[2], INPUTS, "input", choice, load_transpose));
    CT_TRY(load_tunables(&tunables, at->node->step, given[3], &choice->tuning));
    CT_TRY(check_pinned(&tunables, &choice->tuning));
out:
    return status;
}

/* At other sizes nodes may not run as one that did, and what was decided of them as one is of no
 * use. */
static bool is_of_no_use(const ct_plan_loader *l, const ct_node *node, const ct_value *saved)
{
    if (!l->misfits) return false;
    if (!saved) return ct_role_of(node->step) != CT_ROLE_SINK;
    const char *stage = node->step->stage->name;
    return strcmp(ct_value_text(ct_value_get(saved, "stage"), stage), stage) != 0;
}

ct_status ct_plan_load_node(const ct_plan_loader *l, int n, ct_choice *choice)
{
    static const char *const keys[] = {"stage",    "version",     "digest",  "shape",
                                       "fuse",     "split",       "layouts", "transposes",
                                       "tunables", "row_strides", "comment", NULL};
    ct_status status = CT_OK;
    const ct_node *node = &l->graph->nodes[n];
    const ct_value *saved = ct_value_get(l->nodes, node->name);
    const place root = {l, node, "/nodes"}, at = inside(&root, node->name);
    if (is_of_no_use(l, node, saved)) {
        ++*l->misfits;
        saved = NULL;
    } else if (!saved && ct_role_of(node->step) != CT_ROLE_SINK) {
        return ct_plan_load_fail(l, "/nodes",
                                 "the plan has no node \"%s\"; it was made for another pipeline",
                                 node->name);
    }
    if (saved) { /* what is only looked at (--dump) needs no plan of its own */
        CT_TRY(ct_plan_load_keys(l, at.pointer, saved, keys));
        CT_TRY(check_key(&at, saved));
        CT_TRY(ct_plan_load_leave(
            l, ct_plan_load_split(l, node, ct_value_get(saved, "split"), &choice->split)));
        CT_TRY(load_parts(&at, saved, choice));
    }
    take_pins(node, choice);
out:
    return status;
}

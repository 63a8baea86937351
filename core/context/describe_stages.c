/* describe_stages.c: stages as a program reads them: every word of their descriptors.
 * Room: core/context. Knows ct_stage. Does not know any particular stage. */
#include "fail.h"
#include "json_text.h"
#include "step.h"

/* Only what is declared. */
static void add_given(ct_text *json, const char *key, const char *value)
{
    if (value && value[0]) ct_json_add_text(json, key, value);
}

static void add_port(ct_text *json, const ct_port *port)
{
    static const char *const directions[] = {"in", "out", "table", "scratch"};
    ct_json_open(json, NULL, '{');
    ct_json_add_text(json, "name", port->name);
    ct_json_add_text(json, "direction", directions[port->direction]);
    ct_json_add_bool(json, "optional", (port->flags & CT_PORT_OPTIONAL) != 0);
    if (port->flags & CT_PORT_FLAGS) ct_json_add_bool(json, "flags", true);
    ct_json_add_text(json, "dims", port->dims);
    ct_json_add_text(json, "types", port->types);
    ct_json_add_text(json, "layout", port->layout);
    add_given(json, "prefer", port->prefer);
    add_given(json, "help", port->help);
    ct_json_close(json, '}');
}

static void add_param(ct_text *json, const ct_param *param)
{
    static const char *const kinds[] = {"integer", "real", "bool", "text", "file", "any"};
    const bool needed = param->otherwise && param->otherwise[0] == '!';
    ct_json_open(json, NULL, '{');
    ct_json_add_text(json, "name", param->name);
    ct_json_add_text(json, "kind", kinds[param->kind]);
    ct_json_add_bool(json, "needed", needed);
    if (!needed) add_given(json, "default", param->otherwise);
    if (param->kind == CT_PARAM_FILE && param->choices && param->choices[0] == '/')
        ct_json_add_bool(json, "folder", true);
    else
        add_given(json, param->kind == CT_PARAM_FILE ? "beside" : "choices", param->choices);
    if (param->minimum != 0 || param->maximum > param->minimum)
        ct_json_add_real(json, "minimum", param->minimum);
    if (param->maximum > param->minimum) ct_json_add_real(json, "maximum", param->maximum);
    add_given(json, "help", param->help);
    ct_json_close(json, '}');
}

static void add_tunable(ct_text *json, const ct_tunable *tunable)
{
    ct_json_open(json, NULL, '{');
    ct_json_add_text(json, "name", tunable->name);
    ct_json_add_text(json, "values", tunable->values);
    ct_json_add_text(json, "cpu", tunable->cpu);
    ct_json_add_text(json, "gpu", tunable->gpu);
    add_given(json, "help", tunable->help);
    ct_json_close(json, '}');
}

/* What may be set together: `where`, the names that it uses, and what only the stage's C can say.
 */
static void add_legal(ct_text *json, const ct_stage *stage)
{
    add_given(json, "where", stage->tuning.where);
    ct_json_open(json, "terms", '[');
    for (const ct_term *t = stage->tuning.terms; t && t->name; t++) {
        ct_json_open(json, NULL, '{');
        ct_json_add_text(json, "name", t->name);
        ct_json_add_text(json, "value", t->value);
        add_given(json, "help", t->help);
        ct_json_close(json, '}');
    }
    ct_json_close(json, ']');
    ct_json_add_bool(json, "legal", stage->tuning.legal != NULL);
    add_given(json, "legal_why", stage->tuning.legal_why);
}

static void add_tables(ct_text *json, const ct_stage *stage)
{
    ct_json_open(json, "ports", '[');
    for (int p = 0; p < CT_PORTS && stage->ports[p].name; p++)
        add_port(json, &stage->ports[p]);
    ct_json_close(json, ']');
    ct_json_open(json, "parameters", '[');
    for (const ct_param *p = stage->params; p && p->name; p++)
        add_param(json, p);
    ct_json_close(json, ']');
    ct_json_open(json, "tunables", '[');
    for (const ct_tunable *t = stage->tuning.tunables; t && t->name; t++)
        add_tunable(json, t);
    ct_json_close(json, ']');
}

static void add_stage(ct_text *json, const ct_stage *stage)
{
    static const char *const roles[] = {
        [CT_ROLE_SOURCE] = "source", [CT_ROLE_KERNEL] = "kernel", [CT_ROLE_SINK] = "sink"};
    ct_json_open(json, NULL, '{');
    ct_json_add_text(json, "name", stage->name);
    ct_json_add_int(json, "version", stage->version);
    ct_json_add_text(json, "role", roles[ct_role_of_stage(stage)]);
    add_given(json, "summary", stage->summary);
    add_tables(json, stage);
    add_legal(json, stage);
    add_given(json, "parallel", stage->kernel.parallel);
    add_given(json, "split", stage->split);
    add_given(json, "source", stage->kernel.name);
    add_given(json, "fuses", stage->fuses);
    ct_json_close(json, '}');
}

ct_status ct_describe_stages(char **out, const ct_context *context, const char *name, ct_error *err)
{
    CT_GIVEN_OUT(err, out, context);
    ct_text json = {0};
    const ct_stage *stage = name ? ct_context_stage(context, name) : NULL;
    if (name && !stage) return ct_error_add(err, CT_USAGE, "there is no stage \"%s\"", name);
    if (stage) {
        add_stage(&json, stage);
    } else {
        ct_json_open(&json, NULL, '[');
        for (size_t i = 0; (stage = ct_context_stage_at(context, i)) != NULL; i++)
            add_stage(&json, stage);
        ct_json_close(&json, ']');
    }
    ct_text_add(&json, "\n");
    return ct_text_take(out, &json, err);
}

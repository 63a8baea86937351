/* info_stage.c: a stage's descriptor as a person reads it.
 * Room: cli. Knows ct_stage. Does not know any particular stage. */
#include "cornerturn_stage.h"
#include "info.h"

#include <stdio.h>
#include <string.h>

void ct_info_list_stages(const ct_context *context)
{
    const ct_stage *stage;
    for (size_t i = 0; (stage = ct_context_stage_at(context, i)) != NULL; i++)
        printf("%-16s %s\n", stage->name, stage->summary != NULL ? stage->summary : "");
}

static const char *info_or(const char *text, const char *otherwise)
{
    return text != NULL && text[0] != 0 ? text : otherwise;
}

static void info_ports(const ct_stage *stage)
{
    static const char *const directions[] = {"in", "out", "table", "scratch"};
    printf("\nports\n  %-6s %-8s %-8s %-22s %-8s %s\n", "name", "", "dims", "types", "layout", "");
    for (int i = 0; i < CT_PORTS && stage->ports[i].name != NULL; i++) {
        const ct_port *p = &stage->ports[i];
        printf("  %-6s %-8s %-8s %-22s %-8s %s%s\n", p->name, directions[p->direction], p->dims,
               p->types, p->layout, info_or(p->help, ""),
               (p->flags & CT_PORT_OPTIONAL) != 0 ? " (optional)" : "");
    }
}

static void info_default(char *out, size_t size, const ct_param *p)
{
    if (p->otherwise == NULL)
        snprintf(out, size, "-");
    else if (strcmp(p->otherwise, "!") == 0)
        snprintf(out, size, "(needed)");
    else
        snprintf(out, size, "%s", p->otherwise);
}

static void info_params(const ct_stage *stage)
{
    static const char *const kinds[] = {"integer", "real", "bool", "text", "file", "any"};
    if (stage->params == NULL || stage->params[0].name == NULL) return;
    printf("\nparameters\n  %-14s %-8s %-10s %s\n", "name", "kind", "default", "");
    for (const ct_param *p = stage->params; p->name != NULL; p++) {
        char otherwise[32];
        info_default(otherwise, sizeof otherwise, p);
        printf("  %-14s %-8s %-10s %s", p->name, kinds[p->kind], otherwise, info_or(p->help, ""));
        if (p->choices != NULL && p->kind != CT_PARAM_FILE) printf(" (one of: %s)", p->choices);
        if (p->maximum > p->minimum)
            printf(" (%.10g to %.10g)", p->minimum, p->maximum);
        else if (p->minimum != 0.0)
            printf(" (at least %.10g)", p->minimum);
        printf("\n");
    }
}

static void info_tunables(const ct_stage *stage)
{
    if (stage->tuning.tunables == NULL || stage->tuning.tunables[0].name == NULL) return;
    printf("\ntunables\n  %-11s %-8s %-8s %-24s %s\n", "name", "cpu", "gpu", "values", "");
    for (const ct_tunable *t = stage->tuning.tunables; t->name != NULL; t++)
        printf("  %-11s %-8s %-8s %-24s %s\n", t->name, t->cpu, t->gpu, t->values,
               info_or(t->help, ""));
}

/* One condition a line, then the names that stand for parts of them, then what only C knows. */
static void info_legal(const ct_stage *stage)
{
    const char *text;
    size_t length;
    if (stage->tuning.where != NULL || stage->tuning.legal != NULL) printf("\nlegal where\n");
    for (int n = 0; (text = ct_stage_condition(stage, n, &length)) != NULL; n++)
        printf("  %.*s\n", (int)length, text);
    for (const ct_term *t = stage->tuning.terms; t != NULL && t->name != NULL; t++)
        printf("%s  %s = %s (%s)\n", t == stage->tuning.terms ? "with\n" : "", t->name, t->value,
               info_or(t->help, ""));
    if (stage->tuning.legal != NULL)
        printf("and where the stage's C says so: %s\n",
               info_or(stage->tuning.legal_why, "it does not say why"));
}

void ct_info_show_stage(const ct_stage *stage)
{
    printf("%s (version %u): %s\n", stage->name, (unsigned)stage->version,
           info_or(stage->summary, ""));
    info_ports(stage);
    info_params(stage);
    info_tunables(stage);
    info_legal(stage);
    if (stage->kernel.name != NULL) printf("\nkernel %s\n", stage->kernel.name);
}

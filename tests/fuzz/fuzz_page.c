/* fuzz_page.c: the input is the page of an own stage; after a byte of value 0 comes the text of the
 * kernel file k.cl beside it, which else is one with the kernels that the corpus names. A page that
 * is accepted gets a node by each of its cases, and one of sizes that most stages take; of what can
 * be inferred a pipeline is made, planned and written as OpenCL, without a device. Beside the page
 * are r.cl, a reference, and a.npy, numbers for a table.
 * Room: tests/fuzz. Knows core/step/step.h, cases and pipelines. Does not know the page's keys. */
#include "fuzz_step.h"

#include "emit_oneshot.h"
#include "layout.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

enum { CASES = 4, NUMBERS = 1 << 16 };

static const char kernels[] = "kernel void power(CT_ARGS)\n{\n    if (CT_OUTSIDE) return;\n}\n"
                              "kernel void fill(CT_ARGS)\n{\n}\n";
static const char fallback[] = "S=3 P=2 T=64 C=16";

void fuzz_begin(void)
{
    static const char npy[] = "\x93NUMPY\x01\0\x46\0"
                              "{'descr': '<f4', 'fortran_order': False, 'shape': (16,), }        "
                              "   \n";
    static const char right[] = "kernel void right(CT_ARGS)\n{\n}\n";
    char file[sizeof npy - 1 + 64] = "";
    memcpy(file, npy, sizeof npy - 1);
    (void)fuzz_file("a.npy", file, sizeof file);
    (void)fuzz_file("r.cl", right, sizeof right - 1);
}

/* ---- inputs */

static ct_type first_type(const char *types)
{
    char word[8] = "";
    const size_t length = strcspn(types, " ");
    if (length < sizeof word) memcpy(word, types, length);
    return ct_type_parse(word);
}

/* The extents that the port has a letter for. */
static void set_input(ct_step *step, int port, const char *extents, const char *type)
{
    const ct_port *declared = &step->stage->ports[port];
    ct_array *array = &step->port[port];
    array->type = type && port == 0 ? ct_type_parse(type) : first_type(declared->types);
    for (const char *at = extents; *at && at[1] == '='; at += strspn(at, " ")) {
        char *end = NULL;
        const long long extent = strtoll(at + 2, &end, 10);
        if (strchr(declared->dims, *at) || !strcmp(declared->dims, "*"))
            ct_array_add(array, *at, extent);
        at = end;
    }
}

/* ---- what is asked of a page that was accepted */

static void fill_table(const ct_step *step, int port)
{
    ct_error err = {0};
    ct_array fill = step->port[port];
    int64_t count = 1;
    for (int k = 0; k < fill.rank; k++)
        if (__builtin_mul_overflow(count, fill.extent[k], &count) || count > NUMBERS) return;
    const ct_layout natural = ct_layout_natural(&fill);
    ct_array_dense(&fill, &natural);
    fill.data = malloc(ct_array_bytes(&fill));
    fuzz_said(step->stage->table(step, step->stage->ports[port].name, &fill, &err), &err);
    free(fill.data);
}

/* Of numbers from a file; other tables are a kernel's, or were left out. */
static bool has_table(const ct_step *step, int port)
{
    ct_oneshot once;
    return step->stage->ports[port].direction == CT_TABLE && step->port[port].rank > 0 &&
           !ct_oneshot_fill(&once, step, port);
}

static void look_at(ct_step *step)
{
    const ct_stage *stage = step->stage;
    for (int p = 0; p < ct_step_ports(step); p++)
        if (has_table(step, p)) fill_table(step, p);
    if (stage->flops) (void)stage->flops(step);
    fuzz_step_look(step);
}

/* ---- a pipeline of sources for its inputs, the stage and a sink */

static void add_source(ct_text *out, const ct_step *step, int port)
{
    const ct_array *array = &step->port[port];
    ct_text_add(out, "\"in%d\": {\"stage\": \"source.caller\", \"type\": ", port);
    ct_text_add_json(out, ct_type_name(array->type));
    ct_text_add(out, ", \"dims\": \"%.*s\", \"sizes\": {", array->rank, array->dim);
    for (int k = 0, some = 0; k < array->rank; k++)
        if (array->dim[k] != 'T')
            ct_text_add(out, "%s\"%c\": %lld", some++ ? ", " : "", array->dim[k],
                        (long long)array->extent[k]);
    ct_text_add(out, "}},\n");
}

static bool has_input(const ct_step *step, int port)
{
    return step->stage->ports[port].direction == CT_IN && step->port[port].rank > 0;
}

static void write_pipeline(ct_text *out, const ct_step *step, const char *params)
{
    const char *members = strchr(params, '{');
    ct_text_add(out, "{\"cornerturn\": 1, \"nodes\": {\n");
    for (int p = 0; p < ct_step_ports(step); p++)
        if (has_input(step, p)) add_source(out, step, p);
    ct_text_add(out,
                "\"out\": {\"stage\": \"sink.caller\", \"input\": \"n\"},\n\"n\": {\"stage\": ");
    ct_text_add_json(out, step->stage->name);
    ct_text_add(out, ", \"input\": {");
    for (int p = 0, some = 0; p < ct_step_ports(step); p++) {
        if (!has_input(step, p)) continue;
        ct_text_add(out, "%s\"%s\": \"in%d\"", some++ ? ", " : "", step->stage->ports[p].name, p);
    }
    ct_text_add(out, "}%s%s}}", params[strspn(params, "{} \n")] ? ", " : "",
                members ? members + 1 : "");
}

static void plan(const ct_graph *graph)
{
    ct_plan *plan = NULL;
    ct_error err = {0};
    char *text = NULL;
    ct_status status = ct_plan_default(&plan, graph, NULL, &err);
    if (status == CT_OK) status = ct_plan_source(&text, plan, &err);
    fuzz_said(status, &err);
    free(text);
    ct_plan_free(plan);
}

static void try_pipeline(ct_context *context, const ct_step *step, const char *params)
{
    ct_text text = {0};
    ct_graph *graph = NULL;
    ct_error err = {0};
    char name[300];
    write_pipeline(&text, step, params);
    (void)ct_number_print(name, sizeof name, "%s/pipeline.json", fuzz_folder());
    const ct_status status = ct_graph_parse(&graph, context, text.data, name, NULL, &err);
    fuzz_said(status, &err);
    if (status == CT_OK) plan(graph);
    ct_graph_free(graph);
    ct_text_free(&text);
}

static void try_case(ct_context *context, const ct_stage *stage, const ct_case *one)
{
    ct_value *given = NULL;
    ct_step *step = NULL;
    ct_error err = {0};
    const ct_source_location location = {.folder = fuzz_folder()};
    const char *extents = one->extents && *one->extents ? one->extents : fallback;
    const char *params = one->params ? one->params : "{}";
    ct_status status = ct_value_parse(&given, params, "node", &err);
    if (status == CT_OK) status = ct_step_new(&step, stage, "node", given, NULL, &location, &err);
    for (int p = 0; status == CT_OK && p < ct_step_ports(step); p++)
        if (stage->ports[p].direction == CT_IN) set_input(step, p, extents, one->type);
    if (status == CT_OK) status = ct_step_infer(step, &err);
    fuzz_said(status, &err);
    if (status == CT_OK) look_at(step);
    if (status == CT_OK) try_pipeline(context, step, params);
    ct_step_free(step);
    ct_value_free(given);
}

static void try_stage(ct_context *context, const ct_stage *stage)
{
    const ct_case *one = stage->verify.cases;
    try_case(context, stage, &(ct_case){NULL, fallback, NULL, NULL});
    for (int i = 0; i < CASES && one && one->extents; i++)
        try_case(context, stage, one++);
}

static const ct_stage *last_stage(const ct_context *context)
{
    const ct_stage *last = NULL;
    for (size_t i = 0; ct_context_stage_at(context, i); i++)
        last = ct_context_stage_at(context, i);
    return last;
}

static void describe(const ct_context *context, const char *name)
{
    ct_error err = {0};
    char *text = NULL;
    fuzz_said(ct_describe_stages(&text, context, name, &err), &err);
    free(text);
}

void fuzz_one(const uint8_t *data, size_t size)
{
    const size_t length = strnlen((const char *)data, size);
    const bool own = length < size;
    const char *page = fuzz_file("page.json", data, length);
    ct_context *context = NULL;
    ct_error err = {0};
    (void)fuzz_file("k.cl", own ? data + length + 1 : (const uint8_t *)kernels,
                    own ? size - length - 1 : sizeof kernels - 1);
    if (ct_context_open(&context, &err) != CT_OK) fuzz_fail(err.text);
    const ct_status status = ct_context_add_file(context, page, &err);
    fuzz_said(status, &err);
    if (status == CT_OK) {
        describe(context, last_stage(context)->name);
        try_stage(context, last_stage(context));
    }
    ct_context_free(context);
}

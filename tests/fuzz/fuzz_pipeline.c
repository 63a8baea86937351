/* fuzz_pipeline.c: the input is a pipeline's text; after a byte of value 0 come settings, a line
 * each. What it makes is planned, explained and written as OpenCL, without a device. The folder has
 * a small file of each format.
 * Room: tests/fuzz. Knows cornerturn.h only. */
#include "cornerturn_stage.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { SETTINGS = 8 };

static ct_context *context;

static void forget(void)
{
    ct_context_free(context);
}

static void make_files(void)
{
    static const char npy[] = "\x93NUMPY\x01\0\x46\0"
                              "{'descr': '|i1', 'fortran_order': False, 'shape': (3, 2, 4096, 2), }"
                              " \n";
    static const char about[] =
        "{\"dims\": \"SPT\", \"type\": \"ci8\", \"sample_time_s\": 5.12e-6, "
        "\"frequency_hz\": 1.5e8}";
    const size_t head = sizeof npy - 1, numbers = 3 * 2 * 4096 * 2;
    uint8_t *file = calloc(1, head + numbers);
    memcpy(file, npy, head);
    (void)fuzz_file("a.npy", file, head + numbers);
    (void)fuzz_file("a.json", about, sizeof about - 1);
    (void)fuzz_file("a.raw", file, 8192);
    free(file);
}

void fuzz_begin(void)
{
    ct_error err = {0};
    if (ct_context_open(&context, &err) != CT_OK) fuzz_fail(err.text);
    atexit(forget);
    make_files();
}

static void look_at_plan(const ct_plan *plan)
{
    static const ct_form forms[] = {CT_FORM_TEXT, CT_FORM_JSON, CT_FORM_DOT};
    for (size_t i = 0; i <= sizeof forms / sizeof forms[0]; i++) {
        ct_error err = {0};
        char *text = NULL;
        fuzz_said(i < 3 ? ct_explain_plan(&text, plan, forms[i], &err)
                        : ct_plan_source(&text, plan, &err),
                  &err);
        free(text);
    }
}

static void look_at_graph(const ct_graph *graph)
{
    ct_plan *plan = NULL;
    ct_error err = {0}, outputs = {0};
    fuzz_said(ct_graph_check_outputs(graph, &outputs), &outputs);
    (void)ct_graph_warnings(graph);
    const ct_status status = ct_plan_default(&plan, graph, NULL, &err);
    fuzz_said(status, &err);
    if (status == CT_OK) look_at_plan(plan);
    ct_plan_free(plan);
}

void fuzz_one(const uint8_t *data, size_t size)
{
    const size_t length = strnlen((const char *)data, size);
    char *text = fuzz_text(data, length);
    char *rest = length < size ? fuzz_text(data + length + 1, size - length - 1) : NULL;
    const char *settings[SETTINGS + 1] = {NULL};
    char *line = rest, name[300];
    ct_graph *graph = NULL;
    ct_error err = {0};
    for (int i = 0; i < SETTINGS && line && *line; i++) {
        settings[i] = line;
        line = strchr(line, '\n');
        if (line) *line++ = 0;
    }
    (void)ct_number_print(name, sizeof name, "%s/pipeline.json", fuzz_folder());
    const ct_status status = ct_graph_parse(&graph, context, text, name, settings, &err);
    fuzz_said(status, &err);
    if (status == CT_OK) look_at_graph(graph);
    ct_graph_free(graph);
    free(rest);
    free(text);
}

/* fuzz_plan.c: the input is a plan's file for one of two pipelines, which its first byte that is no
 * blank chooses: "[" the second one, and the rest is the plan. What is loaded is saved, and that
 * loaded again.
 * Room: tests/fuzz. Knows cornerturn.h only. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const pipelines[] = {
    "{ 'cornerturn': 1, 'block': { 'T': 768 }, 'nodes': {"
    " 'sky': { 'stage': 'source.simulate', 'stations': 3, 'samples': 4608 },"
    " 'fir': { 'stage': 'fir', 'input': 'sky', 'channels': 6, 'taps': 3 },"
    " 'fft': { 'stage': 'fft', 'input': 'fir' },"
    " 'beams': { 'stage': 'beamformer', 'input': 'fft', 'directions': [[40, 60], [10, 80]],"
    "            'positions': [[0, 0, 0], [30, 0, 0], [0, 40, 0]] },"
    " 'power': { 'stage': 'detect', 'input': 'beams' },"
    " 'dd': { 'stage': 'dedisp', 'input': 'power', 'dm': { 'step': 0.5, 'count': 5 } },"
    " 'vis': { 'stage': 'correlator', 'input': 'fft', 'integrate': 16 },"
    " 'fringes': { 'stage': 'sink.npy', 'input': 'vis', 'file': '1.npy', 'layout': 'CTLQ' },"
    " 'spectra': { 'stage': 'sink.npy', 'input': 'fft', 'file': '2.npy', 'layout': 'CTSP' },"
    " 'series': { 'stage': 'sink.npy', 'input': 'dd', 'file': '3.npy' } } }",
    "{ 'cornerturn': 1, 'nodes': {"
    " 'sky': { 'stage': 'source.simulate', 'stations': 3, 'samples': 4096, 'layout': 'SPT' },"
    " 'fir': { 'stage': 'fir', 'input': 'sky', 'channels': 8, 'taps': 4,"
    "          'tunables': { 'TILE_T': 4, 'CELL_T': 4 } },"
    " 'turn': { 'stage': 'transpose', 'input': 'fir', 'layout': { 'write': 'CTSP' } },"
    " 'out': { 'stage': 'sink.npy', 'input': 'turn', 'file': '1.npy' } } }"};

enum { PIPELINES = sizeof pipelines / sizeof pipelines[0] };

static ct_context *context;
static ct_graph *graphs[PIPELINES];

static void forget(void)
{
    for (int i = 0; i < PIPELINES; i++)
        ct_graph_free(graphs[i]);
    ct_context_free(context);
}

/* FUZZ_SEEDS: a folder in which the two default plans are left, for a corpus. */
static void save_seed(int i)
{
    char name[512];
    ct_plan *plan = NULL;
    ct_error err = {0};
    if (!getenv("FUZZ_SEEDS")) return;
    snprintf(name, sizeof name, "%s/plan%d", getenv("FUZZ_SEEDS"), i);
    if (ct_plan_default(&plan, graphs[i], NULL, &err) != CT_OK ||
        ct_plan_save(plan, name, &err) != CT_OK)
        fuzz_fail(err.text);
    ct_plan_free(plan);
}

void fuzz_begin(void)
{
    ct_error err = {0};
    if (ct_context_open(&context, &err) != CT_OK) fuzz_fail(err.text);
    atexit(forget);
    for (int i = 0; i < PIPELINES; i++) {
        char *text = fuzz_json(pipelines[i]);
        if (ct_graph_parse(&graphs[i], context, text, "pipeline.json", NULL, &err) != CT_OK)
            fuzz_fail(err.text);
        free(text);
        save_seed(i);
    }
}

static void look_at(const ct_plan *plan, const ct_graph *graph)
{
    char name[512], *text = NULL;
    ct_error err = {0};
    ct_plan *again = NULL;
    fuzz_said(ct_plan_source(&text, plan, &err), &err);
    free(text);
    fuzz_said(ct_explain_plan(&text, plan, CT_FORM_JSON, &err), &err);
    free(text);
    snprintf(name, sizeof name, "%s/again.json", fuzz_folder());
    if (ct_plan_save(plan, name, &err) != CT_OK ||
        ct_plan_load(&again, graph, name, NULL, &err) != CT_OK)
        fuzz_fail(err.text);
    ct_plan_free(again);
}

void fuzz_one(const uint8_t *data, size_t size)
{
    const int which = size > 0 && data[0] == '[';
    const char *file = fuzz_file("plan.json", data + which, size - (size_t)which);
    ct_plan *plan = NULL;
    ct_error err = {0};
    const ct_status status = ct_plan_load(&plan, graphs[which], file, NULL, &err);
    fuzz_said(status, &err);
    if (status == CT_OK) look_at(plan, graphs[which]);
    ct_plan_free(plan);
}

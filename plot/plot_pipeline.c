/* plot_pipeline.c: a pipeline as a graph: a box for each step, inserted transposes too, and on the
 * arrows the arrays between them; of a run that has been measured, each step's time.
 * Room: plot. Knows plans. Does not know how they are chosen. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "file.h"
#include "plan.h"
#include "plot_inner.h"
#include "plot_layers.h"

enum { BOX_WIDTH = 196, BOX_HEIGHT = 54, COLUMN = 300, ROW = 128, MARGIN = 40, HEAD = 60 };
enum { LEAST_WIDTH = 640 }; /* of a picture: its title has to fit */

typedef struct flow {
    const ct_plan *plan;
    ct_value *times; /* of a trace or stats; NULL none */
    double all_s, signal_s;
    ct_layers layers;
    int *edge; /* [lines] */
    ct_canvas *canvas;
} flow;

/* ---- times */

/* The whole file, or its last line that is one: stats have a line every 5 seconds. */
static ct_status load_times(ct_value **out, const char *file, ct_error *err)
{
    ct_status status = CT_OK;
    char *text = NULL;
    size_t length = 0;
    CT_TRY(ct_file_read(&text, &length, file, err));
    if (ct_value_parse(out, text, file, NULL) != CT_OK) {
        while (length > 0 && strchr("\n\r ", text[length - 1]))
            text[--length] = 0;
        const char *line = strrchr(text, '\n');
        status = ct_value_parse(out, line ? line + 1 : text, file, err);
    }
    if (status == CT_INVALID) status = CT_DATA;
    CT_TRY(status);
    if (ct_value_count(ct_value_get(*out, "steps")) == 0)
        CT_TRY(ct_error_add(
            err, CT_DATA,
            "%s: expected what 'run --trace --json' prints, or a file of 'run --stats': "
            "it has no \"steps\"",
            file));
out:
    ct_memory_free(text);
    return status;
}

static double seconds_of(const flow *of, const char *name)
{
    const ct_value *steps = ct_value_get(of->times, "steps");
    if (ct_value_kind(steps) == CT_OBJECT) return ct_value_real(ct_value_get(steps, name), NAN);
    for (size_t i = 0; i < ct_value_count(steps); i++) {
        const ct_value *one = ct_value_at(steps, i);
        if (strcmp(ct_value_text(ct_value_get(one, "name"), ""), name) == 0)
            return ct_value_real(ct_value_get(one, "seconds"), NAN);
    }
    return NAN;
}

static void sum_times(flow *of, ct_text *said)
{
    int known = 0;
    for (int s = 0; s < of->plan->count; s++) {
        const double seconds = seconds_of(of, of->plan->steps[s].name);
        if (!isfinite(seconds)) continue;
        of->all_s += seconds;
        known++;
    }
    const double blocks = ct_value_real(ct_value_get(of->times, "blocks"), NAN);
    of->signal_s =
        ct_value_real(ct_value_get(of->times, "signal_s"), blocks * of->plan->graph->block_s);
    if (of->times && known < of->plan->count)
        ct_text_add(said, "%d of %d steps have a time: the others are not in that file\n", known,
                    of->plan->count);
}

/* ---- drawing */

static ct_box box_of(const flow *of, int place)
{
    const double middle = MARGIN + COLUMN * of->layers.wide / 2;
    return (ct_box){middle + COLUMN * of->layers.at[place] - BOX_WIDTH / 2.0,
                    HEAD + (double)ROW * of->layers.layer[place], BOX_WIDTH, BOX_HEIGHT};
}

/* As much of a text as fits into a box. */
static void fit(char out[64], const char *text)
{
    enum { LETTERS = BOX_WIDTH / 7 - 1 };
    if (strlen(text) <= LETTERS)
        snprintf(out, 64, "%s", text);
    else
        snprintf(out, 64, "%.*s...", LETTERS - 3, text);
}

static void draw_step(const flow *of, int s)
{
    const ct_plan_step *at = &of->plan->steps[s];
    const ct_stage *stage = at->step->stage;
    const bool ends = stage->io.read || stage->io.write;
    const ct_box box = box_of(of, s);
    const double middle = box.x + box.width / 2, seconds = seconds_of(of, at->name);
    const bool timed = isfinite(seconds) && of->all_s > 0;
    char text[64];
    ct_canvas_box(of->canvas, box,
                  at->node < 0 ? CT_COLOUR_TURN
                  : ends       ? CT_COLOUR_ENDS
                               : CT_COLOUR_STAGE,
                  CT_COLOUR_INK);
    fit(text, at->name);
    ct_canvas_text(of->canvas, middle, box.y + (timed ? 16 : 23), CT_ANCHOR_MIDDLE, false,
                   CT_COLOUR_INK, text);
    fit(text, stage->name);
    ct_canvas_text(of->canvas, middle, box.y + (timed ? 31 : 40), CT_ANCHOR_MIDDLE, false,
                   CT_COLOUR_GREY, text);
    if (!timed) return;
    const double part = seconds / of->all_s;
    ct_canvas_box(of->canvas, (ct_box){box.x, box.y + BOX_HEIGHT - 5, BOX_WIDTH * part, 5},
                  CT_COLOUR_SECOND, CT_COLOUR_NONE);
    if (of->signal_s > 0)
        ct_canvas_print(of->canvas, middle, box.y + 46, CT_ANCHOR_MIDDLE, CT_COLOUR_INK,
                        "%.1f %%, %.3g s per s", 100 * part, seconds / of->signal_s);
    else
        ct_canvas_print(of->canvas, middle, box.y + 46, CT_ANCHOR_MIDDLE, CT_COLOUR_INK,
                        "%.1f %%, %.3g s", 100 * part, seconds);
}

/* Beside the arrow's head, on the side that the line does not come from. */
static void label_edge(const flow *of, const ct_edge *edge, double x, double y, bool left)
{
    const ct_anchor anchor = left ? CT_ANCHOR_END : CT_ANCHOR_START;
    const double at = x + (left ? -9 : 9);
    char sizes[160] = "";
    size_t used = 0;
    const ct_array *array = &edge->array;
    for (int i = 0; i < array->rank && used < sizeof sizes; i++)
        used += (size_t)ct_number_print(sizes + used, sizeof sizes - used, "%s%c=%lld",
                                        i ? " " : "", array->dim[i], (long long)array->extent[i]);
    const char *prefix = "";
    const double bytes = (double)ct_array_bytes(array);
    const double factor = bytes >= 1000 ? ct_plot_prefix(bytes, &prefix) : 1;
    ct_canvas_print(of->canvas, at, y - 39, anchor, CT_COLOUR_INK, "%s %s", array->layout.dim,
                    ct_type_name(array->type));
    ct_canvas_text(of->canvas, at, y - 25, anchor, false, CT_COLOUR_GREY, sizes);
    ct_canvas_print(of->canvas, at, y - 11, anchor, CT_COLOUR_GREY, "%.4g %sB", bytes * factor,
                    prefix);
}

static void draw_line(const flow *of, int l)
{
    const ct_layers_line *line = &of->layers.line[l];
    const int between = of->layers.layer[line->to] - of->layers.layer[line->from] - 1;
    const ct_box from = box_of(of, line->from), to = box_of(of, line->to);
    double x = from.x + BOX_WIDTH / 2.0, y = from.y + BOX_HEIGHT;
    for (int k = 0; k <= between; k++) {
        const ct_box next = k < between ? box_of(of, line->first + k) : to;
        const double nx = next.x + BOX_WIDTH / 2.0, ny = next.y;
        ct_canvas_stroke(of->canvas, x, y, nx, ny, CT_COLOUR_GREY);
        if (k < between) ct_canvas_stroke(of->canvas, nx, ny, nx, ny + BOX_HEIGHT, CT_COLOUR_GREY);
        if (k == between) {
            const double far = hypot(nx - x, ny - y), ux = (nx - x) / far, uy = (ny - y) / far;
            ct_canvas_stroke(of->canvas, nx, ny, nx - 8 * ux - 4 * uy, ny - 8 * uy + 4 * ux,
                             CT_COLOUR_INK);
            ct_canvas_stroke(of->canvas, nx, ny, nx - 8 * ux + 4 * uy, ny - 8 * uy - 4 * ux,
                             CT_COLOUR_INK);
            label_edge(of, &of->plan->edges[of->edge[l]], nx, ny, nx < x - 1);
        }
        x = nx;
        y = ny + BOX_HEIGHT;
    }
}

/* ---- the graph */

static ct_status find_lines(flow *of, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t most = (size_t)of->plan->count * CT_PORTS;
    of->layers.boxes = of->plan->count;
    of->layers.line = ct_memory_get(most * sizeof *of->layers.line);
    CT_NEED(of->layers.line, most * sizeof *of->layers.line, err);
    of->edge = ct_memory_get(most * sizeof *of->edge);
    CT_NEED(of->edge, most * sizeof *of->edge, err);
    for (int s = 0; s < of->plan->count; s++)
        for (int p = 0; p < CT_PORTS && of->plan->steps[s].step->stage->ports[p].name; p++) {
            const int e = of->plan->steps[s].edge[p];
            if (e < 0 || of->plan->steps[s].step->stage->ports[p].direction != CT_IN) continue;
            const int from = of->plan->edges[e].from;
            if (from < 0 || from >= s) continue;
            of->edge[of->layers.lines] = e;
            of->layers.line[of->layers.lines++] = (ct_layers_line){.from = from, .to = s};
        }
out:
    return status;
}

static ct_status draw_flow(flow *of, ct_plot *plot, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_graph *graph = of->plan->graph;
    char title[200], below[200] = "";
    CT_TRY(find_lines(of, err));
    CT_TRY(ct_layers_make(&of->layers, err));
    ct_number_print(title, sizeof title, "%d steps, blocks of %lld samples", of->plan->count,
                    (long long)graph->block);
    if (graph->block_s > 0)
        ct_number_print(title, sizeof title, "%d steps, blocks of %lld samples (%.4g s)",
                        of->plan->count, (long long)graph->block, graph->block_s);
    if (of->all_s > 0)
        ct_number_print(below, sizeof below, "each step's part of %.4g s of all of them%s",
                        of->all_s,
                        of->signal_s > 0 ? ", and its seconds per second of signal" : "");
    const double width = fmax(2 * MARGIN + COLUMN * of->layers.wide, LEAST_WIDTH);
    CT_TRY(ct_canvas_open(&of->canvas, plot->out, (int)width,
                          HEAD + ROW * of->layers.depth - ROW + BOX_HEIGHT + MARGIN, err));
    (void)ct_plot_title(of->canvas, plot, title, below);
    for (int l = 0; l < of->layers.lines; l++)
        draw_line(of, l);
    for (int s = 0; s < of->plan->count; s++)
        draw_step(of, s);
    CT_TRY(ct_canvas_save(of->canvas, err));
out:
    return status;
}

ct_status ct_plot_pipeline(ct_plot *plot, ct_error *err)
{
    ct_status status = CT_OK;
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    flow of = {0};
    CT_TRY(ct_graph_load(&graph, plot->context, plot->file, NULL, err));
    if (plot->options->plan)
        CT_TRY(ct_plan_load(&plan, graph, plot->options->plan, NULL, err));
    else
        CT_TRY(ct_plan_default(&plan, graph, NULL, err));
    if (plot->options->trace) CT_TRY(load_times(&of.times, plot->options->trace, err));
    of.plan = plan;
    sum_times(&of, &plot->said);
    CT_TRY(draw_flow(&of, plot, err));
out:
    ct_canvas_free(of.canvas);
    ct_layers_free(&of.layers);
    ct_memory_free(of.edge);
    ct_value_free(of.times);
    ct_plan_free(plan);
    ct_graph_free(graph);
    return status;
}

/* stand_in.c: see stand_in.h. Room: cli. Knows what a source.caller is told, and the lines of a
 * plan's file. Does not know how packets come. */
#include "stand_in.h"
#include "cornerturn_stage.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { STAND_IN_LINE = 8192 };

static bool stand_in_listens(const ct_step *step)
{
    bool listens = false;
    for (const ct_param *param = step->stage->params; param != NULL && param->name; param++)
        if (strcmp(param->name, "listen") == 0 || strcmp(param->name, "key") == 0)
            listens = listens || ct_step_value(step, param->name) != NULL;
    return listens && step->stage->io.read != NULL;
}

/* ---- its text */

typedef struct stand_in_text {
    char *data;
    size_t used; /* CT_STAND_IN_TEXT: it was too long */
} stand_in_text;

static void stand_in_add(stand_in_text *to, const char *format, ...) CT_PRINTF(2, 3);
static void stand_in_add(stand_in_text *to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const size_t left = CT_STAND_IN_TEXT - to->used;
    const int length = ct_number_print_args(to->data + to->used, left, format, args);
    to->used = length < 0 || (size_t)length >= left ? CT_STAND_IN_TEXT : to->used + (size_t)length;
    va_end(args);
}

static void stand_in_add_real(stand_in_text *to, const char *before, double value)
{
    char number[CT_NUMBER_TEXT];
    stand_in_add(to, "%s%s", before, ct_number_shortest(number, value, false));
}

static void stand_in_add_shape(stand_in_text *to, const ct_array *y)
{
    const char *comma = "";
    stand_in_add(to, ", \"dims\": \"%s\", \"type\": \"%s\", \"sizes\": {", y->dim,
                 ct_type_name(y->type));
    for (int k = 0; k < y->rank; k++) {
        if (y->dim[k] == 'T') continue;
        stand_in_add(to, "%s\"%c\": %lld", comma, y->dim[k], (long long)y->extent[k]);
        comma = ", ";
    }
    stand_in_add(to, "}");
    if (y->meta.total > 0) stand_in_add(to, ", \"samples\": %lld", (long long)y->meta.total);
}

static void stand_in_add_meta(stand_in_text *to, const ct_meta *meta)
{
    const bool list = meta->frequencies > 1;
    if (meta->sample_time_s > 0)
        stand_in_add_real(to, ", \"sample_time_s\": ", meta->sample_time_s);
    if (meta->start_mjd > 0) stand_in_add_real(to, ", \"start_mjd\": ", meta->start_mjd);
    if (meta->start_mjd > 0) stand_in_add_real(to, ", \"start_s\": ", meta->start_s);
    if (meta->frequency_hz != NULL) {
        stand_in_add(to, ", \"frequency_hz\": %s", list ? "[" : "");
        for (int64_t n = 0; n < meta->frequencies; n++)
            stand_in_add_real(to, n > 0 ? ", " : "", meta->frequency_hz[n]);
        stand_in_add(to, "%s", list ? "]" : "");
    }
    if (meta->channel_width_hz > 0)
        stand_in_add_real(to, ", \"channel_width_hz\": ", meta->channel_width_hz);
}

/* What the pipeline's file pins of the node. */
static void stand_in_add_layout(stand_in_text *to, const ct_value *node)
{
    const ct_value *layout = ct_value_get(node, "layout");
    const char *order = ct_value_text(ct_value_get(layout, "write"), ct_value_text(layout, NULL));
    if (order != NULL) stand_in_add(to, ", \"layout\": \"%s\"", order);
}

static bool stand_in_print(char *out, const ct_step *step, const ct_value *pipeline)
{
    stand_in_text to = {.data = out};
    stand_in_add(&to, "+%s={\"stage\": \"source.caller\"", step->name);
    stand_in_add_shape(&to, &step->port[0]);
    stand_in_add_meta(&to, &step->port[0].meta);
    stand_in_add_layout(&to, ct_value_get(ct_value_get(pipeline, "nodes"), step->name));
    stand_in_add(&to, "}");
    return to.used < CT_STAND_IN_TEXT;
}

static bool stand_in_is_of(const char *setting, const ct_graph *graph)
{
    const ct_step *step;
    bool of = false;
    for (size_t n = 0; (step = ct_graph_step_at(graph, n)) != NULL; n++) {
        const size_t length = strlen(step->name);
        of = of || (stand_in_listens(step) && strncmp(setting, step->name, length) == 0 &&
                    setting[length] == '.');
    }
    return of;
}

bool ct_stand_in_make(ct_stand_in *out, const ct_pipeline *p, const char *const *given)
{
    const ct_step *step;
    ct_value *pipeline = NULL;
    bool fits = true;
    int count = 0;
    (void)ct_value_load(&pipeline, p->file, NULL);
    for (size_t n = 0; (step = ct_graph_step_at(p->graph, n)) != NULL; n++) {
        if (!stand_in_listens(step)) continue;
        fits = fits && count < CT_STAND_INS && stand_in_print(out->text[count], step, pipeline);
        if (fits) out->settings[count] = out->text[count];
        count += fits;
    }
    for (; *given != NULL; given++)
        if (!stand_in_is_of(*given, p->graph)) out->settings[count++] = *given;
    out->settings[count] = NULL;
    ct_value_free(pipeline);
    return fits;
}

/* ---- back again */

/* The line of the file that follows one that begins like this (`next`), or is it. */
static bool stand_in_find(char line[STAND_IN_LINE], const char *file, const char *start, bool next)
{
    FILE *from = fopen(file, "r");
    bool found = false;
    while (from != NULL && !found && fgets(line, STAND_IN_LINE, from) != NULL)
        found = strncmp(line, start, strlen(start)) == 0;
    if (found && next) found = fgets(line, STAND_IN_LINE, from) != NULL;
    if (from != NULL) fclose(from);
    return found;
}

/* Whether a line begins a node that listens. */
static bool stand_in_is_node(const char *line, const ct_graph *graph)
{
    const ct_step *step;
    char start[128];
    for (size_t n = 0; (step = ct_graph_step_at(graph, n)) != NULL; n++) {
        snprintf(start, sizeof start, "    \"%s\": {\n", step->name);
        if (stand_in_listens(step) && strcmp(line, start) == 0) return true;
    }
    return false;
}

bool ct_stand_in_back(const ct_pipeline *p, const char *to, const char *from, const char *own)
{
    static const char block[] = "  \"block\": {";
    char line[STAND_IN_LINE], before[STAND_IN_LINE] = "";
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    bool good = in != NULL && out != NULL;
    while (good && fgets(line, sizeof line, in) != NULL) {
        char was[STAND_IN_LINE];
        memcpy(was, line, sizeof was);
        if (strncmp(line, block, sizeof block - 1) == 0)
            good = stand_in_find(line, own, block, false);
        if (stand_in_is_node(before, p->graph)) good = stand_in_find(line, own, before, true);
        good = good && fputs(line, out) != EOF;
        memcpy(before, was, sizeof before);
    }
    if (in != NULL) fclose(in);
    if (out != NULL && fclose(out) != 0) good = false;
    return good;
}

/* workload.c: a step from one workload of the list, with preferred layouts and default tunables.
 * Room: tuner/bench. Knows stages only by name, as a pipeline does. */
#include "workload.h"

#include "fail.h"
#include "layout.h"
#include "padding.h"
#include "text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 32 };

bool ct_workload_is(const ct_workload *work, const char *size, const char *name)
{
    const size_t length = strlen(work->size);
    if (strncmp(size, work->size, length) != 0) return false;
    if (size[length] != '\0' && strcmp(size + length, CT_WORKLOAD_ODD) != 0) return false;
    return name == NULL || strcmp(work->name, name) == 0 || strcmp(work->stage, name) == 0;
}

/* Adds a word to a list that ends with NULL, once. */
static void workload_name(const char *names[NAMES], const char *word)
{
    int i = 0;
    while (names[i] != NULL && strcmp(names[i], word) != 0)
        i++;
    if (i + 1 < NAMES) names[i] = word;
}

static ct_status workload_unknown(const char *what, const char *word,
                                  const char *const names[NAMES], ct_error *err)
{
    const char *near = ct_suggest_nearest(word, names);
    ct_text list = {0};
    for (int i = 0; names[i] != NULL; i++)
        ct_text_add(&list, "%s%s", i > 0 ? ", " : "", names[i]);
    if (near != NULL)
        ct_error_add(err, CT_USAGE,
                     "bench: expected %s, one of %s, found \"%s\"; did you mean \"%s\"?", what,
                     list.data, word, near);
    else
        ct_error_add(err, CT_USAGE, "bench: expected %s, one of %s, found \"%s\"", what, list.data,
                     word);
    ct_text_free(&list);
    return CT_USAGE;
}

ct_status ct_workload_check(const char *size, const char *name, ct_error *err)
{
    const char *sizes[NAMES] = {NULL}, *names[NAMES] = {NULL};
    bool found = false;
    for (int i = 0; ct_workload_at(i) != NULL; i++) {
        const ct_workload *work = ct_workload_at(i);
        workload_name(sizes, work->size);
        found = found || ct_workload_is(work, size, name);
        if (!ct_workload_is(work, size, NULL)) continue;
        workload_name(names, work->stage);
        workload_name(names, work->name);
    }
    if (found) return CT_OK;
    if (names[0] == NULL) return workload_unknown("a size", size, sizes, err);
    return workload_unknown("a stage", name, names, err);
}

/* ---------------------------------------------------------------- parameters */

/* Stations on a spiral within 2 km, beams over the upper half of the sky. */
static void workload_geometry(ct_text *text, int64_t stations, int beams)
{
    ct_text_add(text, "{\"positions\": [");
    for (int64_t s = 0; s < stations; s++)
        ct_text_add(text, "%s[%lld, %lld, 0]", s > 0 ? ", " : "",
                    (long long)(s * 137 % 2000 - 1000), (long long)(s * 311 % 2000 - 1000));
    ct_text_add(text, "], \"directions\": [");
    for (int b = 0; b < beams; b++)
        ct_text_add(text, "%s[%d, %g]", b > 0 ? ", " : "", b * 137 % 360, 30 + 60.0 * b / beams);
    ct_text_add(text, "]}");
}

/* "[[0], [1e-2]]" begins at `list`: so many of its members, from the first one again after the
 * last. Returns where the list ends. */
static const char *workload_repeat(ct_text *text, const char *list, int64_t stations)
{
    const char *member = list + 1, *end = member;
    for (int64_t s = 0; s < stations; s++) {
        if (*member != '[') member = list + 1;
        end = member + strcspn(member, "]") + 1;
        ct_text_add(text, "%s%.*s", s > 0 ? ", " : "[", (int)(end - member), member);
        member = end + strspn(end, ", ");
    }
    ct_text_add(text, "]");
    return strstr(list, "]]") + 2;
}

/* Parameters that follow the input's counts. */
static void workload_fill(ct_text *text, const char *params, const ct_array *input)
{
    for (const char *at = params; *at != '\0';)
        if (*at == '$') {
            ct_text_add(text, "%lld", (long long)ct_array_extent(input, at[1]));
            at += 2;
        } else if (strncmp(at, "[[", 2) == 0) {
            at = workload_repeat(text, at, ct_array_extent(input, 'S'));
        } else {
            ct_text_add(text, "%c", *at++);
        }
}

static ct_status workload_params(ct_value **given, const ct_workload *work, const ct_array *input,
                                 ct_error *err)
{
    ct_text text = {0};
    if (work->beams > 0)
        workload_geometry(&text, ct_array_extent(input, 'S'), work->beams);
    else
        workload_fill(&text, work->params, input);
    ct_status status = ct_text_check(&text, err);
    if (status == CT_OK) status = ct_value_parse(given, text.data, work->name, err);
    ct_text_free(&text);
    return status;
}

/* ---------------------------------------------------------------- the input */

/* "S=64 P=2 T=512": the list's own texts, so they are right. */
static void workload_input(ct_array *input, const ct_workload *work)
{
    *input = (ct_array){.type = ct_type_parse(work->type)};
    for (const char *at = work->extents; *at != '\0'; at += strspn(at, " ")) {
        char *end;
        ct_array_add(input, *at, strtoll(at + 2, &end, 10));
        at = end;
    }
}

static void workload_meta(ct_step *step, const ct_workload *work)
{
    ct_meta *meta = &step->port[0].meta;
    int64_t channels = ct_array_extent(&step->port[0], 'C');
    double *frequency = ct_step_alloc(step, sizeof *frequency * (size_t)channels);
    if (!frequency) return; /* the step knows */
    meta->channel_width_hz = work->width_hz > 0 ? work->width_hz : 195312.5 / (double)channels;
    for (int64_t c = 0; c < channels; c++)
        frequency[c] =
            (work->low_hz > 0 ? work->low_hz : 150e6) + meta->channel_width_hz * (double)c;
    meta->frequency_hz = frequency;
    meta->frequencies = channels;
    meta->sample_time_s = work->sample_s > 0 ? work->sample_s : 5.12e-6;
    meta->total = -1;
}

/* ---------------------------------------------------------------- layouts */

/* As in a pipeline that links nothing to what is optional: other inputs and outputs are left out,
 * flags accompany the data, but where only an output that nobody reads would need them. */
static void workload_leave_out(ct_step *step)
{
    bool unread = false;
    for (int i = 1; i < ct_step_ports(step); i++) {
        const ct_port *port = &step->stage->ports[i];
        bool edge = port->direction == CT_IN || port->direction == CT_OUT;
        if (!edge || !(port->flags & CT_PORT_OPTIONAL) || (port->flags & CT_PORT_FLAGS)) continue;
        if (port->direction == CT_OUT) unread = true;
        step->port[i].type = CT_NONE;
    }
    for (int i = 1; i < ct_step_ports(step); i++)
        if (unread && (step->stage->traits & CT_STAGE_LEAVES_OUT) &&
            ct_port_takes_flags(&step->stage->ports[i]))
            step->port[i].type = CT_NONE;
}

static void workload_flags(ct_step *step)
{
    for (int i = 1; i < ct_step_ports(step); i++)
        if (ct_port_takes_flags(&step->stage->ports[i]))
            step->port[i] = ct_step_flags(step, i, false);
}

static ct_status workload_layout(ct_step *step, int port, ct_error *err)
{
    const ct_port *declared = &step->stage->ports[port];
    const bool same = declared->layout != NULL && declared->layout[0] == '=';
    char own[CT_STEP_PATTERN];
    ct_layout wish = ct_step_prefer(step, port);
    if (same) wish = step->port[ct_step_find_port(step, declared->layout + 1)].layout;
    wish = ct_layout_fit(&step->port[port], same ? "*" : ct_step_pattern(step, port, own), &wish);
    return ct_step_set_layout(step, port, &wish, err);
}

void ct_workload_pad(ct_step *step)
{
    for (int i = 0; i < ct_step_ports(step); i++)
        if (step->stage->ports[i].direction != CT_TABLE && step->port[i].type != CT_NONE)
            ct_padding_set(&step->port[i]);
}

ct_status ct_workload_step(ct_step **out, ct_value **given, ct_context *context,
                           const ct_workload *work, const ct_device *device, ct_error *err)
{
    ct_status status = CT_OK;
    ct_step *step = NULL;
    ct_array input;
    const ct_stage *stage = ct_context_stage(context, work->stage);
    *given = NULL;
    *out = NULL;
    if (stage == NULL) return ct_error_add(err, CT_USAGE, "bench: no stage \"%s\"", work->stage);
    workload_input(&input, work);
    CT_TRY(workload_params(given, work, &input, err));
    CT_TRY(ct_step_new(&step, stage, work->name, *given, NULL, NULL, err));
    ct_step_set_device(step, device);
    step->port[0] = input;
    workload_meta(step, work);
    workload_flags(step);
    CT_TRY(ct_step_infer(step, err));
    ct_step_extend(step);
    workload_leave_out(step);
    for (int i = 0; i < ct_step_ports(step); i++)
        if (step->port[i].type != CT_NONE) CT_TRY(workload_layout(step, i, err));
    ct_workload_pad(step);
    ct_step_default_tunables(step);
    *out = step;
    step = NULL;
out:
    ct_step_free(step);
    return status;
}

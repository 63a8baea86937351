/* emit_launches.c: the launches of a step, and the text of several kernels, before each of which
 * stand its own places. Room: core/emit. Knows where a kernel begins. Does not know what it does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit_inner.h"
#include "fail.h"
#include "kernels.h"
#include "text.h"

int ct_emit_range_count(const ct_step *step)
{
    const ct_stage_launch *launches = step->stage->kernel.launches;
    int count = 0;
    while (launches && launches[count].entry)
        count++;
    if (launches) return count;
    return !step->stage->kernel.launch || step->stage->kernel.parallel;
}

ct_status ct_emit_range_at(ct_range *out, const ct_step *step, int n, ct_error *err)
{
    const ct_stage_launch *launches = step->stage->kernel.launches;
    if (!launches) return ct_emit_range(out, step, err);
    return ct_emit_range_of(out, step, 0, launches[n].parallel, true, err);
}

static int ask_stage(const ct_step *step, ct_launch out[CT_LAUNCHES], ct_error *err)
{
    const int count = step->stage->kernel.launch(step, out);
    if (count < 0)
        (void)ct_step_fail(step, NULL, err, "stage %s has no launches here, and does not say why",
                           step->stage->name);
    return count;
}

int ct_emit_launches(const ct_step *step, ct_launch out[CT_LAUNCHES], ct_error *err)
{
    ct_range range;
    const ct_stage_launch *launches = step->stage->kernel.launches;
    const int count = ct_emit_range_count(step);
    memset(out, 0, sizeof(ct_launch) * CT_LAUNCHES);
    if (step->stage->kernel.launch) return ask_stage(step, out, err);
    for (int n = 0; n < count; n++) {
        if (ct_emit_range_at(&range, step, n, err) != CT_OK) return -1;
        ct_emit_range_launch(&out[n], &range);
        if (launches) out[n].entry = launches[n].entry;
    }
    return count;
}

/* Known local sizes let the compiler drop what only larger groups need. */
void ct_emit_group(ct_text *text, const ct_launch *launch)
{
    const size_t *local = launch->local;
    if (!local[0]) {
        ct_text_add(text, "#define CT_GROUP\n");
        return;
    }
    ct_text_add(text, "#define CT_GROUP __attribute__((reqd_work_group_size(%zu, %zu, %zu)))\n",
                local[0], local[1], local[2]);
}

/* ---- several kernels in one text */

typedef struct place {
    char file[128];
    int line;
} place;

/* Whether a line is `#line 7 "x.cl"`. */
static bool is_line(const char *at, place *out)
{
    char *end;
    if (strncmp(at, "#line ", 6) != 0) return false;
    const long line = strtol(at + 6, &end, 10);
    if (end[0] != ' ' || end[1] != '"') return false;
    out->line = (int)line - 1;
    snprintf(out->file, sizeof out->file, "%.*s", (int)strcspn(end + 2, "\"\n"), end + 2);
    return true;
}

/* Moves a place from one point of the text to a later one. */
static void move_place(place *at, const char *from, const char *to)
{
    for (; from < to; from++) {
        if (*from != '\n') continue;
        at->line++;
        (void)is_line(from + 1, at);
    }
}

static int launch_of(const ct_step *step, const ct_kernel *kernel)
{
    const ct_stage_launch *launches = step->stage->kernel.launches;
    for (int n = 0; launches && launches[n].entry; n++)
        if (strlen(launches[n].entry) == kernel->length &&
            !strncmp(launches[n].entry, kernel->name, kernel->length))
            return n;
    return -1;
}

/* A kernel that is launched twice has the places of the first. */
static ct_status add_places(ct_text *text, const ct_step *step, int n, ct_error *err)
{
    ct_status status = CT_OK;
    ct_range range, own;
    ct_launch launch = {0};
    CT_TRY(ct_emit_range_at(&own, step, n, err));
    ct_text_add(text, "\n#undef CT_OUTSIDE\n#undef CT_GROUP\n");
    for (int k = 0; k < ct_emit_range_count(step); k++) {
        CT_TRY(ct_emit_range_at(&range, step, k, err));
        for (char letter = 'A'; letter <= 'Z'; letter++)
            if (ct_emit_range_has(&range, letter)) ct_text_add(text, "#undef ID_%c\n", letter);
    }
    ct_emit_range_launch(&launch, &own);
    ct_emit_ids(text, &own);
    ct_emit_group(text, &launch);
out:
    return status;
}

ct_status ct_emit_kernels(ct_text *text, const ct_step *step, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_stage *stage = step->stage;
    const char *name = stage->kernel.name ? stage->kernel.name : stage->name;
    const char *at = stage->kernel.text, *from = stage->kernel.text;
    place here = {.line = 1};
    ct_kernel kernel;
    if (!step->stage->kernel.launches) {
        ct_emit_text(text, name, stage->kernel.text);
        return CT_OK;
    }
    snprintf(here.file, sizeof here.file, "%s", name);
    (void)is_line(from, &here);
    ct_text_add(text, "#line 1 \"%s\"\n", name);
    while (ct_kernels_next(&at, &kernel)) {
        const int n = launch_of(step, &kernel);
        if (n < 0) continue;
        ct_text_add(text, "%.*s", (int)(kernel.begin - from), from);
        move_place(&here, from, kernel.begin);
        CT_TRY(add_places(text, step, n, err));
        ct_text_add(text, "#line %d \"%s\"\n", here.line, here.file);
        from = kernel.begin;
    }
    ct_text_add(text, "%s", from);
out:
    return status;
}

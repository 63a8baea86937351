/* stage_more.c: whether what a stage has as texts and files fits the rest of its descriptor.
 * Room: core/stage. Knows the descriptor's grammar. Does not know OpenCL or what stands in files.
 */
#include <stdio.h>
#include <string.h>

#include "stage_check_inner.h"

static void check_fill(ct_stage_checker *check, const ct_fill *fill)
{
    const ct_stage *stage = check->stage;
    const int port = ct_stage_find_port(stage, fill->port);
    const ct_stage_place place = {"ports", fill->port, NULL, "kernel"};
    if (port < 0 || stage->ports[port].direction != CT_TABLE)
        ct_stage_say(check, place, "a kernel is to fill %s, which is no table", fill->port);
    else if (!fill->entry || !ct_stage_is_identifier(fill->entry))
        ct_stage_say(check, place, "kernel \"%s\": expected a kernel's name",
                     fill->entry ? fill->entry : "");
    else if (!stage->kernel.text)
        ct_stage_say(check, place, "there is no text that kernel %s could be in", fill->entry);
    for (const ct_fill *other = stage->kernel.fills; other < fill; other++)
        if (!strcmp(other->port, fill->port))
            ct_stage_say(check, place, "table %s is filled by two kernels, %s and %s", fill->port,
                         other->entry, fill->entry);
}

static int count_cases(const ct_stage *stage)
{
    int count = 0;
    while (stage->verify.cases && stage->verify.cases[count].extents)
        count++;
    return count;
}

static void check_array(ct_stage_checker *check, const ct_case_array *one)
{
    char row[24], name[24];
    const ct_stage *stage = check->stage;
    const int port = ct_stage_find_port(stage, one->port);
    const ct_stage_place place = {"cases", row, name, NULL};
    snprintf(row, sizeof row, "%d", one->number - 1);
    snprintf(name, sizeof name, "%d", one->number);
    if (one->number < 1 || one->number > count_cases(stage))
        ct_stage_say(check, place, "%s: there is no such case", one->port);
    else if (port < 0 ||
             (stage->ports[port].direction != CT_IN && stage->ports[port].direction != CT_OUT))
        ct_stage_say(check, place, "%s is no input and no output", one->port);
    else if (!one->file == !one->array)
        ct_stage_say(check, place, "%s: expected a file or an array, found %s", one->port,
                     one->file ? "both" : "neither");
    for (const ct_case_array *other = stage->verify.arrays; other < one; other++)
        if (other->number == one->number && !strcmp(other->port, one->port))
            ct_stage_say(check, place, "%s is given twice", one->port);
}

static void check_launches(ct_stage_checker *check, const ct_stage_launch *launches)
{
    const ct_stage *stage = check->stage;
    const ct_stage_place place = {"launches", NULL, NULL, NULL};
    int count = 0;
    for (; launches[count].entry; count++)
        if (!launches[count].parallel || !ct_stage_is_identifier(launches[count].entry))
            ct_stage_say(check, place, "launch %d: expected a kernel's name and its work-items",
                         count + 1);
    if (count < 1 || count > CT_LAUNCHES)
        ct_stage_say(check, place, "expected 1 to %d launches, found %d", CT_LAUNCHES, count);
    if (!check->description &&
        (stage->kernel.parallel || stage->kernel.launch)) /* a file's are reported */
        ct_stage_say(check, place, "it has launches, and `parallel` or launch() besides");
}

void ct_stage_check_more(ct_stage_checker *check)
{
    static const ct_stage none;
    const ct_stage_place nowhere = {0};
    const ct_stage *stage = check->stage;
    if (memcmp(stage->reserved, none.reserved, sizeof none.reserved) != 0)
        ct_stage_say(check, nowhere, "the reserved room of its descriptor is not 0");
    if (stage->verify.text && stage->verify.reference)
        ct_stage_say(check, nowhere,
                     "it has two references, a function and a kernel: leave one out");
    for (const ct_fill *fill = stage->kernel.fills; fill && fill->port; fill++)
        check_fill(check, fill);
    for (const ct_case_array *one = stage->verify.arrays; one && one->port; one++)
        check_array(check, one);
    if (stage->kernel.launches) check_launches(check, stage->kernel.launches);
}

/* stage_more.c: whether what a stage has as texts and files fits the rest of its descriptor.
 * Room: core/step. Knows the descriptor's grammar. Does not know OpenCL or what stands in files. */
#include <stdarg.h>
#include <string.h>

#include "fail.h"
#include "stage_check.h"

static ct_status fail(const ct_stage *stage, ct_error *err, const char *format, ...)
    CT_PRINTF(3, 4);

static ct_status fail(const ct_stage *stage, ct_error *err, const char *format, ...)
{
    char sentence[512];
    va_list args;
    va_start(args, format);
    ct_number_print_args(sentence, sizeof sentence, format, args);
    va_end(args);
    return ct_error_add(err, CT_INVALID, "stage %s: %s", stage->name, sentence);
}

static ct_status check_fill(const ct_stage *stage, const ct_fill *fill, ct_error *err)
{
    const int port = ct_stage_find_port(stage, fill->port);
    if (port < 0 || stage->ports[port].direction != CT_TABLE)
        return fail(stage, err, "a kernel is to fill %s, which is no table", fill->port);
    if (!fill->entry || !ct_stage_is_identifier(fill->entry))
        return fail(stage, err, "table %s: kernel \"%s\": expected a kernel's name", fill->port,
                    fill->entry ? fill->entry : "");
    if (!stage->source)
        return fail(stage, err, "table %s: there is no text that kernel %s could be in", fill->port,
                    fill->entry);
    for (const ct_fill *other = stage->more->fills; other < fill; other++)
        if (!strcmp(other->port, fill->port))
            return fail(stage, err, "table %s is filled by two kernels, %s and %s", fill->port,
                        other->entry, fill->entry);
    return CT_OK;
}

static int count_cases(const ct_stage *stage)
{
    int count = 0;
    while (stage->cases && stage->cases[count].extents)
        count++;
    return count;
}

static ct_status check_array(const ct_stage *stage, const ct_case_array *one, ct_error *err)
{
    const int port = ct_stage_find_port(stage, one->port);
    if (one->number < 1 || one->number > count_cases(stage))
        return fail(stage, err, "case %d: %s: there is no such case", one->number, one->port);
    if (port < 0 ||
        (stage->ports[port].direction != CT_IN && stage->ports[port].direction != CT_OUT))
        return fail(stage, err, "case %d: %s is no input and no output", one->number, one->port);
    if (!one->file == !one->array)
        return fail(stage, err, "case %d: %s: expected a file or an array, found %s", one->number,
                    one->port, one->file ? "both" : "neither");
    for (const ct_case_array *other = stage->more->arrays; other < one; other++)
        if (other->number == one->number && !strcmp(other->port, one->port))
            return fail(stage, err, "case %d: %s is given twice", one->number, one->port);
    return CT_OK;
}

ct_status ct_stage_check_more(const ct_stage *stage, ct_error *err)
{
    static const ct_stage_more none;
    const ct_stage_more *more = stage->more;
    ct_status status = CT_OK;
    if (!more) return CT_OK;
    if (memcmp(more->reserved, none.reserved, sizeof none.reserved) != 0)
        return fail(stage, err, "the reserved room of its `more` is not 0");
    if (more->reference && stage->reference)
        return fail(stage, err, "it has two references, a function and a kernel: leave one out");
    for (const ct_fill *fill = more->fills; fill && fill->port; fill++)
        CT_TRY(check_fill(stage, fill, err));
    for (const ct_case_array *one = more->arrays; one && one->port; one++)
        CT_TRY(check_array(stage, one, err));
out:
    return status;
}

/* origin.c: says where a pipeline is wrong: file, line, column, JSON pointer.
 * Room: core/step. Knows origins. Does not know what is wrong. */
#include "step_inner.h"
#include "where.h"
#include <stdarg.h>
#include <stdio.h>

/* A member that is not there has no place of its own: then the node's is the one to look at. */
static ct_place origin_place(const ct_origin *origin, const char *pointer, bool key)
{
    ct_place place = {0, 0};
    if (!origin->text) return place;
    place = ct_where_find(origin->text, pointer, key);
    if (!place.line)
        place = ct_where_find(origin->text, origin->pointer ? origin->pointer : "", true);
    return place;
}

void ct_origin_print(char *out, size_t size, const ct_origin *origin, const char *suffix, bool key)
{
    char pointer[512];
    ct_place place;
    if (!origin || !origin->file) {
        snprintf(out, size, "%s%s", suffix ? suffix : "", suffix ? ": " : "");
        return;
    }
    snprintf(pointer, sizeof pointer, "%s%s%s", origin->pointer ? origin->pointer : "",
             suffix ? "/" : "", suffix ? suffix : "");
    place = origin_place(origin, pointer, key);
    if (place.line)
        snprintf(out, size, "%s:%d:%d: %s: ", origin->file, place.line, place.column, pointer);
    else
        snprintf(out, size, "%s: %s: ", origin->file, pointer);
}

static ct_status origin_fail(const ct_step *step, ct_status status, const char *param,
                             ct_error *err, const char *sentence)
{
    char where[768];
    const ct_origin *origin = &ct_step_in(step)->origin;
    ct_origin_print(where, sizeof where, origin, param, !param);
    if (!origin->file)
        return ct_error_add(err, status, "stage %s: %s%s", step->stage->name, where, sentence);
    return ct_error_add(err, status, "%s%s", where, sentence);
}

ct_status ct_step_fail(const ct_step *step, const char *param, ct_error *err, const char *format,
                       ...)
{
    char sentence[1024];
    va_list list;
    va_start(list, format);
    ct_number_print_args(sentence, sizeof sentence, format, list);
    va_end(list);
    return origin_fail(step, CT_INVALID, param, err, sentence);
}

ct_status ct_step_fail_data(const ct_step *step, const char *param, ct_error *err,
                            const char *format, ...)
{
    char sentence[1024];
    va_list list;
    va_start(list, format);
    ct_number_print_args(sentence, sizeof sentence, format, list);
    va_end(list);
    return origin_fail(step, CT_DATA, param, err, sentence);
}

/* origin.c: says where a pipeline is wrong: file, line, column, JSON pointer.
 * Room: core/step. Knows origins. Does not know what is wrong. */
#include "step_inner.h"
#include "where.h"
#include <stdarg.h>
#include <stdio.h>

ct_origin ct_origin_of_case(const ct_description *page, const char *pointer)
{
    return (ct_origin){
        .file = page->file, .text = page->text, .pointer = pointer, .params = "/params"};
}

enum { POINTER = 512 };

/* Of a member below `inner` in the origin's object; line 0 where it is not there. */
static ct_place origin_find(char pointer[POINTER], const ct_origin *origin, const char *inner,
                            const char *suffix, bool key)
{
    snprintf(pointer, POINTER, "%s%s%s%s", origin->pointer ? origin->pointer : "", inner,
             suffix ? "/" : "", suffix ? suffix : "");
    return origin->text ? ct_where_find(origin->text, pointer, key) : (ct_place){0, 0};
}

/* A member that is not there has no place of its own: then the object's is the one to look at. In
 * a case a key that is no case's is not told. */
static ct_place origin_place(char pointer[POINTER], const ct_origin *origin, const char *suffix,
                             bool key)
{
    char around[POINTER];
    ct_place place = {0, 0};
    if (origin->params && suffix) place = origin_find(pointer, origin, origin->params, suffix, key);
    if (!place.line) place = origin_find(pointer, origin, "", suffix, key);
    if (!place.line) place = origin_find(origin->params ? pointer : around, origin, "", NULL, true);
    return place;
}

void ct_origin_print(char *out, size_t size, const ct_origin *origin, const char *suffix, bool key)
{
    char pointer[POINTER];
    if (!origin || !origin->file) {
        snprintf(out, size, "%s%s", suffix ? suffix : "", suffix ? ": " : "");
        return;
    }
    const ct_place place = origin_place(pointer, origin, suffix, key);
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
